"""ALE (Akata, Perronnin, Harchaoui & Schmid, CVPR 2013 and TPAMI 2016): attribute label embedding."""

from unseen.learning.solvers.ranking.rivals import SampledRank
from unseen.models.ranking.ranking_classifier import RankingClassifier


class ALE(RankingClassifier):
    """Score phi(x)^T W psi(y), trained by stochastic steps that move the true class up the ranking.

    As in the paper, after WSABIE (Weston et al., 2010), other classes are drawn for each row until, at draw k, one
    scores above the true class or within a margin of 1 below it. Then W += step * beta_r phi(x_i) (psi(y_i) - psi(y))^T
    with r = floor((C - 1) / k) and beta_r = 1 + 1/2 + ... + 1/r. The step size is constant, W starts at random, and
    early stopping on held-out classes is the regulariser.

    Unlike in the paper, W changes after every `batch_size` rows (1 is the paper's), and classes are drawn without
    repetition. `scaling="auto"` centres descriptions and scales them to length 1, one of the encodings that the paper
    compares. Parameters, attributes and early stopping are those of `SJE`, which differs only in the class that each
    step compares with.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = ALE(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    def _choose_rivals(self) -> SampledRank:
        return SampledRank()
