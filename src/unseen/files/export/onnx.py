"""Export a model as an ONNX graph from features and class descriptions to scores."""

import os
from functools import reduce
from typing import Any, cast

import numpy as np

from unseen.files.export.onnx_gaussian import add_gaussian_scores
from unseen.files.export.onnx_graph import Graph
from unseen.files.export.onnx_steps import add_description_scaling, add_preparation
from unseen.models.base import ZeroShotClassifier, core_of
from unseen.models.densities.gaussian_jfa import GaussianJFA
from unseen.models.wrappers.calibrated import calibration_of, seen_penalty_of
from unseen.models.wrappers.terms import Term, list_terms
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional
from unseen.utils.storage.writing import create_file, refuse_existing
from unseen.utils.wrapping import is_transductive


def export_onnx(model: Any, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a fitted model as an ONNX graph.

    The inputs are `features` (n, d) and `classes` (m, width), both float32, so that the candidates may change from call
    to call. The outputs are `scores` (n, m), as from `decision_function`, and `probabilities` (n, m). The computation
    is in double precision, because the offsets of classes nearly cancel.

    A `Calibrated` model with a penalty of seen classes has one more input, `seen` (m,), float32: 1 for every candidate
    that the model learned from and 0 for the others. Without it nothing is penalised, as among unseen classes alone.

    Parameters
    ----------
    model : estimator
        A fitted `JFA`, `GaussianJFA`, `DirectJFA`, `BilinearSVM`, `ESZSL`, `ALE`, `SJE` or a model of your own with a
        `_quadratic_form`, or a `Blend` of these, possibly inside `Prepared` (with any step but `SimplexCoder`) and
        `Calibrated`.
    path : path-like
        The file to write.
    force : bool, default False
        Whether to replace an existing file.
    """
    refuse_existing(path, force)
    onnx = import_optional("onnx", "onnx", "writing ONNX")
    if is_transductive(model):
        raise InputError(
            f"model={model!r} answers whole batches, but an ONNX graph scores each row by itself: export the model "
            "inside it, model.inner"
        )
    graph = Graph(onnx)
    parts = [_add_term(graph, term) for term in list_terms(model)]
    scores = reduce(lambda one, other: graph.add_node("Add", one, other), parts)
    core, calibration = core_of(model), calibration_of(model)
    inputs = {"features": ["n", int(model.n_features_in_)], "classes": ["m", int(model.table_.width)]}
    if penalty := seen_penalty_of(model):
        scores = _subtract_penalty(graph, scores, penalty)
        inputs["seen"] = ["k"]
    temperature = core._probability_temperature() if calibration is None else calibration.temperature_
    tempered = graph.add_node("Div", scores, graph.add_constant(temperature))
    outputs = {"scores": scores, "probabilities": graph.add_node("Softmax", tempered, axis=1)}
    made = graph.make_model(inputs, outputs, type(core).__name__)
    with create_file(path, force) as draft:
        draft.write_bytes(made.SerializeToString())


def _add_term(graph: Graph, term: Term) -> str:
    """Add the score of one model, multiplied by its factor."""
    core, preparation, form = term.core, term.preparation, term.core._quadratic_form()
    if form is None and type(core) is not GaussianJFA:  # subclasses may do something else
        raise InputError(
            f"{type(core).__name__} cannot be written as ONNX, because its scores are not products of features and "
            "descriptions: choose JFA, GaussianJFA, BilinearSVM, ESZSL, ALE or SJE, or a Blend of these"
        )
    phi, psi = graph.cast_to_double("features"), graph.cast_to_double("classes")
    for step in preparation.features:
        phi = add_preparation(graph, phi, step, "features")
    for step in preparation.descriptions:
        psi = add_preparation(graph, psi, step, "descriptions")
    phi = _scale_features(graph, core, phi)
    psi = add_description_scaling(graph, core._description_scaling, psi)
    if form is not None:
        return _add_scores(graph, phi, psi, *(term.factor * to_numpy(part) for part in form))
    scores = add_gaussian_scores(graph, phi, psi, cast(GaussianJFA, core))
    return graph.add_node("Mul", scores, graph.add_constant(term.factor))


def _subtract_penalty(graph: Graph, scores: str, penalty: float) -> str:
    """Subtract the penalty from the candidates for which the input `seen` is 1, unless it is the same for all."""
    seen = graph.cast_to_double(graph.add_optional_input("seen", [0.0]))
    largest, smallest = (graph.add_node(operator, seen, keepdims=1) for operator in ("ReduceMax", "ReduceMin"))
    mixed = graph.add_node("Mul", graph.add_node("Sub", largest, smallest), graph.add_constant(penalty))
    return graph.add_node("Sub", scores, graph.add_node("Mul", seen, mixed))


def _scale_features(graph: Graph, model: ZeroShotClassifier, X: str) -> str:
    scaling = model._feature_scaling
    centred = graph.add_node("Sub", X, graph.add_constant(scaling.mean))
    phi = graph.add_node("Mul", centred, graph.add_constant(scaling.factor))
    if not scaling.constant:
        return phi
    return graph.add_node("Pad", phi, graph.add_constant([0, 0, 0, 1], np.int64), graph.add_constant(1.0))


def _add_scores(graph: Graph, phi: str, psi: str, M: Any, Q: Any) -> str:
    """Add the scores phi M psi^T + psi Q psi^T to the graph."""
    # One Gemm: onnxruntime up to 1.25 fuses Transpose and MatMul into an operation that it has for float32 only.
    products = graph.add_node("Gemm", graph.add_node("MatMul", phi, graph.add_constant(M)), psi, transB=1)
    if not np.any(Q):
        return products
    offsets = graph.add_node("Mul", graph.add_node("MatMul", psi, graph.add_constant(Q)), psi)
    return graph.add_node("Add", products, graph.reduce_columns("ReduceSum", offsets, keepdims=0))
