"""Make a model by its name, with settings, a preparation of its features and a refinement."""

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone

from unseen.features import make_preparation
from unseen.files.registration import import_class
from unseen.models import MODELS, Prepared
from unseen.selection.grid import Estimator
from unseen.transduction import REFINEMENTS
from unseen.utils.errors import InputError
from unseen.utils.registry import is_qualified


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
        A name of `unseen.models.MODELS` in any spelling; "package.module:Class" of your own, which is imported; or a
        model itself, which is copied.
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
        made = MODELS.make(_find_name(model), settings, random_state=seed)
    else:
        made = clone(model).set_params(**settings or {})
    steps: list[tuple[str, dict[str, Any]]] = [("UnitNorm", {})] if unit_norm else []
    steps += [] if pca is None else [("PCA", {"n_components": pca})]
    steps += [("Whitening", {}), ("UnitNorm", {})] if whiten else []
    if steps:
        made = Prepared(made, features=make_preparation(steps, random_state=seed))
    return made if refine is None else REFINEMENTS.make(refine, argument="refine", model=made, random_state=seed)


def _find_name(name: str) -> str:
    """Return a name of `MODELS`, once a class from outside is imported, at the request of the user who named it."""
    if not is_qualified(name) or name in MODELS:
        return name
    imported = import_class(name, "model")
    if imported not in MODELS.values():
        raise InputError(f"model={name!r} is not a model: derive {imported.__name__} from ZeroShotClassifier")
    return str(MODELS.name_of(imported))
