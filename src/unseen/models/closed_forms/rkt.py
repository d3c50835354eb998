"""RKT (Wang, Li, Lin & Zhuang, AAAI 2016): relational knowledge transfer."""

import math
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from unseen.data.candidates import make_candidate_table
from unseen.features import Rows
from unseen.models.base import Classes, SmallGrid
from unseen.models.closed_forms.closed_form import ClosedForm
from unseen.models.closed_forms.sparse_codes import compute_sparse_codes
from unseen.models.closed_forms.two_sided_ridge import TwoSidedRidge, solve_ridge
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.models.exemplars.description_regression import DescriptionKernel
from unseen.utils.arrays import Array, as_backend, convert_like, cut_row_blocks, namespace, to_numpy, unit_rows
from unseen.utils.validation import check_non_negative, check_positive, check_whole_number, make_random_stream


class RKT(ClosedForm):
    """ESZSL whose covariance of the features also counts virtual rows of the unseen classes.

    As in the authors' code, the description of an unseen class u is written as a sparse combination of those of the
    seen classes, of either sign: alpha_u minimises 1/2 |K alpha - k_u|^2 + sparsity |alpha|_1, with products of
    descriptions in K and k_u. Its virtual rows combine the means of the seen classes, with noise, in the same way:
    x_u = sum_c alpha_uc (mu_c + noise eps_c). They enter the covariance only:

        V = (X_all^T X_all + gamma I)^-1 X^T Y S (S^T S + lam I)^-1

    The score of a candidate is x^T V s / |s|, which ranks candidates like the cosine of V^T x and s.

    Theirs is given the unseen classes when it learns, ours when it predicts. So `fit` keeps X^T X, the class means and
    the other factors, and V is found for each set of candidates: scores of a candidate depend on which others there
    are. A candidate whose description is that of a seen class, up to rounding, gets no virtual rows; without any, this
    is ESZSL. The order of candidates changes nothing, because noise is drawn for them in the order of their
    descriptions. Noise is drawn once for each virtual row, with deviation noise |alpha_u|, which has the same
    distribution as the sum over seen classes and is much less to draw.

    What we do not know: the units of their features. Here `noise` is in units of the root mean square of a feature.
    They scale descriptions to [0, 1] and add word vectors; here `scaling="auto"` centres descriptions and makes their
    length 1, and what they hold is up to the table.

    Parameters
    ----------
    gamma : float, default 1.0
        Strength of the regulariser on the features.
    lam : float, default 1.0
        Strength of the regulariser on the descriptions.
    sparsity : float, default 0.05
        Weight of |alpha|_1; theirs is 0.05 on CUB and 0.5 on AwA.
    n_virtual : int, default 100
        Virtual rows for each unseen class; theirs are 100 on CUB and 1500 on AwA.
    noise : float, default 0.1
        Standard deviation of what is added to each seen class mean.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.
    random_state : int, RandomState or None
        Random seed for the noise.

    Attributes
    ----------
    covariance_ : array of shape (d_t, d_t)
        X^T X.
    right_ : array of shape (d_t, d_s)
        X^T Y S (S^T S + lam I)^-1.
    means_ : array of shape (n_seen, d_t)
        Mean features of the seen classes.
    psi_ : array of shape (n_seen, d_s)
        Their descriptions, in scaled units.
    seed_ : int
        Seed of the noise.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = RKT(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _fitted = ("covariance_", "right_", "means_", "psi_", "seed_", "_unit")
    _solved_for = ("gamma", "lam", "sparsity", "n_virtual", "noise", "random_state")
    default_grid: ClassVar[SmallGrid] = {
        "gamma": [0.1, 1.0, 10.0, 100.0, 1000.0],
        "lam": [0.1, 1.0, 10.0, 100.0],
        "sparsity": [0.05, 0.5],
    }

    def __init__(
        self,
        gamma: float = 1.0,
        lam: float = 1.0,
        *,
        sparsity: float = 0.05,
        n_virtual: int = 100,
        noise: float = 0.1,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.lam = lam
        self.sparsity = sparsity
        self.n_virtual = n_virtual
        self.noise = noise
        self.scaling = scaling
        self.random_state = random_state

    def _check_parameters(self) -> None:
        for name in ("gamma", "lam", "sparsity"):
            check_positive(getattr(self, name), name)
        check_whole_number(self.n_virtual, "n_virtual", 0)
        check_non_negative(self.noise, "noise")

    def _pose(
        self, phi: Rows, y: Array, psi: Array, weights: Array | None
    ) -> tuple[ClassStatistics, TwoSidedRidge, Array]:
        statistics = ClassStatistics.of(phi, y, psi.shape[0], weights)
        return statistics, TwoSidedRidge.of(statistics, psi), psi

    def _solve(self, problem: tuple[ClassStatistics, TwoSidedRidge, Array]) -> None:
        statistics, ridge, self.psi_ = problem
        self.covariance_, self.right_, self.means_ = ridge.A, ridge.solve_right(self.lam), statistics.means
        xp = namespace(self.psi_)
        squares = xp.linalg.trace(ridge.A) / xp.sum(statistics.counts)
        self._unit = math.sqrt(float(squares) / ridge.A.shape[0])
        self.seed_ = int(make_random_stream(self.random_state).randint(2**31))

    def _scores_against(self, psi: Array) -> tuple[Array, Array]:
        zeros = namespace(psi).zeros(psi.shape[0], dtype=psi.dtype, device=psi.device)
        return self._find_matrix(psi) @ unit_rows(psi).T, zeros

    def contributions(self, X: Array, y: Any, classes: Classes = None) -> Array:
        """Decompose the score of every row for a class, among all candidates, into contributions of the attributes.

        See `unseen.models.ZeroShotClassifier`.
        """
        phi, psi, _ = self._prepare_pairs(X, y, classes)
        table = self.table_ if classes is None else make_candidate_table(classes, self.table_)
        V = self._find_matrix(self._scale_descriptions(table, self.psi_))
        return (convert_like(phi, psi) @ convert_like(V, psi)) * unit_rows(psi)

    def _find_matrix(self, psi: Array) -> Array:
        """Return V (d_t, d_s) for the candidates psi (m, d_s)."""
        _, seen = DescriptionKernel.fit("linear", 1.0, self.psi_).find(psi, self.psi_)
        unseen = to_numpy(psi)[~to_numpy(seen)]
        covariance = self.covariance_
        if len(unseen):
            covariance = covariance + as_backend(self._multiply_virtual_rows(_put_in_order(unseen)), covariance)
        return solve_ridge(covariance, self.right_, self.gamma)

    def _multiply_virtual_rows(self, unseen: NDArray[np.float64]) -> NDArray[np.float64]:
        """Draw the virtual rows of unseen classes (u, d_s), and return the sum of x x^T over them."""
        codes = compute_sparse_codes(unseen, to_numpy(self.psi_), self.sparsity)
        centres = codes @ to_numpy(self.means_)
        deviations = self.noise * self._unit * np.linalg.norm(codes, axis=1)
        stream = make_random_stream(self.seed_)
        width = centres.shape[1]
        products = np.zeros((width, width))
        for some in cut_row_blocks(len(codes), 8 * width * max(1, self.n_virtual)):
            noise = stream.standard_normal((len(codes[some]), self.n_virtual, width))
            rows = (centres[some, None] + deviations[some, None, None] * noise).reshape(-1, width)
            products += rows.T @ rows
        return products


def _put_in_order(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sort rows by their first numbers that differ by more than rounding."""
    return vectors[np.lexsort(np.round(vectors, 9).T[::-1])]
