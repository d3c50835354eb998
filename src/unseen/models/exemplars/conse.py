"""ConSE (Norouzi et al., ICLR 2014): convex combination of semantic embeddings."""

from typing import ClassVar, Literal

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from unseen.features import Rows
from unseen.models.base import ScoreFunction, SmallGrid
from unseen.models.weights import WeighsRows
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, to_cpu, to_numpy, unit_rows
from unseen.utils.validation import check_positive, check_whole_number

# Limit for the classifier of seen classes, far more iterations than it takes on features of length 1.
MAX_ITER = 1000


class ConSE(WeighsRows):
    """Average the descriptions of seen classes by their probability, and find the nearest candidate.

    As in the paper, f(x) = 1/Z sum_t p(y_t | x) psi(y_t) over the T most probable seen classes, where Z makes the
    weights sum to 1. The score of a candidate y is the cosine of f(x) and psi(y).

    Unlike in the paper, the probabilities come from multinomial logistic regression on the features rather than from
    the softmax layer of a deep network. The paper uses word vectors unchanged. Here `scaling="auto"` centres the
    descriptions first, because attribute vectors, which are seldom negative, otherwise all point the same way.
    `predict_proba`, which the paper does not have, is the softmax of the cosines at temperature 0.1.

    Training uses scikit-learn: features of other array libraries are converted to NumPy and read into memory.
    Prediction stays in the library of the features.

    Parameters
    ----------
    T : int, default 10
        Number of seen classes that are averaged; all of them if there are fewer. The paper tries 1, 10 and all.
    C : float, default 10.0
        Inverse strength of the regulariser of the logistic regression.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.

    Attributes
    ----------
    psi_ : array of shape (n_seen, d_s)
        Descriptions of the seen classes, in scaled units.
    weights_ : array of shape (d_t, n_seen)
    offsets_ : array of shape (n_seen,)
        p(y | x) is the softmax of phi(x) weights_ + offsets_.
    n_iter_ : int
        Iterations of the logistic regression.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = ConSE().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.5)
    True
    """

    _has_offsets = True
    _fitted = ("psi_", "weights_", "offsets_", "n_iter_")
    default_grid: ClassVar[SmallGrid] = {"T": [3, 10, 30], "C": [1.0, 10.0, 100.0]}

    def __init__(self, T: int = 10, *, C: float = 10.0, scaling: Literal["auto"] | None = "auto") -> None:
        self.T = T
        self.C = C
        self.scaling = scaling

    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        check_whole_number(self.T, "T", minimum=1)
        check_positive(self.C, "C")
        classifier = LogisticRegression(C=self.C, max_iter=MAX_ITER)
        # L-BFGS makes many short products, for which starting threads takes longer than the work.
        with threadpool_limits(1, user_api="blas"):
            classifier.fit(
                to_cpu(phi[:], f"{type(self).__name__} learns"),
                to_numpy(y),
                None if weights is None else to_numpy(weights),
            )
        coef, intercept = classifier.coef_, classifier.intercept_
        if len(coef) == 1:
            # For two classes scikit-learn keeps only the difference.
            coef, intercept = np.concatenate([0 * coef, coef]), np.r_[0.0, intercept]
        self.psi_, self.n_iter_ = psi, int(classifier.n_iter_.max())
        self.weights_, self.offsets_ = as_backend(coef.T, psi), as_backend(intercept, psi)

    def _scores_against(self, psi: Array) -> ScoreFunction:
        return lambda phi: self._compute_cosines(phi, as_backend(psi, phi))

    def _compute_cosines(self, phi: Array, psi: Array) -> Array:
        return self._mix_descriptions(phi) @ unit_rows(convert_like(psi, phi)).T

    def _contributions(self, phi: Array, psi: Array) -> Array:
        return self._mix_descriptions(convert_like(phi, psi)) * unit_rows(psi)

    def _mix_descriptions(self, phi: Array) -> Array:
        """Return f(x) scaled to length 1, which makes dividing by Z unnecessary."""
        return unit_rows(self._keep_top_probabilities(phi) @ convert_like(self.psi_, phi))

    def _keep_top_probabilities(self, phi: Array) -> Array:
        """Return p(y | x) up to a factor, and 0 for all but the T most probable classes."""
        xp = namespace(phi)
        logits = phi @ convert_like(self.weights_, phi) + convert_like(self.offsets_, phi)[None, :]
        odds = xp.exp(logits - xp.max(logits, axis=1, keepdims=True))
        least = xp.sort(odds, axis=1)[:, -min(self.T, odds.shape[1])]
        return xp.where(odds >= least[:, None], odds, xp.zeros_like(odds))

    def _probability_temperature(self) -> float:
        return 0.1
