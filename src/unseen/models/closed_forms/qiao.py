"""Qiao, Liu, Shen & van den Hengel (CVPR 2016), "Less is more": descriptions with their noise suppressed."""

from typing import Any, ClassVar, Literal

from unseen.features import Rows
from unseen.models.base import SmallGrid
from unseen.models.closed_forms.closed_form import ClosedForm
from unseen.models.closed_forms.noise_suppression import NoiseSuppression
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.models.scoring import score_bilinear
from unseen.utils.arrays import Array, as_backend, namespace
from unseen.utils.validation import check_non_negative, check_positive, check_whole_number, make_random_stream


class Qiao(ClosedForm):
    """Regress class indicators on features and descriptions, with a penalty that switches off whole attributes.

    As in the paper, the score is x^T W_x^T W_z z, where W_x and W_z minimise

        |X^T W_x^T W_z Z - Y|^2 + lam1 |W_x^T W_z Z|^2 + lam2 |W_z^T|_{2,1}.

    Y is 1 at the true class and 0 elsewhere, and |W_z^T|_{2,1} adds up the lengths of the columns of W_z, one for each
    attribute or word. W_x starts from Gaussian numbers, with as many rows as there are seen classes. Then W_z, by
    reweighted Sylvester equations, and W_x, in closed form, are found in turn; the objective never increases.

    The objective does not say how large W_x is: c W_x and W_z / c fit the rows as well at a lower penalty, the larger
    c. So its least value is that without the penalty, rounds go there slowly, and each makes the penalty count for
    less. With as many rows of W_z as classes, W_x then gives seen classes the plain ridge regression on their
    indicators. So when to stop matters: `max_iter=1` ends with the first W_z, and W_x as it was drawn. We do not know
    when the authors stop; our rounds end with a W_z, and `max_iter` is selected with the rest.

    The paper describes classes by binary bags of words. Here `scaling="auto"` centres descriptions and makes their
    length 1, which suits attributes too. The smoothing of the lengths, 1e-8 of the mean square, is ours.

    Parameters
    ----------
    lam1 : float, default 1.0
        Strength of the regulariser on the classifiers W_x^T W_z Z.
    lam2 : float, default 1.0
        Strength of the penalty on attributes. Its size goes with that of W_x, whose entries have variance 1 at first.
    max_iter : int, default 10
        Maximum number of rounds, each of which finds W_z, and W_x before it except in the first.
    tol : float, default 1e-4
        Learning stops when a round lowers the objective by less than this share of it.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.
    random_state : int, RandomState or None
        Random seed for the start of W_x.

    Attributes
    ----------
    V_ : array of shape (d_t, d_s)
        W_x^T W_z; it has one more row, of offsets, if `fit` was given no class table.
    attribute_lengths_ : array of shape (d_s,)
        Length of each column of W_z: near zero for the attributes that are switched off.
    objective_ : list of float
        Value of the objective after each round.
    n_iter_ : int
        Number of rounds.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = Qiao(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _fitted = ("V_", "attribute_lengths_", "objective_", "n_iter_")
    _solved_for = ("lam1", "lam2", "max_iter", "tol", "random_state")
    default_grid: ClassVar[SmallGrid] = {
        "lam1": [0.1, 1.0, 10.0, 100.0],
        "lam2": [1.0, 10.0, 100.0],
        "max_iter": [1, 10],
    }

    def __init__(
        self,
        lam1: float = 1.0,
        lam2: float = 1.0,
        *,
        max_iter: int = 10,
        tol: float = 1e-4,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.lam1 = lam1
        self.lam2 = lam2
        self.max_iter = max_iter
        self.tol = tol
        self.scaling = scaling
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_positive(self.lam1, "lam1")
        check_positive(self.lam2, "lam2")
        check_whole_number(self.max_iter, "max_iter", 1)
        check_non_negative(self.tol, "tol")

    def _pose(self, phi: Rows, y: Array, psi: Array, weights: Array | None) -> tuple[ClassStatistics, Array]:
        return ClassStatistics.of(phi, y, psi.shape[0], weights), psi

    def _solve(self, problem: tuple[ClassStatistics, Array]) -> None:
        rows, psi = problem
        objective = NoiseSuppression.of(rows, psi, self.lam1, self.lam2)
        start = make_random_stream(self.random_state).standard_normal(tuple(rows.sums.shape))
        W_x = as_backend(start, psi)
        W_z, lengths, smoothing = objective.find_W_z(W_x, None, None)
        values = [objective.measure(W_x, W_z, lengths)]
        for _ in range(1, self.max_iter):
            W_x = objective.find_W_x(W_z)
            W_z, lengths, _ = objective.find_W_z(W_x, lengths, smoothing)
            values.append(objective.measure(W_x, W_z, lengths))
            if values[-2] - values[-1] <= self.tol * abs(values[-2]):
                break
        self.V_, self.attribute_lengths_ = W_x.T @ W_z, lengths
        self.objective_, self.n_iter_ = values, len(values)

    def _quadratic_form(self) -> tuple[Array, Array]:
        return self.V_, namespace(self.V_).zeros_like(self.V_.T @ self.V_)

    def _scores_against(self, psi: Array) -> tuple[Array, Array]:
        return score_bilinear(self.V_, psi)
