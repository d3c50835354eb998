"""Fit an estimator at each point of a parameter grid without doing the same work twice."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Protocol, TypeAlias, runtime_checkable

import joblib
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from unseen.data import ClassTable
from unseen.features.anywhere import fit_transform_elsewhere, is_elsewhere
from unseen.utils.errors import InputError

# An estimator with the interface of scikit-learn and `classes` as metadata.
Estimator = Any
Point = Mapping[str, Any]
Grid: TypeAlias = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | ParameterGrid | ParameterSampler


@runtime_checkable
class GridFitter(Protocol):
    """An estimator that fits many points of a grid faster than one by one.

    The search uses `fit_grid` if an estimator has it.
    """

    def fit_grid(
        self, X: Any, y: Any, classes: ClassTable | None, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[Estimator]:
        """Yield for each point, in order, an estimator equal to ``clone(self).set_params(**point).fit(...)``."""


@runtime_checkable
class GridOpener(Protocol):
    """A `GridFitter` that can keep what points share from one call to the next."""

    def open_grid(
        self, X: Any, y: Any, classes: ClassTable | None, *, sample_weight: Any = None
    ) -> Callable[[Sequence[Point]], Iterator[Estimator]]:
        """Return `fit_grid` on these data as a function of the points; what is kept leaves with it."""


@runtime_checkable
class Preparing(Protocol):
    """An estimator that prepares rows and descriptions for a model inside it, as `unseen.models.Prepared` does.

    A search prepares each split once, for all points that share a preparation and all of its rounds.
    """

    model: Estimator

    def prepare_grid(
        self, X: Any, y: Any, classes: ClassTable | None, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[tuple["Preparing", Any, ClassTable | None, list[dict[str, Any]]]]:
        """Yield an estimator whose preparation is fitted, prepared rows and table, and the points of the model inside.

        All points come in order.
        """

    def prepare_rows(self, X: Any) -> Any:
        """Return rows as the model inside receives them."""

    def prepare_table(self, table: ClassTable) -> ClassTable:
        """Return descriptions as the model inside receives them."""

    def with_model(self, model: Estimator) -> Estimator:
        """Return this estimator with a fitted model inside."""


@runtime_checkable
class StopsEarly(Protocol):
    """A model whose fit can end after a few steps, so that a search finds out early which points are hopeless."""

    def cut_short(self, steps: int) -> Mapping[str, Any]:
        """Return parameters with which a fit ends after at most so many steps; none if it cannot."""


def fit_grid(
    estimator: Estimator,
    X: Any,
    y: Any,
    classes: ClassTable | None,
    points: Sequence[Point],
    *,
    sample_weight: Any = None,
) -> Iterator[Estimator]:
    """Fit an estimator at each point, in order: by its own `fit_grid` if it has one, else one by one.

    Parameters
    ----------
    estimator : estimator
        The estimator, which stays unfitted.
    X, y, classes, sample_weight
        As for its `fit`.
    points : sequence of mappings
        Parameter names and values of each point.

    Yields
    ------
    estimator
        A fitted estimator with the parameters of the point.
    """
    if isinstance(estimator, GridFitter):
        yield from estimator.fit_grid(X, y, classes, points, **_pass_weights(sample_weight))
    else:
        for point in points:
            yield fit(clone_at_point(estimator, point), X, y, classes, sample_weight)


def open_grid(
    estimator: Estimator, X: Any, y: Any, classes: ClassTable | None, sample_weight: Any = None
) -> Callable[[Sequence[Point]], Iterator[Estimator]]:
    """Return `fit_grid` on these data as a function of the points, whose calls share what the estimator can keep."""
    if isinstance(estimator, GridOpener):
        return estimator.open_grid(X, y, classes, **_pass_weights(sample_weight))
    return partial(fit_grid, estimator, X, y, classes, sample_weight=sample_weight)


def fit(estimator: Estimator, X: Any, y: Any, classes: ClassTable | None, sample_weight: Any = None) -> Estimator:
    """Fit an estimator, or a pipeline that ends in one, with a class table and row weights.

    If scikit-learn's metadata routing is enabled, a pipeline passes both to the steps that request them. Otherwise
    they go to the last step.
    """
    metadata = {"classes": classes, **_pass_weights(sample_weight)}
    if isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]:
        last = estimator.steps[-1][0]
        metadata = {f"{last}__{name}": value for name, value in metadata.items()}
    return estimator.fit(X, y, **metadata)


def fit_transform(transformer: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Fit a transformer and transform the rows, passing row weights to every step that accepts them."""
    if is_elsewhere(X):
        return fit_transform_elsewhere(transformer, X, y, sample_weight)
    if sample_weight is None:
        return transformer.fit_transform(X, y)
    if not isinstance(transformer, Pipeline):
        takers = ["sample_weight"] if has_fit_parameter(transformer, "sample_weight") else []
    elif get_config()["enable_metadata_routing"]:
        takers = list(get_routing_for_object(transformer).consumes("fit_transform", ["sample_weight"]))
    else:
        steps = [(name, step) for name, step in transformer.steps if hasattr(step, "fit")]
        takers = [f"{name}__sample_weight" for name, step in steps if has_fit_parameter(step, "sample_weight")]
    return transformer.fit_transform(X, y, **dict.fromkeys(takers, sample_weight))


