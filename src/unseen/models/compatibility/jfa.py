"""JFA (Zhang & Saligrama): joint feature adaptation, the model of the paper."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

from unseen.learning import LatentSVM, Loss, Solution, Solver
from unseen.learning.margins import MarginChoice
from unseen.learning.omega_learning import START, learn_with_omega
from unseen.learning.solvers.base import Watcher
from unseen.learning.training import StartChoice, WeightChoice
from unseen.models.base import Classes, SmallGrid
from unseen.models.compatibility.omega_choice import select_omega
from unseen.models.compatibility.omega_classifier import OmegaClassifier
from unseen.models.recorded_fit import RecordedGrid
from unseen.models.weights import ClassWeights
from unseen.selection.grid import Point
from unseen.similarity import AdaptiveSimilarity, Similarity
from unseen.utils.arrays import Array
from unseen.utils.errors import InputError
from unseen.utils.registry import make_unknown_error
from unseen.utils.validation import check_flag, check_non_negative


class JFA(OmegaClassifier):
    """Score by the best similarity of features and descriptions that may be displaced, at a cost (Eq. eqn:ff).

    Parameters
    ----------
    omega : sequence of 4 floats, "auto" or "learn"
        Costs of displacing and lengthening the features (see `unseen.similarity.Omega`). The default suits features and
        descriptions of length 1, to which `scaling="auto"` scales any data. "auto" chooses among 17 omegas on held-out
        classes of the training rows, preferring eigenvalues of H that the paper recommends. It takes as long as 10 to
        20 fits; `joblib.parallel_config(n_jobs=2)` around `fit` distributes them over processes. "learn" minimises over
        W and omega together (Eq. eqn:hard-to-solve), on the training rows alone.
    lam : float, default 1.0
        Weight of ||W||^2 / 2 against the sum of slacks.
    omega_lam : float, default 1e-4
        Weight of ||omega||^2 / 2 if omega is learned (the paper's lambda_2).
    halving : bool, default True
        Whether "auto" stops hopeless omegas early (see `unseen.selection.select`). False fits each of them to the end,
        which takes up to ten times as long.
    loss, temperature, margin, class_weight, solver, weights, scaling, n_init, init, warm_start, random_state, verbose
        As in `unseen.models.StructuralSVM`. `JFA.as_in_paper` sets them as the paper does.

    Attributes
    ----------
    omega_ : Omega
        The omega that W was learned with.
    selection_ : unseen.selection.Selection
        Record of the search for `omega="auto"`, with scores on held-out classes and eigenvalues of H.
    similarity_ : AdaptiveSimilarity
        The similarity with the learned W, in scaled units; `similarity_.spectrum()` gives the eigenvalues of H.
    objective_, history_, n_iter_, converged_, certificate_
        Course of the training (see `unseen.models.StructuralSVM`).

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    default_grid: ClassVar[SmallGrid] = {
        **OmegaClassifier.default_grid,
        "omega": [[1000, 10, 0, 1], [1000, 100, 0, 1], [10000, 100, 0, 10]],
    }

    def __init__(
        self,
        omega: Sequence[float] | Literal["auto", "learn"] = (1000.0, 10.0, 0.0, 1.0),
        lam: float = 1.0,
        *,
        omega_lam: float = 1e-4,
        halving: bool = True,
        loss: str | Loss = "soft-maximum",
        temperature: float = 0.1,
        margin: MarginChoice = None,
        class_weight: ClassWeights = None,
        solver: str | Solver = "auto",
        weights: WeightChoice = "positive-definite",
        scaling: Literal["auto"] | None = "auto",
        n_init: int = 1,
        init: StartChoice = "zeros",
        warm_start: bool = False,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.omega = omega
        self.omega_lam = omega_lam
        self.halving = halving
        super().__init__(
            lam,
            loss=loss,
            temperature=temperature,
            margin=margin,
            class_weight=class_weight,
            solver=solver,
            weights=weights,
            scaling=scaling,
            n_init=n_init,
            init=init,
            warm_start=warm_start,
            random_state=random_state,
            verbose=verbose,
        )

    @classmethod
    def as_in_paper(cls, omega: Sequence[float], lam: float = 1.0, **parameters: Any) -> Self:
        """Return the model with the parameters of the paper.

        The loss is the maximum with the 0/1 margin, the solver is CCCP from a random start, and neither features nor
        descriptions are scaled. Give any parameter to override these. CCCP lowers soft maxima from that start before
        its rounds, which the paper does not mention: `solver=CCCP(temperatures=())` leaves them out.
        """
        choices: dict[str, Any] = {"loss": "maximum", "solver": "cccp", "scaling": None, "init": "random"}
        return cls(omega, lam, **(choices | parameters))

    def fit(self, X: Array, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Learn from images of seen classes, and choose omega first if it is "auto".

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping, optional
            The class descriptions, as in any model; `omega="auto"` requires them.
        sample_weight : array-like of shape (n,), optional
            Weight of each row.
        """
        check_flag(self.halving, "halving")
        if isinstance(self.omega, str) and self.omega == "auto":
            self.selection_ = select_omega(self, X, y, classes, sample_weight)
        return super().fit(X, y, classes, sample_weight=sample_weight)

    def _fit_points(self, grid: RecordedGrid[Self], points: Sequence[Point]) -> Iterator[Self]:
        omegas = [point.get("omega", self.omega) for point in points]
        if any(isinstance(omega, str) and omega == "auto" for omega in omegas):
            # That is a search of its own at each point.
            yield from grid.fit_alone(points)
        else:
            yield from super()._fit_points(grid, points)

    def cut_short(self, steps: int) -> dict[str, Any]:
        """Return parameters with which a fit ends after so many steps; none if omega is to be found, too."""
        return {} if isinstance(self.omega, str) else super().cut_short(steps)

    def _make_similarity(self) -> AdaptiveSimilarity:
        return AdaptiveSimilarity(self._choose_starting_omega())

    def _choose_starting_omega(self) -> Sequence[float]:
        if not isinstance(self.omega, str):
            return self.omega
        if self.omega == "auto":
            chosen: Sequence[float] = self.selection_.best_params["omega"]
            return chosen
        if self.omega == "learn":
            self._check_learning()
            return START
        raise make_unknown_error(self.omega, ("auto", "learn"), "omega", "four numbers (w1, w2, w3, w4)")

    def _check_learning(self) -> None:
        check_non_negative(self.omega_lam, "omega_lam")
        if self.weights != "positive-definite":
            raise InputError(
                "omega='learn' needs weights='positive-definite', which keeps H positive definite: use it, or give "
                "four numbers as omega"
            )

    def _learn(
        self,
        objective: LatentSVM,
        solver: Solver,
        start: StartChoice | Array,
        rng: np.random.Generator,
        watch: Watcher,
    ) -> tuple[Similarity, Solution]:
        if not (isinstance(self.omega, str) and self.omega == "learn"):
            return super()._learn(objective, solver, start, rng, watch)
        learned = learn_with_omega(objective, solver, omega_lam=self.omega_lam, rng=rng, watch=watch)
        return AdaptiveSimilarity(learned.omega).with_weights(learned.solution.W), learned.solution
