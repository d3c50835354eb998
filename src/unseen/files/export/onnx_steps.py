"""Write the preparation steps as ONNX operators, and name those that cannot be written."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from unseen.features import DescriptionScaling, KernelMap, Logit, SimplexCoder, SquareRoot, UnitNorm, Whitening
from unseen.files.export.onnx_graph import Graph
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError

# scikit-learn's normalisation leaves rows shorter than this unchanged, in double precision.
NO_LENGTH = 10 * np.finfo(np.float64).eps


def add_preparation(graph: Graph, rows: str, step: Any, side: str) -> str:
    """Add a fitted preparation to a graph; return the name of the prepared rows.

    Parameters
    ----------
    graph : Graph
    rows : str
        Name of the rows in the graph, in double precision.
    step : transformer, Pipeline or None
        The fitted preparation.
    side : str
        "features" or "descriptions", for error messages.
    """
    if step == "passthrough":
        return rows
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            rows = add_preparation(graph, rows, inner, side)
        return rows
    kind = type(step)
    if kind not in WRITTEN:
        reason = NOT_WRITTEN.get(kind, "unseen does not know which operators it consists of")
        raise InputError(
            f"{side} are prepared by {kind.__name__}, which cannot be written as ONNX, because {reason}: prepare the "
            f"{side} beforehand and fit the model on the result"
        )
    return WRITTEN[kind](graph, rows, step)


def add_description_scaling(graph: Graph, scaling: DescriptionScaling, vectors: str) -> str:
    """Add the scaling of descriptions to a graph; return the name of the scaled ones."""
    centred = graph.add_node("Sub", vectors, graph.add_constant(scaling.mean))
    centred = graph.add_node("Mul", centred, graph.add_constant(scaling.factor))
    if not scaling.unit_length:
        return centred
    smallest = 1e-12 * np.linalg.norm(to_numpy(scaling.mean) * to_numpy(scaling.factor))
    return graph.divide(centred, graph.reduce_columns("ReduceL2", centred), float(smallest))


def _add_normaliser(graph: Graph, X: str, step: Normalizer) -> str:
    return _add_normalisation(graph, X, step.norm)


def _add_normalisation(graph: Graph, X: str, norm: str) -> str:
    if norm == "max":
        return graph.divide(X, graph.reduce_columns("ReduceMax", graph.add_node("Abs", X)), NO_LENGTH)
    return graph.divide(X, graph.reduce_columns({"l1": "ReduceL1", "l2": "ReduceL2"}[norm], X), NO_LENGTH)


def _add_square_root(graph: Graph, X: str, step: SquareRoot) -> str:
    X = _add_normalisation(graph, X, "l1") if step.normalise else X
    return graph.add_node("Mul", graph.add_node("Sign", X), graph.add_node("Sqrt", graph.add_node("Abs", X)))


def _add_standardisation(graph: Graph, X: str, step: StandardScaler) -> str:
    X = graph.add_node("Sub", X, graph.add_constant(step.mean_)) if step.with_mean else X
    return graph.add_node("Div", X, graph.add_constant(step.scale_)) if step.with_std else X


def _add_pca(graph: Graph, X: str, step: PCA) -> str:
    projected = _add_projection(graph, X, step.mean_, step.components_.T)
    if not step.whiten:
        return projected
    spread = np.sqrt(step.explained_variance_)
    return graph.add_node("Div", projected, graph.add_constant(np.maximum(spread, np.finfo(spread.dtype).eps)))


def _add_svd(graph: Graph, X: str, step: TruncatedSVD) -> str:
    return graph.add_node("MatMul", X, graph.add_constant(step.components_.T))


def _add_whitening(graph: Graph, X: str, step: Whitening) -> str:
    return _add_projection(graph, X, step.mean_, step.matrix_)


def _add_logit(graph: Graph, X: str, step: Logit) -> str:
    shares = graph.add_node("Div", X, graph.add_constant(step.whole_))
    shares = graph.add_node("Clip", shares, graph.add_constant(0.0), graph.add_constant(1.0))
    present = graph.add_node("Add", shares, graph.add_constant(step.offset))
    absent = graph.add_node("Sub", graph.add_constant(1 + step.offset), shares)
    return graph.add_node("Sub", graph.add_node("Log", present), graph.add_node("Log", absent))


def _add_kernel_map(graph: Graph, X: str, step: KernelMap) -> str:
    psi = add_description_scaling(graph, step.scaling_, X)
    likeness = graph.add_node("MatMul", psi, graph.add_constant(step.landmarks_.T))
    if step.kernel == "rbf":
        # -|a - b|^2 / 2 = a b - |a|^2 / 2 - |b|^2 / 2
        halves = graph.add_node("Mul", graph.reduce_columns("ReduceSumSquare", psi), graph.add_constant(0.5))
        of_landmarks = graph.add_constant((step.landmarks_**2).sum(axis=1) / 2)
        likeness = graph.add_node("Sub", graph.add_node("Sub", likeness, halves), of_landmarks)
        likeness = graph.add_node("Exp", graph.add_node("Div", likeness, graph.add_constant(step.variance_)))
    return graph.add_node("MatMul", likeness, graph.add_constant(step.root_))


def _add_projection(graph: Graph, X: str, mean: Any, matrix: Any) -> str:
    return graph.add_node("MatMul", graph.add_node("Sub", X, graph.add_constant(mean)), graph.add_constant(matrix))


# Every step of `unseen.features.STEPS` is in one of these two. Subclasses are not: they may do something else.
WRITTEN: dict[type, Callable[[Graph, str, Any], str]] = {
    KernelMap: _add_kernel_map,
    Logit: _add_logit,
    Normalizer: _add_normaliser,
    PCA: _add_pca,
    SquareRoot: _add_square_root,
    StandardScaler: _add_standardisation,
    TruncatedSVD: _add_svd,
    UnitNorm: _add_normaliser,
    Whitening: _add_whitening,
}
NOT_WRITTEN: dict[type, str] = {
    SimplexCoder: "each code is the solution of a quadratic programme, which no fixed sequence of operators can find",
}