def _pass_weights(sample_weight: Any) -> dict[str, Any]:
    """Return weights as keyword arguments, or none if there are none: not every estimator accepts them."""
    return {} if sample_weight is None else {"sample_weight": sample_weight}


def clone_at_point(estimator: Estimator, point: Point) -> Estimator:
    """Return an unfitted copy with the parameters of a point; parameters that are estimators are copied too."""
    return clone(estimator).set_params(**{name: clone(value, safe=False) for name, value in point.items()})


def list_grid_points(estimator: Estimator, grid: Grid) -> list[dict[str, Any]]:
    """List the points of a grid, checking each on the estimator so that misspelt names are found at once.

    >>> from sklearn.linear_model import Ridge
    >>> list_grid_points(Ridge(), {"alpha": [1, 2]})
    [{'alpha': 1}, {'alpha': 2}]
    """
    if not isinstance(grid, ParameterGrid | ParameterSampler):
        try:
            grid = ParameterGrid(grid)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"grid cannot be read ({error}): give a mapping from parameter names to lists of values, "
                "or a list of such mappings"
            ) from error
    points = [dict(point) for point in grid]
    if not points:
        raise InputError("grid has no points: name at least one parameter and one value")
    for point in points:
        try:
            clone_at_point(estimator, point)
        except ValueError as error:
            raise InputError(f"grid has a point that the estimator does not take: {error}") from error
    return points


def find_full_name(estimator: Estimator, name: str) -> str:
    """Return the full name of a parameter; for the model inside all wrappers the prefix may be left out.

    >>> from unseen.models import ESZSL, Prepared
    >>> find_full_name(Prepared(ESZSL()), "gamma"), find_full_name(Prepared(ESZSL()), "features")
    ('model__gamma', 'features')
    """
    known = estimator.get_params(deep=True)
    ways = [way for way in known if way.endswith(name) and not way.removesuffix(name).replace("model__", "")]
    return max(ways, key=len, default=name)


def group_runs(
    points: Sequence[Point], varies: Callable[[str], bool]
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Group consecutive points that differ only in the parameters for which `varies(name)` is true.

    Yields the parameters that the points of a group share, and the other parameters of each point.

    >>> points = list(ParameterGrid({"kind": ["a", "b"], "lam": [1, 2]}))
    >>> list(group_runs(points, lambda name: name == "lam"))
    [({'kind': 'a'}, [{'lam': 1}, {'lam': 2}]), ({'kind': 'b'}, [{'lam': 1}, {'lam': 2}])]
    """

    def common(point: Point) -> dict[str, Any]:
        return {name: value for name, value in point.items() if not varies(name)}

    # By hash, because values may be arrays or estimators, which cannot be compared.
    for _, run in groupby(points, key=lambda point: joblib.hash(common(point))):
        members = list(run)
        yield common(members[0]), [{name: p[name] for name in p if varies(name)} for p in members]
