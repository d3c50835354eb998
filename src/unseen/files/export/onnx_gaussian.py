"""Write the scores of Gaussian classes as ONNX operators."""

from unseen.files.export.onnx_graph import Graph
from unseen.models.densities.gaussian_jfa import GaussianJFA
from unseen.models.exemplars.description_regression import CONSTANT, SAME, DescriptionRegression
from unseen.utils.arrays import to_numpy


def add_gaussian_scores(graph: Graph, phi: str, psi: str, model: GaussianJFA) -> str:
    """Add the scores of scaled features against scaled descriptions; return their name.

    A candidate with the description of a seen class keeps the mean and the penalty that this class has, as in Python.
    """
    fitted = model.gaussians_
    products, distances = _compare(graph, psi, fitted.regression)
    nearest = graph.add_node("ArgMin", distances, axis=1, keepdims=0)
    limit = graph.add_constant(SAME * fitted.regression.kernel.spread)
    seen = graph.add_node("LessOrEqual", graph.reduce_columns("ReduceMin", distances), limit)
    own, penalties = (
        graph.add_node("Gather", graph.add_constant(values), nearest, axis=0)
        for values in (fitted.means, to_numpy(model.class_penalties_)[:, None])
    )
    means = graph.add_node("Where", seen, own, _predict(graph, products, distances, fitted.regression))
    weighted = graph.add_node("Div", means, graph.add_constant(1 + to_numpy(fitted.rho)))
    centred = graph.add_node("Sub", phi, graph.add_constant(fitted.centre))
    z = graph.add_node("MatMul", centred, graph.add_constant(fitted.axes))
    scores = graph.add_node("Gemm", z, weighted, transB=1)
    squares = graph.reduce_columns("ReduceSum", graph.add_node("Mul", means, weighted))
    lost = graph.add_node("Where", seen, penalties, graph.add_constant(0.0))
    offsets = graph.add_node("Add", graph.add_node("Mul", squares, graph.add_constant(0.5)), lost)
    return graph.add_node("Sub", scores, graph.reduce_columns("ReduceSum", offsets, keepdims=0))


def _compare(graph: Graph, psi: str, regression: DescriptionRegression) -> tuple[str, str]:
    """Add inner products and squared distances (m, C) of candidates and seen classes, centred."""
    centre = to_numpy(regression.kernel.centre)
    others = to_numpy(regression.psi) - centre
    centred = graph.add_node("Sub", psi, graph.add_constant(centre))
    products = graph.add_node("Gemm", centred, graph.add_constant(others), transB=1)
    squares = graph.add_node(
        "Add", graph.reduce_columns("ReduceSumSquare", centred), graph.add_constant((others**2).sum(axis=1))
    )
    distances = graph.add_node("Sub", squares, graph.add_node("Mul", products, graph.add_constant(2.0)))
    return products, graph.add_node("Max", distances, graph.add_constant(0.0))


def _predict(graph: Graph, products: str, distances: str, regression: DescriptionRegression) -> str:
    """Add the class means (m, k) that descriptions predict."""
    kernel = regression.kernel
    if kernel.name == "linear":
        likeness = graph.add_node("Div", products, graph.add_constant(kernel.spread / 2))
    else:
        likeness = graph.add_node("Div", distances, graph.add_constant(-2 * kernel.width * kernel.spread))
        likeness = graph.add_node("Exp", likeness)
    likeness = graph.add_node("Add", likeness, graph.add_constant(CONSTANT))
    return graph.add_node("MatMul", likeness, graph.add_constant(regression.alpha))
