"""What every problem of a sweep is solved on and scored on: prepared once, sent once to each worker."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

from unseen.data import ClassTable, ZeroShotDataset
from unseen.features import DescriptionScaling, FeatureScaling, UnitNorm, dimension_reduction
from unseen.features.reduction import PAPER_DIMENSIONS, find_paper_dimension
from unseen.learning.training import find_span_basis
from unseen.selection import HoldOutClasses
from unseen.utils.arrays import Array, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_whole_number

ScoreOn = Literal["unseen", "held-out"]

# Squared lengths that differ from 1 by less are 1 but for rounding.
SAME_LENGTH = 1e-12


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows to score among the classes they belong to, scaled.

    Attributes
    ----------
    phi : array of shape (n, d_t), single precision
    y : integer array of shape (n,)
        Row of `psi` that is the true class.
    psi : array of shape (m, d_s), double precision
        Descriptions, in the span of the seen ones.
    excess : array of shape (m,)
        Squared length of each whole description, minus 1.
    """

    phi: Array
    y: Array
    psi: Array
    excess: Array

    def map(self, function: Callable[[Array], Array]) -> Self:
        """Return the same with every array replaced, e.g. moved to a device."""
        return type(self)(*(function(part) for part in (self.phi, self.y, self.psi, self.excess)))


@dataclass(frozen=True, eq=False)
class SweepData:
    """What every problem of a sweep is learned on and measured on: training and test examples, scaled."""

    train: Examples
    test: Examples

    def map(self, function: Callable[[Array], Array]) -> Self:
        """Return the same with every array replaced, e.g. moved to a device."""
        return type(self)(self.train.map(function), self.test.map(function))

    @cached_property
    def unit_length(self) -> bool:
        """Whether every description has length 1."""
        return not (np.any(to_numpy(self.train.excess)) or np.any(to_numpy(self.test.excess)))


@dataclass(frozen=True, eq=False)
class Split:
    """Features and labels on which to learn and to score, prepared but not scaled: what an estimator would be given.

    Attributes
    ----------
    X, X_test : ndarrays of shape (n, d) and (n_test, d), single precision
    y, y_test : ndarrays of labels
    seen, candidates : ClassTable
        Descriptions of the classes in `y` and of those in `y_test`.
    """

    X: NDArray[np.float32]
    y: NDArray[np.generic]
    seen: ClassTable
    X_test: NDArray[np.float32]
    y_test: NDArray[np.generic]
    candidates: ClassTable

    def scale(self) -> SweepData:
        """Scale everything as `scaling="auto"` of the models does, and shrink descriptions to their span."""
        features = FeatureScaling.fit(self.X)
        descriptions = DescriptionScaling.fit(self.seen.vectors)
        parts = ((self.X, self.y, self.seen), (self.X_test, self.y_test, self.candidates))
        return SweepData(*(_scale(features, descriptions, self.basis, *part) for part in parts))

    @cached_property
    def basis(self) -> NDArray[np.float64]:
        """Orthonormal columns that span the scaled descriptions of the seen classes: W @ basis is all of W."""
        return np.asarray(find_span_basis(DescriptionScaling.fit(self.seen.vectors).apply(self.seen.vectors)))


def _scale(
    features: FeatureScaling,
    descriptions: DescriptionScaling,
    basis: NDArray[np.float64],
    X: NDArray[np.float32],
    y: NDArray[np.generic],
    table: ClassTable,
) -> Examples:
    psi = descriptions.apply(table.vectors)
    excess = (psi**2).sum(axis=1) - 1
    excess[np.abs(excess) <= SAME_LENGTH] = 0.0
    return Examples(features.apply(X), table.index_of(y, name="y"), psi @ basis, excess)


def make_split(
    dataset: ZeroShotDataset, *, dimensions: int | None = None, score_on: ScoreOn = "unseen", seed: int = 0
) -> Split:
    """Choose training and test rows, and reduce the features as the paper does.

    Parameters
    ----------
    dataset : ZeroShotDataset
    dimensions : int, optional
        Rows are brought to length 1 and projected on this many principal components of the training rows. By default
        the paper's number for a dataset of the paper; other data are left as they are. 0 leaves any data.
    score_on : "unseen" (default) or "held-out"
        "held-out" never looks at an unseen class: a fifth of the seen classes is held out and stands in for them.
    seed : int, default 0
        Which classes are held out; also of the randomised decomposition.
    """
    check_choice(score_on, ("unseen", "held-out"), "score_on")
    X, y = dataset.X_train, dataset.y_train
    X_test, y_test = dataset.X_test_unseen, dataset.y_test_unseen
    if score_on == "held-out":
        train, test = next(HoldOutClasses(0.2, n_splits=1, random_state=seed).split(X, y))
        X, y, X_test, y_test = X[train], y[train], X[test], y[test]
    size = _dimensions(dataset.name, dimensions, X.shape)
    if size:
        preparation = make_pipeline(UnitNorm(), dimension_reduction(size, random_state=seed))
        X, X_test = preparation.fit_transform(X), preparation.transform(X_test)
    seen, candidates = (dataset.classes.select(np.unique(labels)) for labels in (y, y_test))
    return Split(X.astype(np.float32), y, seen, X_test.astype(np.float32), y_test, candidates)


def _dimensions(name: str, dimensions: int | None, shape: tuple[int, ...]) -> int:
    if dimensions is None:
        known = [paper for paper in PAPER_DIMENSIONS if name.casefold().startswith(paper.casefold())]
        dimensions = find_paper_dimension(known[0]) if known else 0
        return dimensions if dimensions < min(shape) else 0
    if check_whole_number(dimensions, "dimensions", 0) > min(shape):
        raise InputError(
            f"dimensions={dimensions} is more than {shape[0]} training rows of {shape[1]} features have: give at most "
            f"{min(shape)}, or 0 to take the features as they are"
        )
    return dimensions
