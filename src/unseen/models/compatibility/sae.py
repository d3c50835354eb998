"""SAE (Kodirov, Xiang & Gong, CVPR 2017): the semantic autoencoder."""

from typing import ClassVar, Literal

from unseen.features import Rows
from unseen.models.base import SmallGrid
from unseen.models.compatibility.closed_form import ClosedForm
from unseen.models.compatibility.two_spectra import TwoSpectra
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.utils.arrays import Array, namespace
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_positive

Decision = Literal["to-features", "to-descriptions"]


class SAE(ClosedForm):
    """Map features to descriptions by W such that W^T maps them back.

    As in the paper, W minimises |X - S W|^2 + lam |X W^T - S|^2, where row i of S describes the class of row i of X. It
    solves Sylvester's equation S^T S W + lam W X^T X = (1 + lam) S^T X, and a class is chosen in one of two spaces:

    - "to-descriptions": W x is compared with the descriptions. The score is their product, which ranks candidates like
      the paper's cosine where descriptions have length 1, as `scaling="auto"` makes them.
    - "to-features": x is compared with W^T psi. The score is W x psi - |W^T psi|^2 / 2, which ranks candidates like
      the distance |x - W^T psi|.

    S^T S and X^T X are symmetric. In the bases of their eigenvectors the equation falls apart into single numbers, and
    all values of `lam` share the two decompositions. Where neither features nor descriptions vary, the equation leaves
    W open, and it is zero there. The paper does not say how features and descriptions are scaled.

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the way to the descriptions against the way back.
    decision : "to-features" (default) or "to-descriptions"
        Space in which candidates are compared with a row.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.

    Attributes
    ----------
    W_ : array of shape (d_s, d_t)
        Learned matrix; it has one more column, of offsets, if `fit` was given no class table.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = SAE().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _fitted = ("W_",)
    _solved_for = ("lam", "decision")
    default_grid: ClassVar[SmallGrid] = {
        "lam": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0],
        "decision": ["to-features", "to-descriptions"],
    }

    def __init__(
        self, lam: float = 1.0, *, decision: Decision = "to-features", scaling: Literal["auto"] | None = "auto"
    ) -> None:
        self.lam = lam
        self.decision = decision
        self.scaling = scaling

    def _check_parameters(self) -> None:
        check_positive(self.lam, "lam")
        check_choice(self.decision, ("to-features", "to-descriptions"), "decision")

    def _pose(self, phi: Rows, y: Array, psi: Array, weights: Array | None) -> TwoSpectra:
        rows = ClassStatistics.of(phi, y, psi.shape[0], weights)
        return TwoSpectra.of((psi * rows.counts[:, None]).T @ psi, psi.T @ rows.sums, rows.products)

    def _solve(self, problem: TwoSpectra) -> None:
        self.W_ = (1 + self.lam) * problem.solve_sylvester(1.0, self.lam)

    def _quadratic_form(self) -> tuple[Array, Array]:
        between = self.W_ @ self.W_.T
        backwards = self.decision == "to-features"
        return self.W_.T, -between / 2 if backwards else namespace(between).zeros_like(between)

    def _scores_against(self, psi: Array) -> tuple[Array, Array]:
        M, Q = self._quadratic_form()
        return M @ psi.T, namespace(psi).sum((psi @ Q) * psi, axis=1)
