"""SMS (Guo et al., AAAI 2016): a shared space of class models, learned from seen rows and the batch together."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg

from unseen.features import DescriptionScaling, FeatureScaling
from unseen.selection.grid import Estimator
from unseen.transduction.base import TransductiveClassifier
from unseen.transduction.batch import Batch, Seen, softmax
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_non_negative, check_whole_number

Floats = NDArray[np.float64]


class SMS(TransductiveClassifier):
    """Learn class models V a from seen rows and the pseudo-labelled batch, and update the pseudo-labels in turn.

    min_V |X_s V A_s^T - Y_s|² + alpha |X_t V A_t^T - Y_t|² + beta |V|², with Y_t the current answers as indicators,
    repeated until no answer changes.

    Parameters
    ----------
    model : estimator
        Model that gives the first pseudo-labels; fitted by `fit`.
    alpha : float, default 1.0
        Weight of a row of the batch relative to a seen row.
    beta : float, default 0.001
        Strength of the regulariser; both sides are scaled to about unit length.
    max_rounds : int, default 10
    sharpness : float, default 2.0
        Sharpness of the softmax that turns the final scores into probabilities.
    features : transformer, optional
        Preparation of the rows, as in `SPZSR`.

    Attributes
    ----------
    n_rounds_ : int
        Number of rounds for the last batch.

    Notes
    -----
    The paper was not available: the objective is as others describe it, and the constants are ours. V has no closed
    form, because seen and unseen rows have different descriptions; it is found by conjugate gradients.
    """

    _fitted = ("_scaling", "_description_scaling", "_covariance", "_gram", "_cross")

    def __init__(
        self,
        model: Estimator,
        *,
        alpha: float = 1.0,
        beta: float = 0.001,
        max_rounds: int = 10,
        sharpness: float = 2.0,
        features: Any = None,
    ) -> None:
        self.model = model
        self.alpha = alpha
        self.beta = beta
        self.max_rounds = max_rounds
        self.sharpness = sharpness
        self.features = features

    def _check_parameters(self) -> None:
        check_whole_number(self.max_rounds, "max_rounds", 1)
        for name in ("alpha", "sharpness"):
            check_non_negative(getattr(self, name), name)
        if not check_non_negative(self.beta, "beta"):
            raise InputError("beta=0 leaves V undetermined: give a positive number")

    def _learn(self, seen: Seen) -> None:
        self._scaling = FeatureScaling.fit(seen.Z, seen.weights)
        self._description_scaling = DescriptionScaling.fit(seen.vectors)
        X, A = to_numpy(self._scaling.apply(seen.Z)), to_numpy(self._description_scaling.apply(seen.vectors))
        weighted = X if seen.weights is None else X * seen.weights[:, None]
        self._covariance, self._gram = np.asarray(weighted.T @ X, dtype=np.float64), A.T @ A
        self._cross = _compute_cross(weighted, seen.y, A)

    def _refine(self, batch: Batch) -> Iterator[NDArray[Any]]:
        if not hasattr(self, "_covariance"):
            raise InputError("SMS learns from the seen rows too: call fit before predict")
        X = to_numpy(self._scaling.apply(batch.Z)).astype(np.float64)
        A = to_numpy(self._description_scaling.apply(batch.table.vectors))
        covariance, gram = _compute_gram(X), A.T @ A
        answers = batch.scores().argmax(axis=1)
        V = np.zeros_like(self._cross)
        solve = self._make_solver(covariance, gram)
        for round_ in range(1, self.max_rounds + 1):
            self.n_rounds_ = round_
            right = self._cross + self.alpha * _compute_cross(X, answers, A)
            V = solve(right, V)
            before, answers = answers, (X @ V @ A.T).argmax(axis=1)
            if np.array_equal(before, answers):
                break
        scores = X @ V @ A.T
        scores -= scores.mean(axis=1, keepdims=True)
        shares = softmax(self.sharpness * scores / (scores.std() or 1.0))
        for rows in batch.blocks:
            yield shares[rows]

    def _make_solver(self, covariance: Floats, gram: Floats) -> Callable[[Floats, Floats], Floats]:
        """Return a solver for V by conjugate gradients, in bases where both sides together are diagonal."""
        shape, size = self._cross.shape, self._cross.size
        (e, U), (f, R) = (
            np.linalg.eigh(both) for both in (self._covariance + self.alpha * covariance, self._gram + gram)
        )
        bound = np.outer(np.maximum(e, 0), np.maximum(f, 0)) + self.beta
        sides = [
            (U.T @ left @ U, R.T @ right @ R)
            for left, right in ((self._covariance, self._gram), (self.alpha * covariance, gram))
        ]

        def apply(v: Floats) -> Floats:
            V = v.reshape(shape)
            return np.asarray(sum(left @ V @ right for left, right in sides) + self.beta * V).ravel()

        system = LinearOperator((size, size), matvec=apply, dtype=np.float64)
        nearly = LinearOperator((size, size), matvec=lambda v: v / bound.ravel(), dtype=np.float64)

        def solve(right: Floats, start: Floats) -> Floats:
            turned = [(U.T @ matrix @ R).ravel() for matrix in (right, start)]
            found, _ = cg(system, turned[0], x0=turned[1], rtol=1e-3, maxiter=100, M=nearly)
            return np.asarray(U @ found.reshape(shape) @ R.T)

        return solve


def _compute_gram(X: NDArray[Any]) -> Floats:
    return np.asarray(X.T @ X, dtype=np.float64)


def _compute_cross(X: NDArray[Any], y: NDArray[np.int64], A: Floats) -> Floats:
    """Return X^T Y A with Y = 1 at the class of each row."""
    sums = np.zeros((len(A), X.shape[1]))
    np.add.at(sums, y, X)
    return np.asarray(sums.T @ A)
