"""SJE (Akata, Reed, Walter, Lee & Schiele, CVPR 2015): structured joint embedding."""

from unseen.learning.solvers.ranking.rivals import MostViolating
from unseen.models.ranking.ranking_classifier import RankingClassifier


class SJE(RankingClassifier):
    """Score phi(x)^T W psi(y), trained by stochastic steps on each true class against its strongest rival.

    As in the paper, the loss of a row is max_y [1(y != y_i) + F(x_i, y)] - F(x_i, y_i), and every step is
    W += step * phi(x_i) (psi(y_i) - psi(y))^T at the class y of this maximum. The step size is constant, there is no
    regulariser, and learning stops early. `BilinearSVM(loss="maximum")` minimises the same loss with a regulariser.

    Unlike in the paper, W changes after every `batch_size` rows (1 is the paper's). Early stopping finds the number of
    epochs on held-out seen classes and then learns again from all of them. A table of unit vectors, which is used if
    `fit` is given none, says nothing about held-out classes; then there is no early stopping, and all `max_epochs` are
    run. The random start of W, whose entries have variance 1 / d_t, is ours. The model does not take sample weights,
    because a step twice as long is not the same as two steps.

    Parameters
    ----------
    step : float, default 0.05
        Constant step size; the papers choose it by validation.
    max_epochs : int, default 30
        Maximum number of passes over the rows.
    validation_share : float, default 0.2
        Share of the seen classes, but at least two, held out to choose the number of epochs. With 0, or with too few
        classes to keep two others for training, all `max_epochs` are run.
    batch_size : int, default 16
        Number of rows whose steps are summed before W changes.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`. The default `step` suits the lengths of about 1 that "auto" gives.
    random_state : int, RandomState or None
        Random seed for the start, the order of the rows, the held-out classes and, in `ALE`, the classes drawn.

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
    >>> model = SJE(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    def _choose_rivals(self) -> MostViolating:
        return MostViolating()
