"""SAE (Kodirov, Xiang & Gong, CVPR 2017): the semantic autoencoder."""

from typing import ClassVar, Literal

from unseen.features import Rows
from unseen.models.base import SmallGrid
from unseen.models.closed_forms.closed_form import ClosedForm
from unseen.models.closed_forms.two_spectra import TwoSpectra
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.utils.arrays import Array, convert_like, namespace
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_positive

Decision = Literal["to-features", "to-descriptions"]
Distance = Literal["cosine", "euclidean"]


class SAE(ClosedForm):
    """Map features to descriptions by W such that W^T maps them back.

    As in the paper, W minimises |X - S W|^2 + lam |X W^T - S|^2, where row i of S describes the class of row i of X. It
    solves Sylvester's equation S^T S W + lam W X^T X = (1 + lam) S^T X, and a class is chosen in one of two spaces:

    - "to-descriptions": W x is compared with the descriptions psi.
    - "to-features": x is compared with W^T psi.

    With `distance="cosine"` the score is x^T W^T psi, divided by the length of psi or of W^T psi: this ranks candidates
    like the cosine. With "euclidean", half its square is subtracted instead: this ranks them like the distance. Which
    one the authors take we have not checked. With `scaling="auto"` descriptions have length 1, so that both rank alike
    among them. In the space of the features the distance fails where lam is large, for W^T psi is then too long.

    S^T S and X^T X are symmetric. In the bases of their eigenvectors the equation falls apart into single numbers, and
    all values of `lam` share the two decompositions. Where neither features nor descriptions vary, the equation leaves
    W open, and it is zero there. How the authors scale features and descriptions we have not checked.

    Parameters
    ----------
    lam : float, default 1.0
        Weight of the way to the descriptions against the way back.
    decision : "to-features" (default) or "to-descriptions"
        Space in which candidates are compared with a row.
    distance : "cosine" (default) or "euclidean"
        How they are compared. Models with "euclidean" can be exported.
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
    _solved_for = ("lam", "decision", "distance")
    default_grid: ClassVar[SmallGrid] = {
        "lam": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0],
        "decision": ["to-features", "to-descriptions"],
    }

    def __init__(
        self,
        lam: float = 1.0,
        *,
        decision: Decision = "to-features",
        distance: Distance = "cosine",
        scaling: Literal["auto"] | None = "auto",
    ) -> None:
        self.lam = lam
        self.decision = decision
        self.distance = distance
        self.scaling = scaling

    def _check_parameters(self) -> None:
        check_positive(self.lam, "lam")
        check_choice(self.decision, ("to-features", "to-descriptions"), "decision")
        check_choice(self.distance, ("cosine", "euclidean"), "distance")

    def _pose(self, phi: Rows, y: Array, psi: Array, weights: Array | None) -> TwoSpectra:
        rows = ClassStatistics.of(phi, y, psi.shape[0], weights)
        return TwoSpectra.of((psi * rows.counts[:, None]).T @ psi, psi.T @ rows.sums, rows.products)

    def _solve(self, problem: TwoSpectra) -> None:
        self.W_ = (1 + self.lam) * problem.solve_sylvester(1.0, self.lam)

    def _quadratic_form(self) -> tuple[Array, Array] | None:
        if self.distance == "cosine":
            return None
        xp, width = namespace(self.W_), self.W_.shape[0]
        identity = xp.eye(width, dtype=self.W_.dtype, device=self.W_.device)
        return self.W_.T, -(self.W_ @ self.W_.T if self.decision == "to-features" else identity) / 2

    def _scores_against(self, psi: Array) -> tuple[Array, Array]:
        E, squares = self.W_.T @ psi.T, self._measure_squares(psi)
        if self.distance == "cosine":
            return E / _root(squares)[None, :], namespace(psi).zeros_like(squares)
        return E, -squares / 2

    def _contributions(self, phi: Array, psi: Array) -> Array:
        if self.distance == "euclidean":
            return super()._contributions(phi, psi)
        parts = (convert_like(phi, psi) @ convert_like(self.W_, psi).T) * psi
        return parts / _root(self._measure_squares(psi))[:, None]

    def _measure_squares(self, psi: Array) -> Array:
        """Return the squared length of what a row is compared with, for each candidate psi (m, d_s)."""
        compared = psi @ convert_like(self.W_, psi) if self.decision == "to-features" else psi
        return namespace(psi).sum(compared * compared, axis=1)


def _root(squares: Array) -> Array:
    """Return lengths to divide by, 1 where they are 0."""
    xp = namespace(squares)
    return xp.sqrt(xp.where(squares > 0, squares, xp.ones_like(squares)))
