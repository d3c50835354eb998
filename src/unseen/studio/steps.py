"""Write preparation steps as data: the few operations of which they consist, which the page applies to one row."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from unseen.features import (
    DescriptionScaling,
    FeatureScaling,
    KernelMap,
    Logit,
    SquareRoot,
    UnitNorm,
    Whitening,
)
from unseen.files.export.onnx_steps import NO_LENGTH
from unseen.studio.numbers import write_array
from unseen.utils.arrays import to_numpy

# One operation: its name under "op", and its numbers. page/numbers/operations.js has what each of them does.
Operation = dict[str, Any]


class NotWritten(Exception):
    """A part of a model that a page cannot compute; the message says which."""


def write_steps(transformers: tuple[Any, ...]) -> list[Operation]:
    """Return fitted transformers as operations, first to last, or raise `NotWritten`."""
    return [operation for step in transformers for operation in _write_step(step)]


def write_description_scaling(scaling: DescriptionScaling) -> list[Operation]:
    """Return the scaling of descriptions as operations."""
    mean, factor = to_numpy(scaling.mean), to_numpy(scaling.factor)
    operations = [_shift(mean), _scale(factor)]
    if scaling.unit_length:
        operations.append(_normalise("l2", 1e-12 * float(np.linalg.norm(mean * factor))))
    return operations


def write_feature_scaling(scaling: FeatureScaling) -> list[Operation]:
    """Return the scaling of features as operations."""
    operations = [_shift(scaling.mean), _scale(scaling.factor)]
    return [*operations, {"op": "constant"}] if scaling.constant else operations


def _write_step(step: Any) -> list[Operation]:
    if step is None or step == "passthrough":
        return []
    if isinstance(step, Pipeline):
        return [operation for _, inner in step.steps for operation in _write_step(inner)]
    if type(step) not in WRITTEN:
        raise NotWritten(f"it prepares them by {type(step).__name__}")
    return WRITTEN[type(step)](step)


def _shift(by: Any) -> Operation:
    return {"op": "shift", "by": write_array(to_numpy(by))}


def _scale(by: Any) -> Operation:
    return {"op": "scale", "by": write_array(to_numpy(by))}


def _multiply(by: Any) -> Operation:
    return {"op": "matrix", "by": write_array(by)}


def _normalise(norm: str, smallest: float = NO_LENGTH) -> Operation:
    return {"op": "unit", "norm": norm, "smallest": smallest}


def _write_square_root(step: SquareRoot) -> list[Operation]:
    return [*([_normalise("l1")] if step.normalise else []), {"op": "root"}]


def _write_standardisation(step: StandardScaler) -> list[Operation]:
    return [
        *([_shift(step.mean_)] if step.with_mean else []),
        *([_scale(1 / step.scale_)] if step.with_std else []),
    ]


def _write_pca(step: PCA) -> list[Operation]:
    operations = [_shift(step.mean_), _multiply(step.components_.T)]
    if step.whiten:
        spread = np.sqrt(step.explained_variance_)
        operations.append(_scale(1 / np.maximum(spread, np.finfo(spread.dtype).eps)))
    return operations


def _write_kernel_map(step: KernelMap) -> list[Operation]:
    if step.kernel == "linear":
        likeness = _multiply(step.landmarks_.T)
    else:
        likeness = {"op": "rbf", "landmarks": write_array(step.landmarks_), "variance": float(step.variance_)}
    return [*write_description_scaling(step.scaling_), likeness, _multiply(step.root_)]


# Subclasses are not listed: they may do something else. `SimplexCoder` is not: a code is the solution of a programme.
WRITTEN: dict[type, Callable[[Any], list[Operation]]] = {
    KernelMap: _write_kernel_map,
    Logit: lambda step: [{"op": "logit", "offset": float(step.offset), "whole": float(step.whole_)}],
    Normalizer: lambda step: [_normalise(step.norm)],
    PCA: _write_pca,
    SquareRoot: _write_square_root,
    StandardScaler: _write_standardisation,
    TruncatedSVD: lambda step: [_multiply(step.components_.T)],
    UnitNorm: lambda step: [_normalise(step.norm)],
    Whitening: lambda step: [_shift(step.mean_), _multiply(step.matrix_)],
}
