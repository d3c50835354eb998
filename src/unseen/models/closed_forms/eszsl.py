"""ESZSL (Romera-Paredes & Torr, ICML 2015): zero-shot learning by ridge regression in closed form."""

from typing import ClassVar, Literal

from unseen.features import Rows
from unseen.models.base import SmallGrid
from unseen.models.closed_forms.closed_form import ClosedForm
from unseen.models.closed_forms.two_sided_ridge import DecomposedRidge, TwoSidedRidge
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.models.scoring import score_bilinear
from unseen.utils.arrays import Array, namespace
from unseen.utils.validation import check_positive


class ESZSL(ClosedForm):
    """Regress +1 / -1 class indicators on features and descriptions together, in closed form.

    V = (X^T X + gamma I)^-1 X^T Y S (S^T S + lam I)^-1, and the score of a pair is x^T V s.

    Parameters
    ----------
    gamma : float, default 1.0
        Strength of the regulariser on the features.
    lam : float, default 1.0
        Strength of the regulariser on the descriptions.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.

    Attributes
    ----------
    V_ : array of shape (d_t, d_s)
        Learned matrix; it has one more row, of offsets, if `fit` was given no class table.

    Notes
    -----
    As an ordinary classifier, without a class table, this is least squares on indicators, which misses a class that
    lies between two others. Like `sklearn.linear_model.RidgeClassifier` it reaches about 0.86 on iris, where logistic
    regression reaches 0.96. Give class descriptions, or use `BilinearSVM`.
    """

    _fitted = ("V_",)
    _solved_for = ("gamma", "lam")
    default_grid: ClassVar[SmallGrid] = {
        "gamma": [0.1, 1.0, 10.0, 100.0, 1000.0],
        "lam": [0.1, 1.0, 10.0, 100.0],
    }

    def __init__(self, gamma: float = 1.0, lam: float = 1.0, *, scaling: Literal["auto"] | None = "auto") -> None:
        self.gamma = gamma
        self.lam = lam
        self.scaling = scaling

    def _pose(self, phi: Rows, y: Array, psi: Array, weights: Array | None) -> TwoSidedRidge:
        return TwoSidedRidge.of(ClassStatistics.of(phi, y, psi.shape[0], weights), psi)

    def _share(self, problem: TwoSidedRidge) -> DecomposedRidge:
        return DecomposedRidge(problem)

    def _solve(self, problem: TwoSidedRidge | DecomposedRidge) -> None:
        self.V_ = problem.solve(self.gamma, self.lam)

    def _check_parameters(self) -> None:
        for name in ("gamma", "lam"):
            check_positive(getattr(self, name), name)

    def _quadratic_form(self) -> tuple[Array, Array]:
        return self.V_, namespace(self.V_).zeros_like(self.V_.T @ self.V_)

    def _scores_against(self, psi: Array) -> tuple[Array, Array]:
        return score_bilinear(self.V_, psi)
