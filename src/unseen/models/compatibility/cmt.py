"""CMT (Socher, Ganjoo, Manning & Ng, NIPS 2013): cross-modal transfer into the space of the descriptions."""

from typing import Any, ClassVar, Literal

import numpy as np

from unseen.features import Rows
from unseen.models.base import ScoreFunction, SmallGrid
from unseen.models.compatibility.novelty import NoveltyDetector
from unseen.models.compatibility.tanh_network import learn_network
from unseen.models.weights import WeighsRows
from unseen.utils.arrays import Array, convert_like, namespace, square_distances, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_non_negative, check_whole_number, is_real, make_random_stream


class CMT(WeighsRows):
    """Map features into the space of the descriptions by a network with one hidden layer; the nearest class wins.

    As in the paper, f(x) = theta_2 tanh(theta_1 x) is learned by L-BFGS from
    min over theta of sum_i |psi(y_i) - f(x_i)|^2, and the class is the one whose description lies nearest to f(x). The
    offsets of both layers, the regulariser and the defaults of `hidden` and `lam` are those of the authors' code, which
    minimises 1/(2n) sum_i |psi(y_i) - f(x_i)|^2 + lam/2 |theta|^2 in up to 500 iterations. Its penalty for hidden units
    that are often active is left out.

    With `novelty`, this is the paper's model for seen and unseen candidates together (CMT* in Xian et al., TPAMI 2019).
    Each seen class is an isometric Gaussian in the space of the descriptions, with its description as the mean and the
    variance of its mapped training rows around it. A row is novel if no seen class gives it a density above a
    threshold; then it goes to an unseen candidate, and otherwise to a seen one, if there are candidates of this kind.
    As in the authors' code, there is one threshold, which leaves the share `novelty` of the training rows outside; the
    paper writes one for each class. Unlike in the paper, seen candidates too are told apart by their distance to f(x),
    rather than by a softmax classifier of their own. A candidate counts as seen if its description is that of a seen
    class. So that the wrong kind always loses, scores are then -d / (d + 1) of the squared distance d, less 1 for
    candidates of the wrong kind.

    `scaling="auto"` centres the descriptions and scales them to length 1, where the paper takes word vectors as they
    are; the random start of the weights is ours.

    Parameters
    ----------
    hidden : int, default 200
        Number of hidden units.
    lam : float, default 1e-4
        Strength of the regulariser.
    max_iter : int, default 100
        Maximum number of iterations of L-BFGS.
    novelty : float between 0 and 1, optional
        Share of the training rows that count as novel; by default candidates are not divided into seen and unseen.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.
    random_state : int, RandomState or None
        Random seed for the start of the weights.

    Attributes
    ----------
    network_ : TanhNetwork
        The learned weights, in scaled units.
    detector_ : NoveltyDetector or None
        What tells rows of seen classes from novel ones, if `novelty` is set.
    n_iter_ : int
        Number of iterations of L-BFGS.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = CMT(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _has_offsets = True
    _fitted = ("network_", "detector_", "n_iter_")
    default_grid: ClassVar[SmallGrid] = {"hidden": [50, 200], "lam": [1e-5, 1e-4, 1e-3]}

    def __init__(
        self,
        hidden: int = 200,
        *,
        lam: float = 1e-4,
        max_iter: int = 100,
        novelty: float | None = None,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.hidden = hidden
        self.lam = lam
        self.max_iter = max_iter
        self.novelty = novelty
        self.scaling = scaling
        self.random_state = random_state

    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        hidden = check_whole_number(self.hidden, "hidden", minimum=1)
        max_iter = check_whole_number(self.max_iter, "max_iter", minimum=1)
        lam = check_non_negative(self.lam, "lam")
        share = None if self.novelty is None else _check_share(self.novelty)
        rng = np.random.default_rng(make_random_stream(self.random_state).randint(2**31))
        self.network_, self.n_iter_ = learn_network(
            phi, y, psi, weights, hidden=hidden, lam=lam, max_iter=max_iter, rng=rng
        )
        self.detector_ = None if share is None else NoveltyDetector.fit(self.network_, phi, y, psi, weights, share)

    def _scores_against(self, psi: Array) -> ScoreFunction:
        seen = None if self.detector_ is None else self.detector_.find_seen(psi)
        return lambda phi: self._score(self.network_.map(phi), convert_like(psi, phi), seen)

    def _score(self, mapped: Array, psi: Array, seen: Array | None) -> Array:
        distances = square_distances(mapped, psi)
        if self.detector_ is None:
            return -distances
        xp = namespace(psi)
        aside = self.detector_.find_novel(mapped)[:, None] == xp.asarray(to_numpy(seen), device=psi.device)[None, :]
        return -distances / (distances + 1) - xp.astype(aside, psi.dtype)

    def _contributions(self, phi: Array, psi: Array) -> Array:
        """Take the distance apart; what a candidate loses for being of the wrong kind, all attributes share."""
        xp, mapped = namespace(psi), self.network_.map(convert_like(phi, psi))
        parts = (mapped - psi) ** 2
        if self.detector_ is None:
            return -parts
        aside = self.detector_.find_novel(mapped) == self.detector_.find_seen(psi)
        shared = xp.astype(aside, psi.dtype) / psi.shape[1]
        return -parts / (xp.sum(parts, axis=1) + 1)[:, None] - shared[:, None]


def _check_share(novelty: Any) -> float:
    if not is_real(novelty) or not 0 < float(novelty) < 1:
        raise InputError(
            f"novelty={novelty!r} is not a share of the training rows: give a number between 0 and 1, or None"
        )
    return float(novelty)
