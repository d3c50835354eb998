"""Write the preparation steps as ONNX operators, and name those that cannot be written."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from unseen.features import SimplexCoder, SquareRoot, UnitNorm, Whitening
from unseen.files.export.onnx_graph import Graph
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


def _add_projection(graph: Graph, X: str, mean: Any, matrix: Any) -> str:
    return graph.add_node("MatMul", graph.add_node("Sub", X, graph.add_constant(mean)), graph.add_constant(matrix))


# Every step of `unseen.features.STEPS` is in one of these two. Subclasses are not: they may do something else.
WRITTEN: dict[type, Callable[[Graph, str, Any], str]] = {
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
