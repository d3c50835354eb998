"""Write the score of a model as data: rows of numbers for pictures, and how descriptions become columns of scores.

The score of picture i and class c is the sum, over the terms of a model, of rows_i . E(psi_c) + b(psi_c), where psi_c
is the description after the operations of the term. E and b are those of a quadratic form (JFA, bilinear models, ESZSL,
ALE, SJE) or of Gaussian classes (GaussianJFA).
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from unseen.models import JFA
from unseen.models.densities.gaussian_jfa import GaussianJFA
from unseen.models.exemplars.description_regression import CONSTANT, SAME
from unseen.models.wrappers.terms import Term, list_terms
from unseen.studio.numbers import write_array
from unseen.studio.steps import (
    NotWritten,
    Operation,
    write_description_scaling,
    write_feature_scaling,
    write_steps,
)
from unseen.utils.arrays import cut_row_blocks, to_numpy
from unseen.utils.wrapping import is_transductive

# Rows are kept in the narrower of two spaces, unless the saving is small: that of descriptions is simpler.
NARROWER = 0.75


@dataclass(frozen=True, eq=False)
class WrittenTerm:
    """One term of the score, as a page takes it.

    Attributes
    ----------
    operations : list
        What is done to a description.
    head : dict
        How a prepared description becomes E and b.
    feature_operations : list
        What is done to a row of features, after which `project` makes a row of the page of it.
    project : ndarray of shape (width, k) or None
    says : dict or None
        How a picture displaces a description, if the model displaces any.
    """

    operations: list[Operation]
    head: dict[str, Any]
    feature_operations: list[Operation]
    project: NDArray[Any] | None
    says: dict[str, Any] | None
    _term: Term
    _centre: NDArray[Any] | None = None

    def find_rows(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return the rows (n, k) of the page for rows of features (n, d)."""
        if not len(X):
            return np.zeros((0, self.width))
        blocks = [self._find_block(X[rows]) for rows in cut_row_blocks(len(X), 16 * X.shape[1])]
        return np.concatenate(blocks)

    @property
    def width(self) -> int:
        """Number of numbers that a row of the page has."""
        return self._term.core._feature_scaling.width if self.project is None else int(self.project.shape[1])

    def _find_block(self, X: NDArray[Any]) -> NDArray[np.float64]:
        # In double precision: the page is to agree with the model beyond single precision.
        prepared = self._term.preparation.prepare_rows(np.asarray(X, dtype=np.float64))
        phi = to_numpy(self._term.core._feature_scaling.apply(prepared))
        phi = phi if self._centre is None else phi - self._centre
        return np.asarray(phi if self.project is None else phi @ self.project, dtype=np.float64)


def write_terms(model: Any) -> list[WrittenTerm]:
    """Return the terms of the score of a fitted model, or raise `NotWritten` if a page cannot compute it."""
    if is_transductive(model):
        raise NotWritten("it answers all rows together")
    return [_write_term(term) for term in list_terms(model)]


def _write_term(term: Term) -> WrittenTerm:
    core = term.core
    form = core._quadratic_form()
    operations = [
        *write_steps(term.preparation.descriptions),
        *write_description_scaling(core._description_scaling),
    ]
    features = [*write_steps(term.preparation.features), *write_feature_scaling(core._feature_scaling)]
    plain = not term.preparation.descriptions
    if form is not None:
        M, Q = to_numpy(form[0]), to_numpy(form[1])
        return _write_quadratic(term, operations, features, M, Q, plain)
    if type(core) is GaussianJFA:  # subclasses may do something else
        return _write_gaussian(term, operations, features, plain)
    raise NotWritten(f"the scores of {type(core).__name__} are not products of features and descriptions")


def _write_quadratic(
    term: Term,
    operations: list[Operation],
    features: list[Operation],
    M: NDArray[Any],
    Q: NDArray[Any],
    plain: bool,
) -> WrittenTerm:
    keeps_features = M.shape[0] < NARROWER * M.shape[1]
    head = {
        "kind": "quadratic",
        "factor": term.factor,
        "M": write_array(M) if keeps_features else None,
        "Q": write_array(Q) if Q.any() else None,
    }
    says = {"kind": "displaced", "cost": float(term.core.omega_.w2)} if plain and type(term.core) is JFA else None
    return WrittenTerm(operations, head, features, None if keeps_features else M, says, term)


def _write_gaussian(term: Term, operations: list[Operation], features: list[Operation], plain: bool) -> WrittenTerm:
    model = cast(GaussianJFA, term.core)
    fitted = model.gaussians_
    regression, rho = fitted.regression, to_numpy(fitted.rho)
    kernel, centre = regression.kernel, to_numpy(fitted.centre)
    head = {
        "kind": "gaussian",
        "factor": term.factor,
        "kernel": kernel.name,
        "centre": write_array(to_numpy(kernel.centre)),
        "others": write_array(to_numpy(regression.psi) - to_numpy(kernel.centre)),
        "spread": float(kernel.spread),
        "width": float(kernel.width),
        "constant": CONSTANT,
        "same": SAME * float(kernel.spread),
        "alpha": write_array(to_numpy(regression.alpha)),
        "means": write_array(to_numpy(fitted.means)),
        "penalties": write_array(to_numpy(model.class_penalties_)),
        "weights": write_array(1 / (1 + rho)),
    }
    features = [*features, {"op": "shift", "by": write_array(centre)}]
    axes = to_numpy(fitted.axes)
    says = None
    if plain:
        inverse = to_numpy(regression.find_inverse(fitted.rho))
        says = {"kind": "regressed", "share": write_array(rho / (1 + rho)), "inverse": write_array(inverse)}
    return WrittenTerm(operations, head, features, axes, says, term, centre)
