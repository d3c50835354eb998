"""Make a model by name, with parameters, preparation and refinement."""

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone

from unseen.features import make_preparation
from unseen.files.registration import import_class
from unseen.models import MODELS, Prepared
from unseen.models.registry import make_by_name
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
        A name of `unseen.models.MODELS` in any spelling; the name "package.module:Class" of your own class, which is
        imported; several of these with + between them ("eszsl+jfa"), which are blended; or an estimator, which is
        copied.
    settings : mapping of str to value, optional
        Parameters of the model. Those of a part of a blend are prefixed by its name ("eszsl__gamma").
    unit_norm : bool, default False
        Whether to scale each row of features to length 1 first.
    pca : int, optional
        Number of principal components to which features are reduced.
    whiten : bool, default False
        Whether to whiten features, then scale rows to length 1.
    refine : str, optional
        A name of `unseen.transduction.REFINEMENTS`, which makes the model transductive: it answers all rows of a call
        together.
    seed : int, default 0
        Random seed for all parts.

    Examples
    --------
    >>> make_model("eszsl", {"gamma": 10})
    ESZSL(gamma=10)
    >>> [name for name, part in make_model("eszsl+jfa").models]
    ['eszsl', 'jfa']
    >>> make_model("eszsl", unit_norm=True, refine="spzsr").model.features
    UnitNorm()
    """
    if isinstance(model, str):
        made = make_by_name("+".join(map(_find_name, model.split("+"))), settings, random_state=seed)
    else:
        made = clone(model).set_params(**settings or {})
    features = make_features(unit_norm=unit_norm, pca=pca, whiten=whiten, seed=seed)
    return add_refinement(made if features is None else Prepared(made, features=features), refine, seed=seed)


def make_features(*, unit_norm: bool = False, pca: int | None = None, whiten: bool = False, seed: int = 0) -> Any:
    """Make the preparation of features, as for `make_model`; None if there is none.

    >>> make_features(unit_norm=True)
    UnitNorm()
    """
    steps: list[tuple[str, dict[str, Any]]] = [("UnitNorm", {})] if unit_norm else []
    steps += [] if pca is None else [("PCA", {"n_components": pca})]
    steps += [("Whitening", {}), ("UnitNorm", {})] if whiten else []
    return make_preparation(steps, random_state=seed) if steps else None


def add_refinement(model: Estimator, refine: str | None, *, seed: int = 0) -> Estimator:
    """Put a refinement around a model, if one is named, as for `make_model`."""
    return model if refine is None else REFINEMENTS.make(refine, argument="refine", model=model, random_state=seed)


def _find_name(name: str) -> str:
    """Return a name of `MODELS`, after importing a class from outside if the user named one."""
    if not is_qualified(name) or name in MODELS:
        return name
    imported = import_class(name, "model")
    if imported not in MODELS.values():
        raise InputError(f"model={name!r} is not a model: derive {imported.__name__} from ZeroShotClassifier")
    return str(MODELS.name_of(imported))
