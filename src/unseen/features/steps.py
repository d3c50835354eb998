"""List the preparation steps by name, and make transformers of them."""

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import TransformerMixin
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from unseen.features.descriptions.kernel_map import KernelMap
from unseen.features.descriptions.logit import Logit
from unseen.features.descriptions.simplex_coder import SimplexCoder
from unseen.features.rowwise import SquareRoot, UnitNorm
from unseen.features.whitening import Whitening
from unseen.utils.registry import Registry

# Experiments, the command line, model files and exports know these steps. A new step is one more class here.
STEPS: Registry[type[TransformerMixin]] = Registry(
    "step",
    {
        kind.__name__: kind
        for kind in (
            *(Normalizer, PCA, StandardScaler, TruncatedSVD),
            *(KernelMap, Logit, SimplexCoder, SquareRoot, UnitNorm, Whitening),
        )
    },
    outside=True,
)


def make_preparation(steps: Iterable[tuple[str, Mapping[str, Any]]], argument: str = "step", **defaults: Any) -> Any:
    """Make a transformer from steps, in the order in which they are applied.

    Parameters
    ----------
    steps : iterable of (name, parameters)
        At least one step, each a name of `STEPS` with its parameters.
    argument : str, optional
        Name of the argument, for error messages.
    **defaults
        Parameters such as a `random_state`, passed to every step that accepts them.

    Examples
    --------
    >>> make_preparation([("UnitNorm", {})])
    UnitNorm()
    >>> len(make_preparation([("unit-norm", {}), ("pca", {"n_components": 3})]).steps)
    2
    """
    made = [STEPS.make(name, parameters, argument, **defaults) for name, parameters in steps]
    return made[0] if len(made) == 1 else make_pipeline(*made)
