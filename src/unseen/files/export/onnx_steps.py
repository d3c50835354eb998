"""The steps of preparation in ONNX: what each adds to a graph, and which cannot be written."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from unseen.features import SimplexCoder, SquareRoot, UnitNorm, Whitening
from unseen.files.export.onnx_graph import Graph
from unseen.utils.errors import InputError

# Rows shorter than this are left as they are by scikit-learn's normalisation, in double precision.
NO_LENGTH = 10 * np.finfo(np.float64).eps


def prepared(graph: Graph, rows: str, step: Any, side: str) -> str:
    """Add a fitted preparation to a graph; return the name of the prepared rows.

    Parameters
    ----------
    graph : Graph
    rows : str
        The name of what is prepared, in double precision.
    step : transformer, Pipeline or None
        Fitted.
    side : str
        What is prepared, for the message: "features" or "descriptions".
    """
    if step == "passthrough":
        return rows
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            rows = prepared(graph, rows, inner, side)
        return rows
    kind = type(step)
    if kind not in WRITTEN:
        reason = NOT_WRITTEN.get(kind, "nothing tells which operators it is made of")
        raise InputError(
            f"{side} are prepared by {kind.__name__}, which cannot be written as ONNX, for {reason}: prepare the "
            f"{side} beforehand and fit on that"
        )
    return WRITTEN[kind](graph, rows, step)


def _normaliser(graph: Graph, X: str, step: Normalizer) -> str:
    return _normalised(graph, X, step.norm)


def _normalised(graph: Graph, X: str, norm: str) -> str:
    if norm == "max":
        return graph.divided(X, graph.over_columns("ReduceMax", graph.node("Abs", X)), NO_LENGTH)
    return graph.divided(X, graph.over_columns({"l1": "ReduceL1", "l2": "ReduceL2"}[norm], X), NO_LENGTH)


def _square_root(graph: Graph, X: str, step: SquareRoot) -> str:
    X = _normalised(graph, X, "l1") if step.normalise else X
    return graph.node("Mul", graph.node("Sign", X), graph.node("Sqrt", graph.node("Abs", X)))


def _standard(graph: Graph, X: str, step: StandardScaler) -> str:
    X = graph.node("Sub", X, graph.constant(step.mean_)) if step.with_mean else X
    return graph.node("Div", X, graph.constant(step.scale_)) if step.with_std else X


def _pca(graph: Graph, X: str, step: PCA) -> str:
    projected = _projected(graph, X, step.mean_, step.components_.T)
    if not step.whiten:
        return projected
    spread = np.sqrt(step.explained_variance_)
    return graph.node("Div", projected, graph.constant(np.maximum(spread, np.finfo(spread.dtype).eps)))


def _svd(graph: Graph, X: str, step: TruncatedSVD) -> str:
    return graph.node("MatMul", X, graph.constant(step.components_.T))


def _whitening(graph: Graph, X: str, step: Whitening) -> str:
    return _projected(graph, X, step.mean_, step.matrix_)


def _projected(graph: Graph, X: str, mean: Any, matrix: Any) -> str:
    return graph.node("MatMul", graph.node("Sub", X, graph.constant(mean)), graph.constant(matrix))


# Every step of `unseen.features.STEPS` is in one of these two; a class derived from one may do something else.
WRITTEN: dict[type, Callable[[Graph, str, Any], str]] = {
    Normalizer: _normaliser,
    PCA: _pca,
    SquareRoot: _square_root,
    StandardScaler: _standard,
    TruncatedSVD: _svd,
    UnitNorm: _normaliser,
    Whitening: _whitening,
}
NOT_WRITTEN: dict[type, str] = {
    SimplexCoder: "each code is the solution of a quadratic programme, which no fixed chain of operators finds",
}
