"""Base class of the models that are learned by ranking steps: SJE, ALE, DeViSE and LatEm."""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np

from unseen.features import Rows
from unseen.learning.solvers.ranking.ranked_scores import Bilinear, RankedScore
from unseen.learning.solvers.ranking.ranking_sgd import RankingSGD
from unseen.learning.solvers.ranking.rivals import Rivals
from unseen.models.base import SmallGrid
from unseen.models.scoring import score_bilinear
from unseen.models.weights import CountsRowsOnce
from unseen.utils.arrays import Array, namespace, to_float64
from unseen.utils.validation import make_random_stream


class RankingClassifier(CountsRowsOnce):
    """Base class: stochastic steps that raise the score of the true class against that of its rivals.

    A subclass says which classes are rivals, and may have another score than the bilinear phi(x)^T W psi(y).

    Attributes
    ----------
    W_ : array of shape (d_t, d_s)
        Learned matrix in scaled units; it has one more row, of offsets, if `fit` was given no class table.
    n_iter_ : int
        Number of epochs on all seen classes.
    validation_accuracy_ : list of float
        Mean per-class accuracy on the held-out classes after each epoch, from which `n_iter_` was chosen.
    """

    _fitted = ("W_", "n_iter_", "validation_accuracy_")
    default_grid: ClassVar[SmallGrid] = {"step": [0.01, 0.03, 0.1, 0.3]}

    def __init__(
        self,
        step: float = 0.05,
        *,
        max_epochs: int = 30,
        validation_share: float = 0.2,
        batch_size: int = 16,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.step = step
        self.max_epochs = max_epochs
        self.validation_share = validation_share
        self.batch_size = batch_size
        self.scaling = scaling
        self.random_state = random_state

    @abstractmethod
    def _choose_rivals(self) -> Rivals:
        """Return the rule that chooses the rivals of each row."""

    def _choose_score(self) -> RankedScore:
        """Return the score that is learned."""
        return Bilinear()

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        sgd = RankingSGD(
            self._choose_rivals(),
            self.step,
            self.max_epochs,
            self.validation_share,
            self.batch_size,
            self._choose_score(),
        )
        rng = np.random.default_rng(make_random_stream(self.random_state).randint(2**31))
        learned = sgd.learn(phi, y, psi, rng, choose_epochs=not self._only_tells_apart())
        self.W_ = learned.W
        self.n_iter_ = learned.n_epochs
        self.validation_accuracy_ = learned.validation_accuracy

    def _only_tells_apart(self) -> bool:
        return np.array_equal(self.table_.vectors, np.eye(len(self.table_)))

    def _quadratic_form(self) -> tuple[Array, Array] | None:
        return self.W_, namespace(self.W_).zeros_like(self.W_.T @ self.W_)

    def _scores_against(self, psi: Array) -> Any:
        return score_bilinear(self.W_, to_float64(psi))
