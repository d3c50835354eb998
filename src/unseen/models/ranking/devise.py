"""DeViSE (Frome et al., NIPS 2013): a deep visual-semantic embedding."""

from typing import Any, ClassVar, Literal

from unseen.learning.solvers.ranking.rivals import AllViolating, FirstViolating, Rivals
from unseen.models.base import SmallGrid
from unseen.models.ranking.ranking_classifier import RankingClassifier
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_positive


class DeViSE(RankingClassifier):
    """Score phi(x)^T W psi(y), trained by stochastic steps on a ranking hinge over pairs of classes.

    As in the paper, the loss of a row is the sum over the other classes y of
    max(0, margin - F(x_i, y_i) + F(x_i, y)), with margin 0.1 and descriptions of length 1. There is no regulariser, and
    learning stops early. The paper looks through the other classes in random order and moves against the first that
    violates the margin. With `violating="all"` every step moves against all that do, which is the gradient of the loss
    as it is written, and as Xian et al. (TPAMI 2019) take it; steps then have to be smaller.

    Unlike in the paper, descriptions are those at hand rather than word vectors, the network that gives the features is
    not trained further, steps have a constant size rather than AdaGrad's, W changes after every `batch_size` rows, and
    `scaling="auto"` centres the descriptions before it brings them to length 1. The paper finds its labels by the
    nearest neighbours of x^T W in the descriptions, which for descriptions of length 1 are those with the largest
    products. Early stopping, the other parameters and the attributes are those of `SJE`.

    Parameters
    ----------
    step : float, default 0.1
        Constant step size.
    margin : float, default 0.1
        How far above another class the true class has to score.
    violating : "first" (default) or "all"
        The classes that a step moves against: the first in random order that violates the margin, or all that do.
    max_epochs, validation_share, batch_size, scaling, random_state
        As in `SJE`.

    Attributes
    ----------
    W_ : array of shape (d_t, d_s)
        Learned matrix in scaled units; it has one more row, of offsets, if `fit` was given no class table.
    n_iter_ : int
        Number of epochs on all seen classes.
    validation_accuracy_ : list of float
        Mean per-class accuracy on the held-out classes after each epoch, from which `n_iter_` was chosen.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = DeViSE(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    default_grid: ClassVar[SmallGrid] = {"step": [0.03, 0.1, 0.3], "margin": [0.1, 1.0]}

    def __init__(
        self,
        step: float = 0.1,
        *,
        margin: float = 0.1,
        violating: Literal["first", "all"] = "first",
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
        self.margin = margin
        self.violating = violating

    def _choose_rivals(self) -> Rivals:
        margin = check_positive(self.margin, "margin")
        one = check_choice(self.violating, ("first", "all"), "violating") == "first"
        return FirstViolating(margin) if one else AllViolating(margin)
