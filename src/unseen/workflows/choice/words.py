"""Name preparations and models in words."""

from collections.abc import Callable
from typing import Any

from sklearn.pipeline import Pipeline

from unseen.models.registry import MODELS

AS_THEY_ARE = "as they are"

# Words for the steps that are proposed; others are named by their class.
_WORDS: dict[str, Callable[[Any], str]] = {
    "KernelMap": lambda step: "compared by a kernel",
    "Logit": lambda step: "logit",
    "PCA": lambda step: f"{step.n_components} principal components",
    "SquareRoot": lambda step: "square root",
    "UnitNorm": lambda step: "length 1",
    "Whitening": lambda step: "whitened",
}


def name_preparation(transformer: Any) -> str:
    """Name the steps of a preparation in words.

    >>> from unseen.features import Logit, UnitNorm
    >>> name_preparation(None), name_preparation(Logit()), name_preparation(UnitNorm())
    ('as they are', 'logit', 'length 1')
    """
    if transformer is None:
        return AS_THEY_ARE
    steps = [step for _, step in transformer.steps] if isinstance(transformer, Pipeline) else [transformer]
    kinds = [(type(step).__name__, step) for step in steps]
    return ", ".join(_WORDS[kind](step) if kind in _WORDS else kind for kind, step in kinds)


def name_model(model: Any, *parameters: str) -> str:
    """Name a model as on the command line, with some of its parameters.

    >>> from unseen.models import BilinearSVM
    >>> name_model(BilinearSVM(), "lam")
    'bilinear (lam 1)'
    """
    name = str(MODELS.name_of(type(model)) or type(model).__name__)
    values = [f"{parameter} {getattr(model, parameter):g}" for parameter in parameters]
    return f"{name} ({', '.join(values)})" if values else name
