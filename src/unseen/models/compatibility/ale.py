"""ALE (Akata, Perronnin, Harchaoui & Schmid, CVPR 2013 and TPAMI 2016): attribute label embedding."""

from typing import ClassVar

from unseen.learning.solvers.ranking_sgd import Rivals, SampledRank
from unseen.models.compatibility.sje import SJE


class ALE(SJE):
    """Score phi(x)^T W psi(y), and move the true class up the ranking by stochastic steps, most where it ranks low.

    As in the paper, after WSABIE (Weston et al., 2010): of each row, other classes are drawn until one at draw k comes
    within the margin of 1 of the true class or above it; then W += step * beta_r phi(x_i) (psi(y_i) - psi(y))^T with
    r = floor((C - 1) / k) and beta_r = 1 + 1/2 + ... + 1/r. The step is constant, W starts at random, and early
    stopping on held-out classes is the regulariser.

    What differs: W changes after every `batch_size` rows rather than after every one (1 is the paper's), and classes
    are drawn without repetition. Descriptions are centred and brought to length 1 by `scaling="auto"`, one of the
    encodings that the paper compares. Parameters and attributes are those of `SJE`, which differs only in the class
    that each step compares with; so is what is said there about early stopping.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = ALE(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    rivals: ClassVar[Rivals] = SampledRank()
