"""SynC (Changpinyo, Chao, Gong & Sha, CVPR 2016): synthesized classifiers."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, Self

from unseen.data import ClassTable
from unseen.features import Rows
from unseen.learning import Smooth
from unseen.models.base import Classes, LinearForm, SmallGrid
from unseen.models.exemplars.integrated_gradients import integrate_gradients
from unseen.models.exemplars.phantom_classes import PhantomClasses
from unseen.models.exemplars.phantom_training import LOSS_NAMES, PhantomLoss, PhantomTrainer, SeenRows
from unseen.models.input_checks import warn_of_nothing
from unseen.models.recorded_fit import RecordedGrid
from unseen.models.weights import WeighsRows
from unseen.selection.grid import Point
from unseen.utils.arrays import Array, convert_like, namespace
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_flag, check_positive, check_whole_number


class SynC(WeighsRows):
    """Combine the classifier of a class from those of phantom classes nearby.

    Phantom classes b_r lie at the descriptions of the seen classes. The classifier of a class is w_c = sum_r s_cr v_r,
    with s_cr = exp(-kappa d(a_c, b_r)^2) normalised to sum 1, and its score is w_c^T x. The v_r minimise the loss on
    the seen classes plus lam/2 sum_c ||w_c||^2:

    - "ovo", one against the others: the mean over rows and classes of max(0, 1 - t_nc w_c^T x_n)^2 with t = 1 at the
      true class and -1 elsewhere;
    - "cs", Crammer-Singer: the mean over rows of max_c [1(c != y) + w_c^T x] - w_y^T x;
    - "struct": the same with d(a_c, a_y) in the place of 1. This is the authors' code; the paper has d^2.

    The fast version trains w_c of the seen classes alone and takes V = pinv(S) W. There are as many phantom classes as
    seen ones and S has full rank, so that both have the same minimum; only for a small kappa, where S is nearly
    singular, do they end at different points.

    As in the authors' code, distances are in units of the median distance between two seen classes. Unlike theirs,
    descriptions are centred before they are scaled to length 1 (`scaling="auto"`; with None they are taken as they
    are). Features are centred too, for which a constant feature makes up: the authors' are not, and their mean serves
    as the offset without which "ovo" does not work. The hinges of "cs" and "struct" are smoothed, by a soft maximum of
    temperature 0.1, because L-BFGS needs a gradient. It starts at 0 instead of at small random numbers: the problem is
    convex. Fewer phantom classes than seen ones, or learned ones, are not offered.

    Parameters
    ----------
    lam : float, default 2**-10
        Strength of the regulariser. The paper tries 2**-24 to 2**-9.
    kappa : float, default 1.0
        How fast the weights of the phantom classes fall off with the squared distance; 1 / sigma^2 in the paper.
    loss : "struct" (default), "ovo" or "cs"
    fast : bool, default False
        Whether to train the seen classes first, which a search does only once for all values of `kappa`.
    max_iter : int, default 200
        Largest number of steps of L-BFGS. The authors allow 1,000.
    tol : float, default 1e-4
        L-BFGS stops when three steps in a row each lower the objective by less than this share.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.

    Attributes
    ----------
    phantoms_ : PhantomClasses
        Where the phantom classes are.
    V_ : array of shape (n_seen, d_t)
        Their classifiers; with `scaling="auto"` the last column holds offsets.
    n_iter_ : int
        Steps of L-BFGS.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = SynC().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.5)
    True
    """

    _fitted = ("phantoms_", "V_", "n_iter_")
    default_grid: ClassVar[SmallGrid] = {
        "kappa": [0.25, 0.5, 1.0, 2.0],
        "lam": [2.0**-12, 2.0**-10, 2.0**-8],
    }

    def __init__(
        self,
        lam: float = 2.0**-10,
        kappa: float = 1.0,
        *,
        loss: PhantomLoss = "struct",
        fast: bool = False,
        max_iter: int = 200,
        tol: float = 1e-4,
        scaling: Literal["auto"] | None = "auto",
    ) -> None:
        self.lam = lam
        self.kappa = kappa
        self.loss = loss
        self.fast = fast
        self.max_iter = max_iter
        self.tol = tol
        self.scaling = scaling

    def fit_grid(
        self, X: Array, y: Any, classes: Classes, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[Self]:
        """Yield the model fitted at each point; see `unseen.selection.GridFitter`.

        The fast version is trained once for all values of `kappa`. Each training starts from the last one of the same
        loss, so that models agree with single ones as far as `tol` and `max_iter` let them.
        """
        shared = RecordedGrid(self, X, y, classes, sample_weight, before=("scaling",))
        for recorded, models in shared.at(points):
            trainer = PhantomTrainer(SeenRows(recorded.phi, recorded.y, recorded.psi, recorded.weights))
            for model in models:
                model._train(trainer)
                yield model

    def _fit_scaling(self, X: Array, seen: ClassTable, weights: Array | None, *, offsets: bool) -> None:
        super()._fit_scaling(X, seen, weights, offsets=True)

    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        self._train(PhantomTrainer(SeenRows(phi, y, psi, weights)))

    def _train(self, trainer: PhantomTrainer) -> None:
        for name in ("lam", "kappa", "tol"):
            check_positive(getattr(self, name), name)
        loss = check_choice(self.loss, LOSS_NAMES, "loss")
        solver = Smooth(check_whole_number(self.max_iter, "max_iter", minimum=1), self.tol)
        self.phantoms_ = PhantomClasses.at(trainer.rows.psi, self.kappa)
        fast = check_flag(self.fast, "fast")
        self.V_, solution = trainer.train(self.phantoms_, loss, self.lam, solver, fast=fast)
        self.n_iter_ = max(1, len(solution.history) - 1)
        warn_of_nothing(type(self).__name__, self._scores_against(trainer.rows.psi))

    def _scores_against(self, psi: Array) -> LinearForm:
        xp = namespace(psi)
        return (self.phantoms_.weigh(psi) @ self.V_).T, xp.zeros(psi.shape[0], dtype=psi.dtype, device=psi.device)

    def _contributions(self, phi: Array, psi: Array) -> Array:
        of_phantoms = convert_like(phi, psi) @ self.V_.T
        scores = namespace(psi).sum(of_phantoms * self.phantoms_.weigh(psi), axis=1)
        return integrate_gradients(
            lambda on_the_way: self.phantoms_.pull_back(on_the_way, of_phantoms), self.phantoms_.places, psi, scores
        )
