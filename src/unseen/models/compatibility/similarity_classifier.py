"""Base class of the models that learn the weights of a similarity as a latent structural SVM."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np

from unseen.features import Rows
from unseen.learning import LatentSVM, Loss, Solution, Solver, learn
from unseen.learning.losses import find_probability_temperature, make_loss
from unseen.learning.margins import MarginChoice, make_margin
from unseen.learning.solvers import SOLVERS
from unseen.learning.solvers.base import Watcher
from unseen.learning.solvers.leading import InLeadingDirections
from unseen.learning.solvers.smooth import Smooth
from unseen.learning.training import StartChoice, WeightChoice
from unseen.models.base import Classes, LinearForm, ScoreFunction, SmallGrid
from unseen.models.input_checks import warn_of_nothing
from unseen.models.recorded_fit import RecordedGrid
from unseen.models.weights import ClassWeights, WeighsRows, weigh_classes
from unseen.selection.grid import Point
from unseen.similarity import AffineSimilarity, Similarity
from unseen.utils.arrays import Array, as_backend, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_flag, check_non_negative, check_whole_number, make_random_stream

# Tolerance of a fit that is cut short: at this point its accuracy is near the final one.
ROUGH = 1e-3


class SimilarityClassifier(WeighsRows):
    """Learn the weights of a similarity so that the true class wins by a margin (Eq. eqn:learning1).

    A subclass makes the similarity in `_make_similarity`; `StructuralSVM` documents the parameters and attributes.
    """

    default_grid: ClassVar[SmallGrid] = {"lam": [0.03, 0.1, 0.3, 1.0, 3.0]}

    _fitted: ClassVar[tuple[str, ...]] = ("similarity_", "objective_", "history_", "converged_", "certificate_")

    def __init__(
        self,
        lam: float,
        *,
        loss: str | Loss,
        temperature: float,
        margin: MarginChoice,
        class_weight: ClassWeights,
        solver: str | Solver,
        weights: WeightChoice,
        scaling: Literal["auto"] | None,
        n_init: int,
        init: StartChoice,
        warm_start: bool,
        random_state: Any,
        verbose: bool,
    ) -> None:
        self.lam = lam
        self.loss = loss
        self.temperature = temperature
        self.margin = margin
        self.class_weight = class_weight
        self.solver = solver
        self.weights = weights
        self.scaling = scaling
        self.n_init = n_init
        self.init = init
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    @abstractmethod
    def _make_similarity(self) -> Similarity:
        """Return the similarity whose weights are learned."""

    def _make_training_rows(self, X: Array) -> Rows:
        return super()._make_training_rows(X).pad()

    def fit_grid(
        self, X: Array, y: Any, classes: Classes, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[Self]:
        """Yield the model fitted at each point; see `unseen.selection.GridFitter`.

        Rows and descriptions are checked and scaled once for all points with the same scaling.
        """
        return self.open_grid(X, y, classes, sample_weight=sample_weight)(points)

    def open_grid(
        self, X: Array, y: Any, classes: Classes, *, sample_weight: Any = None
    ) -> Callable[[Sequence[Point]], Iterator[Self]]:
        """Return `fit_grid` on these data; see `unseen.selection.grid.GridOpener`."""
        return partial(self._fit_points, RecordedGrid(self, X, y, classes, sample_weight, before=("scaling",)))

    def _fit_points(self, grid: RecordedGrid[Self], points: Sequence[Point]) -> Iterator[Self]:
        for given, models in grid.at(points):
            for model in models:
                model._fit(given.phi, given.y, given.psi, given.weights)
                yield model

    def cut_short(self, steps: int) -> dict[str, Any]:
        """Return parameters with which a fit ends after so many steps (see `unseen.selection.grid.StopsEarly`).

        Wide features are also reduced to their leading directions. Only L-BFGS can be stopped early: CCCP has done
        nothing useful after a few steps, and the steps of the stochastic solver become shorter with their number.
        """
        solver = self._make_solver(make_loss(self.loss, self.temperature))
        if not isinstance(solver, Smooth):
            return {}
        limited = replace(solver, max_iter=min(steps, solver.max_iter), tol=max(ROUGH, solver.tol))
        return {"solver": InLeadingDirections(limited)}

    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        self._check_parameters()
        objective = self._make_objective(phi, y, psi, self._weigh_rows(y, psi, weights))
        solver = self._make_solver(objective.loss)
        best: list[Any] = []
        history: list[float] = []

        def watch(step: int, W: Array, value: float) -> None:
            if step == 0:
                history.clear()
            history.append(value)
            if not best or value < best[1]:
                best[:] = [W, value, [*history]]
            if self.verbose:
                print(f"[{type(self).__name__}] step {step}: objective {value:.6g}")

        start = self._start(objective)
        rng = np.random.default_rng(make_random_stream(self.random_state).randint(2**31))
        try:
            similarity, solution = self._learn(objective, solver, start, rng, watch)
        except KeyboardInterrupt:
            # Keep the best weights so far: with warm_start=True the next fit continues from them.
            if best:
                stopped = Solution(best[0], best[1], best[2], converged=False)
                self._keep(objective.similarity.with_weights(stopped.W), stopped)
            raise
        self._keep(similarity, solution)
        if not solution.converged:
            self._warn_of_limit()
        warn_of_nothing(type(self).__name__, self._scores_against(psi))

    def _learn(
        self,
        objective: LatentSVM,
        solver: Solver,
        start: StartChoice | Array,
        rng: np.random.Generator,
        watch: Watcher,
    ) -> tuple[Similarity, Solution]:
        solution = learn(objective, solver, self.weights, n_init=self.n_init, init=start, rng=rng, watch=watch)
        return objective.similarity.with_weights(solution.W), solution

    def _make_objective(self, phi: Rows, y: Array, psi: Array, weights: Array | None) -> LatentSVM:
        return LatentSVM(
            similarity=self._make_similarity(),
            phi=phi,
            y=y,
            psi=psi,
            lam=self.lam,
            loss=make_loss(self.loss, self.temperature),
            margin=make_margin(self.margin, list(self.classes_)),
            weights=weights,
        )

    def _weigh_rows(self, y: Array, psi: Array, weights: Array | None) -> Array | None:
        """Multiply the weights of the rows by those of their classes."""
        of_rows = None if weights is None else to_numpy(weights)
        of_classes = weigh_classes(self.class_weight, self.classes_, to_numpy(y), of_rows)
        if of_classes is None:
            return weights
        return as_backend(of_classes[to_numpy(y)] * (1.0 if of_rows is None else of_rows), psi)

    def _make_solver(self, loss: Loss) -> Solver:
        if not isinstance(self.solver, str):
            if not hasattr(self.solver, "solve"):
                raise SOLVERS.make_unknown_error(self.solver)
            return self.solver
        name = ("smooth" if loss.smooth else "cccp") if self.solver == "auto" else self.solver
        return SOLVERS.find(name)()

    def _start(self, objective: LatentSVM) -> StartChoice | Array:
        if not (self.warm_start and hasattr(self, "similarity_")):
            return self.init
        W = as_backend(self.similarity_.W, objective.psi)
        if W.shape != objective.shape:
            raise InputError(
                f"warm_start=True, but the last fit learned W of shape {tuple(W.shape)} and these data need "
                f"{objective.shape}: fit on data of the same widths or set warm_start=False"
            )
        return W

    @property
    def n_iter_(self) -> int:
        """Number of steps of the best start."""
        return len(self.history_) - 1

    def _keep(self, similarity: Similarity, solution: Solution) -> None:
        self.similarity_ = similarity
        self.objective_ = solution.value
        self.history_ = solution.history
        self.converged_ = solution.converged
        self.certificate_ = solution.certificate

    def _warn_of_limit(self) -> None:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"{type(self).__name__} has not converged after {self.n_iter_} steps, so that more of them may change its "
            "answers: raise lam or the entries of omega, or give a solver with a larger max_iter",
            ConvergenceWarning,
            stacklevel=6,
        )

    def _check_parameters(self) -> None:
        check_non_negative(self.lam, "lam")
        check_choice(self.init, ("zeros", "random"), "init")
        check_whole_number(self.n_init, "n_init", 1)
        check_flag(self.warm_start, "warm_start")
        check_flag(self.verbose, "verbose")

    def _quadratic_form(self) -> tuple[Array, Array] | None:
        return self.similarity_.quadratic_form() if isinstance(self.similarity_, AffineSimilarity) else None

    def _scores_against(self, psi: Array) -> LinearForm | ScoreFunction:
        if isinstance(self.similarity_, AffineSimilarity):
            return self.similarity_.linear_form(psi)
        return lambda phi: self.similarity_.scores(phi, as_backend(psi, phi))

    def _probability_temperature(self) -> float:
        return find_probability_temperature(self.loss, self.temperature)
