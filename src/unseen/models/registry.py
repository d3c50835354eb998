"""Register the models by name, and make one, or a blend of several, by name."""

from collections.abc import Mapping
from typing import Any

from unseen.models.attributes.dap import DAP
from unseen.models.attributes.farhadi import Farhadi
from unseen.models.attributes.iap import IAP
from unseen.models.attributes.jayaraman_grauman import JayaramanGrauman
from unseen.models.attributes.mahajan import Mahajan
from unseen.models.attributes.wang_ji import WangJi
from unseen.models.attributes.yu import Yu
from unseen.models.base import ZeroShotClassifier
from unseen.models.closed_forms.eszsl import ESZSL
from unseen.models.closed_forms.qiao import Qiao
from unseen.models.closed_forms.rkt import RKT
from unseen.models.closed_forms.sae import SAE
from unseen.models.codes.bucher import Bucher
from unseen.models.codes.sdl import SDL
from unseen.models.codes.sse import SSE
from unseen.models.compatibility.bilinear_svm import BilinearSVM
from unseen.models.compatibility.cmt import CMT
from unseen.models.compatibility.direct_jfa import DirectJFA
from unseen.models.compatibility.jfa import JFA
from unseen.models.compatibility.structural import StructuralSVM
from unseen.models.densities.gaussian_jfa import GaussianJFA
from unseen.models.exemplars.conse import ConSE
from unseen.models.exemplars.costa import COSTA
from unseen.models.exemplars.exem import EXEM
from unseen.models.exemplars.sync import SynC
from unseen.models.ranking.ale import ALE
from unseen.models.ranking.devise import DeViSE
from unseen.models.ranking.latem import LatEm
from unseen.models.ranking.sje import SJE
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
        "cmt": CMT,
        "conse": ConSE,
        "costa": COSTA,
        "dap": DAP,
        "devise": DeViSE,
        "direct-jfa": DirectJFA,
        "eszsl": ESZSL,
        "exem": EXEM,
        "farhadi": Farhadi,
        "gaussian": GaussianJFA,
        "iap": IAP,
        "jayaraman-grauman": JayaramanGrauman,
        "jfa": JFA,
        "latem": LatEm,
        "mahajan": Mahajan,
        "qiao": Qiao,
        "rkt": RKT,
        "sae": SAE,
        "sdl": SDL,
        "sje": SJE,
        "sse": SSE,
        "structural-svm": StructuralSVM,
        "sync": SynC,
        "wang-ji": WangJi,
        "yu": Yu,
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
