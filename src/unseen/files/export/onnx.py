"""Models for other programs: ONNX graphs with features and class descriptions in, scores out."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from unseen.features import DescriptionScaling, SquareRoot
from unseen.models.base import ZeroShotClassifier, core_of
from unseen.models.wrappers.calibrated import calibration_of
from unseen.models.wrappers.preparation import Preparation
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError
from unseen.utils.optional import optional_module
from unseen.utils.wrapping import is_transductive
from unseen.utils.writing import new_file, refuse_existing

OPSET, IR_VERSION = 18, 9


def export_onnx(model: Any, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a fitted model as an ONNX graph.

    Inputs are `features` (n, d) and `classes` (m, width), both float32: the candidates stay open. Outputs are `scores`
    (n, m) as `decision_function` gives them, and `probabilities` (n, m). All between is in double precision, for the
    offsets of classes nearly cancel.

    Parameters
    ----------
    model : estimator
        Fitted: `JFA`, `DirectJFA`, `BilinearSVM`, `ESZSL`, `ALE` or `SJE`, also inside `Prepared` (all steps but
        `SimplexCoder`) and `Calibrated`.
    path : path-like
        The file to write.
    force : bool, default False
        Whether a file that is there may be replaced.
    """
    refuse_existing(path, force)
    onnx = optional_module("onnx", "onnx", "writing ONNX")
    if is_transductive(model):
        raise InputError(
            f"model={model!r} answers whole batches, but an ONNX graph scores each row by itself: export the model "
            "inside it, model.inner"
        )
    core, preparation, calibration = core_of(model), Preparation.of(model), calibration_of(model)
    form = core._quadratic_form()
    if form is None:
        raise InputError(
            f"{type(core).__name__} cannot be written as ONNX, for its scores are no products of features and "
            "descriptions: choose JFA, BilinearSVM, ESZSL, ALE or SJE"
        )
    if preparation.descriptions:
        raise InputError(
            f"descriptions are prepared by {type(preparation.descriptions[0]).__name__}, which ONNX has no operators "
            "for: prepare the class table beforehand and fit on that"
        )
    graph = _Graph(onnx)
    rows = graph.double("features")
    for step in preparation.features:
        rows = _prepared(graph, rows, step)
    phi = _scaled_features(graph, core, rows)
    psi = _scaled_descriptions(graph, core._description_scaling, graph.double("classes"))
    scores = _scores(graph, phi, psi, *(to_numpy(part) for part in form))
    temperature = core._probability_temperature() if calibration is None else calibration.temperature_
    tempered = graph.node("Div", scores, graph.constant(temperature))
    outputs = {"scores": scores, "probabilities": graph.node("Softmax", tempered, axis=1)}
    made = graph.model(int(model.n_features_in_), int(model.table_.width), outputs, type(core).__name__)
    with new_file(path, force) as draft:
        draft.write_bytes(made.SerializeToString())


