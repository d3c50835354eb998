"""The latent structural SVM as an estimator, over any similarity."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils import check_random_state

from unseen.features import Rows
from unseen.learning import LatentSVM, Loss, SoftMaximum, Solution, Solver, learn
from unseen.learning.losses import make_loss
from unseen.learning.margins import MarginChoice, make_margin
from unseen.learning.solvers import SOLVERS
from unseen.learning.solvers.base import Watcher
from unseen.learning.training import StartChoice, WeightChoice
from unseen.models.base import LinearForm, ScoreFunction, SmallGrid, ZeroShotClassifier
from unseen.similarity import AffineSimilarity, BilinearSimilarity, Similarity
from unseen.utils.arrays import Array, as_backend, namespace, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.registry import one_of
from unseen.utils.validation import non_negative, whole_number


class StructuralSVM(ZeroShotClassifier):
    """Learn the weights of a similarity so that the true class wins by a margin (Eq. eqn:learning1).

    `JFA` and `BilinearSVM` are this estimator with a similarity of their own; give `similarity` for any other.

    Parameters
    ----------
    similarity : callable
        Takes weights W and returns a `Similarity` (a class with one argument will do).
    lam : float, default 1.0
        Weight of ||W||^2 / 2 against the sum of slacks.
    loss : "soft-maximum" (default), "maximum", "ranking" or a Loss
        The form of the structured loss; "maximum" is the paper's.
    temperature : float, default 0.1
        Of the soft maximum, in units of the margin; also the temperature of `predict_proba`.
    margin : None, array of shape (n_seen, n_seen) or callable
        Delta(true, other); None is 0/1. Rows and columns of an array follow the sorted labels, as `classes_` does; a
        callable gets two labels.
    balanced : bool, default False
        Whether every class counts the same, however many rows it has.
    solver : "auto" (default), "smooth", "cccp", "stochastic" or a Solver
        "auto" takes "smooth" for a loss that is, and "cccp" for the others.
    weights : "positive-definite" (default), "free" or a WeightSet
        The set that W is kept in: where the score is a global optimum, anywhere, or a convex set of your own.
    scaling : "auto" (default) or None
        "auto" centres features and descriptions and brings them to length 1 (features on average), with statistics
        of the training rows and seen classes only; where `fit` is given no class table it also adds a constant
        feature, so that classes have offsets as in any linear classifier. None takes all as it is.
    n_init : int, default 1
        Number of starts; the best is kept.
    init : "zeros" (default) or "random"
        The first start; all others are random.
    warm_start : bool, default False
        Start from the weights of the last `fit`: goes on after an interruption.
    random_state : int, RandomState or None
        Of random starts and the stochastic solver.
    verbose : bool, default False
        Print the objective after every step.

    Attributes
    ----------
    similarity_ : Similarity
        With the learned weights.
    objective_ : float
        Value of the objective at the end.
    history_ : list of float
        The objective after every step of the best start.
    converged_ : bool
        Whether the solver's own criterion was met.
    certificate_ : dict
        What the solver proves of its result, e.g. `duality_gap`.
    """

    default_grid: ClassVar[SmallGrid] = {"lam": [0.03, 0.1, 0.3, 1.0, 3.0]}
    _fitted: ClassVar[tuple[str, ...]] = ("similarity_", "objective_", "history_", "converged_", "certificate_")

    def __init__(
        self,
        similarity: Callable[[Array], Similarity] = BilinearSimilarity,
        lam: float = 1.0,
        *,
        loss: str | Loss = "soft-maximum",
        temperature: float = 0.1,
        margin: MarginChoice = None,
        balanced: bool = False,
        solver: str | Solver = "auto",
        weights: WeightChoice = "positive-definite",
        scaling: Literal["auto"] | None = "auto",
        n_init: int = 1,
        init: StartChoice = "zeros",
        warm_start: bool = False,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.similarity = similarity
        self.lam = lam
        self.loss = loss
        self.temperature = temperature
        self.margin = margin
        self.balanced = balanced
        self.solver = solver
        self.weights = weights
        self.scaling = scaling
        self.n_init = n_init
        self.init = init
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    @property
    def _kind(self) -> Callable[..., Similarity]:
        return self.similarity

    def _new_similarity(self, W: Array) -> Similarity:
        return self._kind(W)

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        self._check_parameters()
        objective = self._make_objective(phi, y, psi)
        solver = self._make_solver(objective.loss)
        best: list[Any] = []

        def watch(step: int, W: Array, value: float) -> None:
            if not best or value < best[1]:
                best[:] = [W, value]
            if self.verbose:
                print(f"[{type(self).__name__}] step {step}: objective {value:.6g}")

        start = self._start(objective)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        try:
            solution = self._learn(objective, solver, start, rng, watch)
        except KeyboardInterrupt:
            # The best of what was learned so far is kept: with warm_start=True the next fit goes on from here.
            if best:
                self._keep(Solution(best[0], best[1], [best[1]], converged=False))
            raise
        self._keep(solution)

    def _learn(
        self,
        objective: LatentSVM,
        solver: Solver,
        start: StartChoice | Array,
        rng: np.random.Generator,
        watch: Watcher,
    ) -> Solution:
        return learn(objective, solver, self.weights, n_init=self.n_init, init=start, rng=rng, watch=watch)

    def _make_objective(self, phi: Rows, y: Array, psi: Array) -> LatentSVM:
        xp = namespace(psi)
        # A class knows the shape of its weights; a plain function gets the usual one.
        shape = getattr(self._kind, "start_shape", Similarity.start_shape)(phi.shape[1], psi.shape[1])
        return LatentSVM(
            similarity=self._new_similarity(xp.zeros(shape, dtype=psi.dtype, device=psi.device)),
            phi=phi,
            y=y,
            psi=psi,
            lam=self.lam,
            loss=make_loss(self.loss, self.temperature),
            margin=make_margin(self.margin, list(self.classes_)),
            weights=self._class_weights(y, psi),
        )

    def _class_weights(self, y: Array, psi: Array) -> Array | None:
        if not self.balanced:
            return None
        counts = np.bincount(to_numpy(y), minlength=psi.shape[0])
        return as_backend(counts.mean() / counts, psi)

    def _make_solver(self, loss: Loss) -> Solver:
        if not isinstance(self.solver, str):
            return self.solver
        name = ("smooth" if loss.smooth else "cccp") if self.solver == "auto" else self.solver
        return SOLVERS.find(name)()

    def _start(self, objective: LatentSVM) -> StartChoice | Array:
        if not (self.warm_start and hasattr(self, "similarity_")):
            return self.init
        W = as_backend(self.similarity_.W, objective.psi)
        if W.shape != objective.similarity.W.shape:
            raise InputError(
                f"warm_start=True, but the last fit learned W of shape {tuple(W.shape)} and these data need "
                f"{tuple(objective.similarity.W.shape)}: fit on data of the same widths or set warm_start=False"
            )
        return W

    def _keep(self, solution: Solution) -> None:
        self.similarity_ = self._new_similarity(solution.W)
        self.objective_ = solution.value
        self.history_ = solution.history
        self.converged_ = solution.converged
        self.certificate_ = solution.certificate

    def _check_parameters(self) -> None:
        non_negative(self.lam, "lam")
        one_of(self.init, ("zeros", "random"), "init")
        whole_number(self.n_init, "n_init", 1)

    def _state(self) -> dict[str, Any]:
        state = super()._state()
        # A similarity is its weights; all else about it follows from the parameters.
        return state | {"similarity_": self.similarity_.W} if "similarity_" in state else state

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore({**state, "similarity_": self._new_similarity(state["similarity_"])})

    def _quadratic_form(self) -> tuple[Array, Array] | None:
        return self.similarity_.quadratic_form() if isinstance(self.similarity_, AffineSimilarity) else None

    def _scores_against(self, psi: Array) -> LinearForm | ScoreFunction:
        if isinstance(self.similarity_, AffineSimilarity):
            return self.similarity_.linear_form(psi)
        return lambda phi: self.similarity_.scores(phi, as_backend(psi, phi))

    def _probability_temperature(self) -> float:
        loss = make_loss(self.loss, self.temperature)
        return loss.temperature if isinstance(loss, SoftMaximum) else 1.0
