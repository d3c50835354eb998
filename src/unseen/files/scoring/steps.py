"""Read steps of preparation from a file, as functions of rows."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unseen.features.row_functions import divide_by_norms, map_to_kernel, take_logits, take_square_roots, whiten
from unseen.files.scoring.fields import Fields, NeedsEstimator
from unseen.files.scoring.rows import check_rows

Matrix = NDArray[Any]


class Step(NamedTuple):
    """A fitted transformer: a function of rows, and how many features it takes."""

    function: Callable[[Matrix], Matrix]
    n_features_in_: int

    def __call__(self, X: Matrix) -> Matrix:
        """Transform rows (n, d)."""
        return self.function(check_rows(X))


class Steps(NamedTuple):
    """Steps one after the other, as in a pipeline of scikit-learn."""

    steps: list[Step]

    @property
    def n_features_in_(self) -> int:
        """How many features the first step takes."""
        return self.steps[0].n_features_in_

    def __call__(self, X: Matrix) -> Matrix:
        """Transform rows (n, d)."""
        for step in self.steps:
            X = step(X)
        return X


def read_pipeline(fields: Fields) -> Steps:
    """Read a pipeline; one that ends in a model is left to scikit-learn."""
    steps = [step for _, step in fields.parameter("steps") if step not in (None, "passthrough")]
    if not steps or not all(isinstance(step, Step) for step in steps):
        raise NeedsEstimator
    return Steps(steps)


def _read_principal_components(fields: Fields) -> Callable[[Matrix], Matrix]:
    components, mean = fields.state("components_"), fields.state("mean_")
    scale = None
    if fields.parameter("whiten"):
        scale = np.sqrt(fields.state("explained_variance_"))
        scale = np.maximum(scale, np.finfo(scale.dtype).eps)

    def reduce(X: Matrix) -> Matrix:
        # As scikit-learn does it, to the order of the operations.
        reduced = X @ components.T
        reduced -= mean.reshape(1, -1) @ components.T
        if scale is not None:
            reduced /= scale
        return np.asarray(reduced)

    return reduce


def _read_singular_vectors(fields: Fields) -> Callable[[Matrix], Matrix]:
    components = fields.state("components_")
    return lambda X: np.asarray(X @ components.T)


def _read_standard_scaler(fields: Fields) -> Callable[[Matrix], Matrix]:
    mean = fields.state("mean_") if fields.parameter("with_mean") else None
    scale = fields.state("scale_") if fields.parameter("with_std") else None

    def standardise(X: Matrix) -> Matrix:
        centred = X if mean is None else X - mean.astype(X.dtype)
        return centred if scale is None else centred / scale.astype(X.dtype)

    return standardise


def _read_norm(fields: Fields) -> Callable[[Matrix], Matrix]:
    return partial(divide_by_norms, norm=fields.parameter("norm"))


def _read_square_root(fields: Fields) -> Callable[[Matrix], Matrix]:
    return partial(take_square_roots, normalise=fields.parameter("normalise"))


def _read_whitening(fields: Fields) -> Callable[[Matrix], Matrix]:
    return partial(whiten, mean=fields.state("mean_"), matrix=fields.state("matrix_"))


def _read_logit(fields: Fields) -> Callable[[Matrix], Matrix]:
    return partial(take_logits, offset=fields.parameter("offset"), whole=fields.state("whole_"))


def _read_kernel_map(fields: Fields) -> Callable[[Matrix], Matrix]:
    map_rows = partial(
        map_to_kernel,
        scaling=fields.state("scaling_"),
        landmarks=fields.state("landmarks_"),
        root=fields.state("root_"),
        kernel=fields.parameter("kernel"),
        variance=fields.state("variance_"),
    )
    return lambda X: map_rows(X.astype(np.float64))


def _as_step(read: Callable[[Fields], Callable[[Matrix], Matrix]]) -> Callable[[Fields], Step]:
    return lambda fields: Step(read(fields), int(fields.state("n_features_in_")))


# By their names in a file. Steps that solve something, such as SimplexCoder, are left to the full reader.
STEPS: Mapping[str, Callable[[Fields], Any]] = {
    "Pipeline": read_pipeline,
    "KernelMap": _as_step(_read_kernel_map),
    "Logit": _as_step(_read_logit),
    "Normalizer": _as_step(_read_norm),
    "PCA": _as_step(_read_principal_components),
    "SquareRoot": _as_step(_read_square_root),
    "StandardScaler": _as_step(_read_standard_scaler),
    "TruncatedSVD": _as_step(_read_singular_vectors),
    "UnitNorm": _as_step(_read_norm),
    "Whitening": _as_step(_read_whitening),
}
