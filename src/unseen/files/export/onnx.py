"""Export a model as an ONNX graph from features and class descriptions to scores."""

import os
from typing import Any

import numpy as np

from unseen.files.export.onnx_graph import Graph
from unseen.files.export.onnx_steps import add_description_scaling, add_preparation
from unseen.models.base import ZeroShotClassifier, core_of
from unseen.models.wrappers.calibrated import calibration_of
from unseen.models.wrappers.preparation import Preparation
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

    Parameters
    ----------
    model : estimator
        A fitted `JFA`, `DirectJFA`, `BilinearSVM`, `ESZSL`, `ALE`, `SJE` or a model of your own with a
        `_quadratic_form`, possibly inside `Prepared` (with any step but `SimplexCoder`) and `Calibrated`.
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
    core, preparation, calibration = core_of(model), Preparation.of(model), calibration_of(model)
    form = core._quadratic_form()
    if form is None:
        raise InputError(
            f"{type(core).__name__} cannot be written as ONNX, because its scores are not products of features and "
            "descriptions: choose JFA, BilinearSVM, ESZSL, ALE or SJE"
        )
    graph = Graph(onnx)
    phi, psi = graph.cast_to_double("features"), graph.cast_to_double("classes")
    for step in preparation.features:
        phi = add_preparation(graph, phi, step, "features")
    for step in preparation.descriptions:
        psi = add_preparation(graph, psi, step, "descriptions")
    phi = _scale_features(graph, core, phi)
    psi = add_description_scaling(graph, core._description_scaling, psi)
    scores = _add_scores(graph, phi, psi, *(to_numpy(part) for part in form))
    temperature = core._probability_temperature() if calibration is None else calibration.temperature_
    tempered = graph.add_node("Div", scores, graph.add_constant(temperature))
    outputs = {"scores": scores, "probabilities": graph.add_node("Softmax", tempered, axis=1)}
    made = graph.make_model(int(model.n_features_in_), int(model.table_.width), outputs, type(core).__name__)
    with create_file(path, force) as draft:
        draft.write_bytes(made.SerializeToString())


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
