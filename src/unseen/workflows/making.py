"""Make a model by its name, with settings, a preparation of its features and a refinement."""

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone

from unseen.features import make_preparation
from unseen.models import MODELS, Prepared
from unseen.selection.grid import Estimator
from unseen.transduction import REFINEMENTS


def make_model(
    model: str | Estimator = "jfa",
    settings: Mapping[str, Any] | None = None,
    *,
    unit_norm: bool = False,
    pca: int | None = None,
    whiten: bool = False,
    refine: str | None = None,
    seed: int = 0,
) -> Estimator:
    """Make an unfitted model.

    Parameters
    ----------
    model : str or estimator, default "jfa"
        A name of `unseen.models.MODELS` in any spelling, or a model itself, which is copied.
    settings : mapping of str to value, optional
        Parameters of the model.
    unit_norm : bool, default False
        Whether to bring each row of features to length 1 first.
    pca : int, optional
        How many principal components to reduce features to.
    whiten : bool, default False
        Whether to even out the directions of features, then bring rows to length 1.
    refine : str, optional
        A name of `unseen.transduction.REFINEMENTS`: the model then answers the rows of one call together.
    seed : int, default 0
        Random seed of all parts.

    Examples
    --------
    >>> make_model("eszsl", {"gamma": 10})
    ESZSL(gamma=10)
    >>> make_model("eszsl", unit_norm=True, refine="spzsr").model.features
    UnitNorm()
    """
    if isinstance(model, str):
        made = MODELS.make(model, settings, random_state=seed)
    else:
        made = clone(model).set_params(**settings or {})
    steps: list[tuple[str, dict[str, Any]]] = [("UnitNorm", {})] if unit_norm else []
    steps += [] if pca is None else [("PCA", {"n_components": pca})]
    steps += [("Whitening", {}), ("UnitNorm", {})] if whiten else []
    if steps:
        made = Prepared(made, features=make_preparation(steps, random_state=seed))
    return made if refine is None else REFINEMENTS.make(refine, argument="refine", model=made, random_state=seed)