class _Graph:
    """Nodes and constants as they come, each with a name of its own."""

    def __init__(self, onnx: Any) -> None:
        self._onnx, self._nodes, self._constants = onnx, list[Any](), list[Any]()

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operation; return the name of its result."""
        name = f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def constant(self, value: Any, kind: type = np.float64) -> str:
        """Add a constant; return its name."""
        name = f"constant_{len(self._constants)}"
        array = np.ascontiguousarray(to_numpy(value), dtype=kind).reshape(np.shape(value))
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def double(self, name: str) -> str:
        """Bring an input to double precision."""
        return self.node("Cast", name, to=self._onnx.TensorProto.DOUBLE)

    def over_columns(self, operator: str, name: str, keepdims: int = 1) -> str:
        """Reduce each row to one number."""
        return self.node(operator, name, self.constant([1], np.int64), keepdims=keepdims)

    def model(self, width: int, n_attributes: int, outputs: dict[str, str], kind: str) -> Any:
        """Return the whole as a checked model."""
        helper, single = self._onnx.helper, self._onnx.TensorProto.FLOAT
        last = [helper.make_node("Cast", [name], [output], to=single) for output, name in outputs.items()]
        graph = helper.make_graph(
            [*self._nodes, *last],
            f"unseen {kind}",
            [
                helper.make_tensor_value_info("features", single, ["n", width]),
                helper.make_tensor_value_info("classes", single, ["m", n_attributes]),
            ],
            [helper.make_tensor_value_info(output, single, ["n", "m"]) for output in outputs],
            self._constants,
        )
        opsets = [helper.make_opsetid("", OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="unseen")
        self._onnx.checker.check_model(made)
        return made


def _scaled_features(graph: _Graph, model: ZeroShotClassifier, X: str) -> str:
    centred = graph.node("Sub", X, graph.constant(model._feature_scaling.mean))
    return graph.node("Mul", centred, graph.constant(model._feature_scaling.factor))


def _scaled_descriptions(graph: _Graph, scaling: DescriptionScaling, vectors: str) -> str:
    centred = graph.node("Sub", vectors, graph.constant(scaling.mean))
    centred = graph.node("Mul", centred, graph.constant(scaling.factor))
    if not scaling.unit_length:
        return centred
    smallest = 1e-12 * np.linalg.norm(to_numpy(scaling.mean) * to_numpy(scaling.factor))
    return _divided(graph, centred, graph.over_columns("ReduceL2", centred), float(smallest))


def _scores(graph: _Graph, phi: str, psi: str, M: Any, Q: Any) -> str:
    """Add phi M psi^T + psi Q psi^T."""
    turned = graph.node("Transpose", psi, perm=[1, 0])
    products = graph.node("MatMul", graph.node("MatMul", phi, graph.constant(M)), turned)
    if not np.any(Q):
        return products
    offsets = graph.node("Mul", graph.node("MatMul", psi, graph.constant(Q)), psi)
    return graph.node("Add", products, graph.over_columns("ReduceSum", offsets, keepdims=0))


def _divided(graph: _Graph, rows: str, lengths: str, smallest: float = 0.0) -> str:
    """Divide rows by their lengths; those of about no length stay as they are."""
    usable = graph.node("Greater", lengths, graph.constant(smallest))
    return graph.node("Div", rows, graph.node("Where", usable, lengths, graph.constant(1.0)))


def _prepared(graph: _Graph, X: str, step: Any) -> str:
    """Add a preparation of features."""
    if step is None or step == "passthrough":
        return X
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            X = _prepared(graph, X, inner)
        return X
    for kind, add in _STEPS.items():
        if isinstance(step, kind):
            return add(graph, X, step)
    raise InputError(f"features are prepared by {type(step).__name__}, which cannot be written as ONNX")


def _normaliser(graph: _Graph, X: str, step: Normalizer) -> str:
    return _normalised(graph, X, step.norm)


def _normalised(graph: _Graph, X: str, norm: str) -> str:
    if norm == "max":
        return _divided(graph, X, graph.over_columns("ReduceMax", graph.node("Abs", X)))
    return _divided(graph, X, graph.over_columns({"l1": "ReduceL1", "l2": "ReduceL2"}[norm], X))


def _square_root(graph: _Graph, X: str, step: SquareRoot) -> str:
    X = _normalised(graph, X, "l1") if step.normalise else X
    return graph.node("Mul", graph.node("Sign", X), graph.node("Sqrt", graph.node("Abs", X)))


def _standard(graph: _Graph, X: str, step: StandardScaler) -> str:
    X = graph.node("Sub", X, graph.constant(step.mean_)) if step.with_mean else X
    return graph.node("Div", X, graph.constant(step.scale_)) if step.with_std else X


def _pca(graph: _Graph, X: str, step: PCA) -> str:
    centred = graph.node("Sub", X, graph.constant(step.mean_))
    projected = graph.node("MatMul", centred, graph.constant(step.components_.T))
    if not step.whiten:
        return projected
    spread = np.sqrt(step.explained_variance_)
    return graph.node("Div", projected, graph.constant(np.maximum(spread, np.finfo(spread.dtype).eps)))


def _svd(graph: _Graph, X: str, step: TruncatedSVD) -> str:
    return graph.node("MatMul", X, graph.constant(step.components_.T))


_STEPS: dict[type, Callable[[_Graph, str, Any], str]] = {
    Normalizer: _normaliser,
    PCA: _pca,
    SquareRoot: _square_root,
    StandardScaler: _standard,
    TruncatedSVD: _svd,
}
