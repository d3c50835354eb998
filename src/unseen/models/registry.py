"""Register the models by name, and make one, or a blend of several, by name."""

from collections.abc import Mapping
from typing import Any

from unseen.models.attributes.dap import DAP
from unseen.models.base import ZeroShotClassifier
from unseen.models.codes.bucher import Bucher
from unseen.models.codes.sdl import SDL
from unseen.models.compatibility.ale import ALE
from unseen.models.compatibility.bilinear_svm import BilinearSVM
from unseen.models.compatibility.direct_jfa import DirectJFA
from unseen.models.compatibility.eszsl import ESZSL
from unseen.models.compatibility.jfa import JFA
from unseen.models.compatibility.sje import SJE
from unseen.models.compatibility.structural import StructuralSVM
from unseen.models.exemplars.conse import ConSE
from unseen.models.exemplars.gaussian_jfa import GaussianJFA
from unseen.models.wrappers.blend import Blend
from unseen.utils.errors import InputError
from unseen.utils.registry import Registry, check_parameters

# Names as users write them, in experiments and on the command line. A new model is one more line.
MODELS: Registry[type[ZeroShotClassifier]] = Registry(
    "model",
    {
        "ale": ALE,
        "bilinear": BilinearSVM,
        "bucher": Bucher,
        "conse": ConSE,
        "dap": DAP,
        "direct-jfa": DirectJFA,
        "eszsl": ESZSL,
        "gaussian": GaussianJFA,
        "jfa": JFA,
        "sdl": SDL,
        "sje": SJE,
        "structural-svm": StructuralSVM,
    },
    outside=True,
)


def make_by_name(
    name: str, parameters: Mapping[str, Any] | None = None, argument: str = "model", **defaults: Any
) -> ZeroShotClassifier | Blend:
    """Make a model by its name, or a blend by the names of its parts with + between them.

    Parameters
    ----------
    name : str
        A name of `MODELS` in any spelling, or several like "eszsl+jfa".
    parameters : mapping of str to Any, optional
        Parameters of the model. Those of a part of a blend are prefixed by its name: "eszsl__gamma".
    argument : str
        Name of the argument, for error messages.
    **defaults
        Parameters such as a `random_state`, passed to every part that accepts them.

    Examples
    --------
    >>> make_by_name("eszsl+bilinear", {"eszsl__gamma": 10.0, "weights": [1, 3]})
    Blend(models=[('eszsl', ESZSL(gamma=10.0)), ('bilinear', BilinearSVM())],
          weights=[1, 3])
    """
    names = [part.strip() for part in str(name).split("+")]
    if len(names) == 1:
        made: ZeroShotClassifier = MODELS.make(name, parameters, argument, **defaults)
        return made
    keys = [MODELS.find_key(part, argument) for part in names]
    if len(set(keys)) < len(keys):
        raise InputError(f"{argument}={name!r} names a model twice: give each part once, or make a Blend in Python")
    parts = [(key.rpartition(":")[2], MODELS.make(key, None, argument, **defaults)) for key in keys]
    blend = Blend(parts, **{key: value for key, value in defaults.items() if key == "random_state"})
    check_parameters(parameters or {}, sorted(blend.get_params()), f"{argument}={name!r}")
    return blend.set_params(**parameters or {})
