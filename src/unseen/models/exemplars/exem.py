"""EXEM (Changpinyo, Chao & Sha, ICCV 2017): predict visual exemplars of unseen classes."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal, Self, TypeAlias

from unseen.data import ClassTable
from unseen.features import Rows
from unseen.learning import Smooth
from unseen.models.base import Classes, LinearForm, SmallGrid
from unseen.models.exemplars.exemplar_regression import ExemplarRegression, Exemplars
from unseen.models.exemplars.integrated_gradients import integrate_gradients
from unseen.models.exemplars.phantom_classes import PhantomClasses
from unseen.models.exemplars.phantom_training import LOSS_NAMES, PhantomLoss, PhantomTrainer, SeenRows
from unseen.models.recorded_fit import RecordedGrid
from unseen.models.weights import WeighsRows
from unseen.selection.grid import Point
from unseen.utils.arrays import Array, convert_like, namespace
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_positive

Decision: TypeAlias = Literal["1nn", "1nns", "sync"]

# How far SynC is trained; `unseen.models.SynC` has the same defaults.
SOLVER = Smooth(max_iter=200, tol=1e-4)

# No dimension counts more than if its deviation were this share of the largest.
LEAST_DEVIATION = 1e-6


class EXEM(WeighsRows):
    """Predict the mean features of a class from its description, and find the nearest.

    The exemplar of a class is the mean of its rows. Each of its dimensions is predicted by a nu-SVR of its own on the
    kernel exp(-gamma d^2) of descriptions. All candidates have predicted exemplars, seen ones too. What is decided by:

    - "1nn": the nearest exemplar by the Euclidean distance;
    - "1nns": the same after each dimension is divided by the deviation of the rows of a class, on average over classes;
    - "sync": SynC, with exemplars in the place of descriptions (EXEM(SynC) in the paper).

    The paper first reduces features to 500 or 1,000 principal components, for which there is
    ``Prepared(EXEM(), features=PCA(500))``. Ours are: descriptions are centred before they are scaled to length 1
    (`scaling="auto"`); distances are in units of the median one between seen classes, as in the authors' SynC; the
    exemplars are brought to deviation 1 in each dimension before the regression, so that `C` means the same for all
    features. "sync" uses the fast version of SynC, and the margins of its loss "struct" are distances between
    descriptions, so that a search trains it once for all regressions. The paper's choice by AUSUC and its bias against
    seen classes are not here: see `unseen.models.Calibrated`.

    Regressions use scikit-learn on the few numbers of class means; the rows themselves stay in their library.

    Parameters
    ----------
    C : float, default 8.0
        Weight of the errors against the regulariser of the regressions. The authors try 2**-5 to 2**5.
    nu : float in (0, 1], default 0.5
        Share of the classes that may lie outside the tube of the regression. The authors try 2**-8 to 1.
    gamma : float, default 0.25
        Inverse squared width of the kernel. The authors try 2**-4 to 2**4.
    decision : "1nn" (default), "1nns" or "sync"
    tol : float, default 0.001
        How exactly the regressions are solved; the default is libsvm's.
    lam, kappa, loss
        For "sync", as in `unseen.models.SynC`.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.

    Attributes
    ----------
    regression_ : ExemplarRegression
        From descriptions to exemplars.
    deviations_ : array of shape (d_t,)
        What each dimension is divided by; ones, except for "1nns".
    phantoms_ : PhantomClasses or None
    V_ : array of shape (n_seen, d_t) or None
        For "sync", as in `unseen.models.SynC`.
    n_iter_ : int
        Largest number of iterations of any regression.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = EXEM().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _has_offsets = True
    _fitted = ("regression_", "deviations_", "phantoms_", "V_", "n_iter_")
    default_grid: ClassVar[SmallGrid] = {"C": [2.0, 8.0], "nu": [0.25, 0.5, 1.0], "gamma": [0.25, 1.0]}

    def __init__(
        self,
        C: float = 8.0,
        nu: float = 0.5,
        gamma: float = 0.25,
        *,
        decision: Decision = "1nn",
        tol: float = 1e-3,
        lam: float = 2.0**-10,
        kappa: float = 1.0,
        loss: PhantomLoss = "struct",
        scaling: Literal["auto"] | None = "auto",
    ) -> None:
        self.C = C
        self.nu = nu
        self.gamma = gamma
        self.decision = decision
        self.tol = tol
        self.lam = lam
        self.kappa = kappa
        self.loss = loss
        self.scaling = scaling

    def fit_grid(
        self, X: Array, y: Any, classes: Classes, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[Self]:
        """Yield the model fitted at each point; see `unseen.selection.GridFitter`.

        Exemplars are averaged once, each regression is fitted once for all parameters of SynC, and SynC is trained
        once for all regressions.
        """
        shared = RecordedGrid(self, X, y, classes, sample_weight, before=("decision", "scaling"))
        for recorded, models in shared.at(points):
            trainer = _Trainer(SeenRows(recorded.phi, recorded.y, recorded.psi, recorded.weights))
            for model in models:
                model._train(trainer)
                yield model

    def _fit_scaling(self, X: Array, seen: ClassTable, weights: Array | None, *, offsets: bool) -> None:
        super()._fit_scaling(X, seen, weights, offsets=self._uses_sync())

    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        self._train(_Trainer(SeenRows(phi, y, psi, weights)))

    def _train(self, trainer: "_Trainer") -> None:
        self._check_parameters()
        self.regression_, self.n_iter_ = trainer.regress(self.gamma, self.C, self.nu, self.tol)
        self.deviations_ = trainer.find_deviations(apply=self.decision == "1nns")
        self.phantoms_: PhantomClasses | None = None
        self.V_: Array = None
        if self._uses_sync():
            self.phantoms_ = PhantomClasses.at(self.regression_.predict(trainer.rows.psi), self.kappa)
            self.V_, _ = trainer.of_phantoms.train(self.phantoms_, self.loss, self.lam, SOLVER, fast=True)

    def _uses_sync(self) -> bool:
        return check_choice(self.decision, ("1nn", "1nns", "sync"), "decision") == "sync"

    def _check_parameters(self) -> None:
        for name in ("C", "nu", "gamma", "tol", "lam", "kappa"):
            check_positive(getattr(self, name), name)
        if self.nu > 1:
            raise InputError(f"nu={self.nu!r} is not a share: give a number above 0 and at most 1")
        check_choice(self.loss, LOSS_NAMES, "loss")

    def _scores_against(self, psi: Array) -> LinearForm:
        xp, exemplars = namespace(psi), self.regression_.predict(psi)
        if self.phantoms_ is not None:
            zeros = xp.zeros(psi.shape[0], dtype=psi.dtype, device=psi.device)
            return (self.phantoms_.weigh(exemplars) @ self.V_).T, zeros
        # -1/2 of the squared distance, without |phi|^2, which is the same for all classes.
        weighted = exemplars / self.deviations_[None, :] ** 2
        return weighted.T, -xp.sum(exemplars * weighted, axis=1) / 2

    def _contributions(self, phi: Array, psi: Array) -> Array:
        phi, regression = convert_like(phi, psi), self.regression_
        E, b = self._scores_against(psi)
        scores = namespace(psi).sum(phi * E.T, axis=1) + b
        return integrate_gradients(
            lambda at: regression.pull_back(at, self._pull_back(phi, regression.predict(at))),
            regression.psi,
            psi,
            scores,
        )

    def _pull_back(self, phi: Array, exemplars: Array) -> Array:
        """Return the gradient (n, d) of the score of each row by the exemplar of its class."""
        if self.phantoms_ is not None:
            return self.phantoms_.pull_back(exemplars, phi @ self.V_.T)
        return (phi - exemplars) / self.deviations_[None, :] ** 2


class _Trainer:
    """What the points of a grid share."""

    def __init__(self, rows: SeenRows) -> None:
        self.rows = rows
        self.exemplars = Exemplars.of(rows.phi, rows.y, int(rows.psi.shape[0]), rows.weights)
        self.of_phantoms = PhantomTrainer(rows)
        self.regress = lru_cache(maxsize=None)(self._regress)

    def _regress(self, gamma: float, C: float, nu: float, tol: float) -> tuple[ExemplarRegression, int]:
        return ExemplarRegression.fit(self.rows.psi, self.exemplars.means, gamma=gamma, C=C, nu=nu, tol=tol)

    def find_deviations(self, *, apply: bool) -> Array:
        """Return what each dimension is divided by."""
        xp, deviations = namespace(self.rows.psi), self.exemplars.deviations
        least = LEAST_DEVIATION * float(xp.max(deviations))
        # Classes of one row each do not deviate at all.
        if not apply or least == 0:
            return xp.ones_like(deviations)
        return xp.where(deviations > least, deviations, xp.full_like(deviations, least))
