"""LatEm (Xian et al., CVPR 2016): latent embeddings, a piecewise bilinear score."""

from typing import Any, ClassVar, Literal

from unseen.learning.solvers.ranking.ranked_scores import LargestBilinear
from unseen.learning.solvers.ranking.rivals import RandomRival
from unseen.models.base import ScoreFunction, SmallGrid
from unseen.models.ranking.ranking_classifier import RankingClassifier
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, to_float64


class LatEm(RankingClassifier):
    """Score max_k phi(x)^T W_k psi(y): the best of K bilinear forms, each for its own kind of image.

    As in the paper, every step draws one other class y at random. If 1 + F(x_i, y) > F(x_i, y_i), the form that gives
    F(x_i, y) moves by -step * phi(x_i) psi(y)^T, and the one that gives F(x_i, y_i) by +step * phi(x_i) psi(y_i)^T. All
    forms start at random, with entries of variance 1 / d_t. There is no regulariser. K is chosen by validation, among 2
    to 10 in the paper; or `prune=True` starts with many (16 in the paper) and after every 5 epochs drops those that win
    for fewer than 5% of the training rows. The paper counts wins while it makes its steps, we count them at the end of
    the five epochs, at the true classes.

    Unlike in the paper, which makes 150 epochs, the number of epochs is chosen on held-out classes, as in `SJE`, and W
    changes after every `batch_size` rows. The paper standardises every feature; `scaling="auto"` centres them and
    brings rows to a length of about 1, so that steps of another size suit. It brings descriptions to length 1, as the
    paper does, but centres them first.

    Parameters
    ----------
    K : int, default 4
        Number of bilinear forms, at the start if `prune` is set.
    prune : bool, default False
        Whether forms that win for fewer than 5% of the rows are dropped after every 5 epochs.
    step : float, default 0.1
        Constant step size, chosen by validation in the paper.
    max_epochs, validation_share, batch_size, scaling, random_state
        As in `SJE`.

    Attributes
    ----------
    W_ : array of shape (K, d_t, d_s)
        Learned matrices in scaled units, fewer than K if some were dropped; they have one more row, of offsets, if
        `fit` was given no class table.
    n_iter_ : int
        Number of epochs on all seen classes.
    validation_accuracy_ : list of float
        Mean per-class accuracy on the held-out classes after each epoch, from which `n_iter_` was chosen.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = LatEm(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    default_grid: ClassVar[SmallGrid] = {"K": [2, 4, 8], "step": [0.03, 0.1, 0.3]}

    def __init__(
        self,
        K: int = 4,
        *,
        prune: bool = False,
        step: float = 0.1,
        max_epochs: int = 30,
        validation_share: float = 0.2,
        batch_size: int = 16,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        super().__init__(
            step,
            max_epochs=max_epochs,
            validation_share=validation_share,
            batch_size=batch_size,
            scaling=scaling,
            random_state=random_state,
        )
        self.K = K
        self.prune = prune

    def _choose_rivals(self) -> RandomRival:
        return RandomRival()

    def _choose_score(self) -> LargestBilinear:
        return LargestBilinear(self.K, self.prune)

    def _quadratic_form(self) -> None:
        """Return None: the score is bilinear only where one form wins."""

    def _scores_against(self, psi: Array) -> ScoreFunction:
        E = self.W_ @ to_float64(psi).T
        return lambda phi: namespace(phi).max(phi @ convert_like(E, phi), axis=0)

    def _contributions(self, phi: Array, psi: Array) -> Array:
        """Take the score apart by the attributes of the form that wins for the pair."""
        W, xp = as_backend(self.W_, psi), namespace(psi)
        parts = (convert_like(phi, psi) @ W) * psi[None, :, :]
        winner = xp.argmax(xp.sum(parts, axis=2), axis=0)
        won = winner[None, :] == xp.arange(W.shape[0], device=winner.device)[:, None]
        return xp.sum(parts * xp.astype(won, parts.dtype)[:, :, None], axis=0)
