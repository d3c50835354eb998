"""TMV-HLP (Fu et al., ECCV 2014, TPAMI 2015): transductive embedding and label propagation, here with two views."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from unseen.selection.grid import Estimator
from unseen.transduction.base import TransductiveClassifier
from unseen.transduction.batch import Batch
from unseen.transduction.graph import make_neighbour_graph, normalise_rows, spread
from unseen.utils.errors import InputError
from unseen.utils.validation import check_non_negative, check_whole_number

Floats = NDArray[np.float64]

# Numbers below this share of the largest of a view are rounding errors of single-precision features.
ROUNDING = 1e-6


class TMVHLP(TransductiveClassifier):
    """Embed features and expected descriptions of the batch by CCA, then propagate labels from the candidates.

    Parameters
    ----------
    model : estimator
        Model that gives the expected description of each row: the average of the candidates' descriptions, weighted by
        their probabilities. Fitted by `fit`, or fitted already.
    power : float, default 4.0
        Directions of the common space are weighted by their correlation to this power.
    ridge : float, default 0.01
        Strength of the regulariser of the CCA, relative to the mean variance of each view.
    n_self_training : int, default 500
        Number of nearest rows (at most an equal share of the batch) whose mean becomes the prototype of a candidate.
    n_neighbors : int, default 30
    alpha : float in [0, 1), default 0.75
        How far labels spread.
    sharpness : float, default 4.0
        Sharpness of the softmax of the scores.
    features : transformer, optional
        Preparation of the rows, as in `SPZSR`.

    Notes
    -----
    The paper has a third view, word vectors, and heterogeneous hypergraphs across views; here the graphs of both views
    are averaged. In the paper the second view consists of attributes predicted by their own classifiers; here the
    attributes come from the wrapped model, so that any model can be refined.
    """

    def __init__(
        self,
        model: Estimator,
        *,
        power: float = 4.0,
        ridge: float = 0.01,
        n_self_training: int = 500,
        n_neighbors: int = 30,
        alpha: float = 0.75,
        sharpness: float = 4.0,
        features: Any = None,
    ) -> None:
        self.model = model
        self.power = power
        self.ridge = ridge
        self.n_self_training = n_self_training
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.sharpness = sharpness
        self.features = features

    def _check_parameters(self) -> None:
        for name in ("n_self_training", "n_neighbors"):
            check_whole_number(getattr(self, name), name, 1)
        for name in ("power", "sharpness"):
            check_non_negative(getattr(self, name), name)
        if not check_non_negative(self.ridge, "ridge"):
            raise InputError("ridge=0 leaves directions undetermined: give a positive number")
        if check_non_negative(self.alpha, "alpha") >= 1:
            raise InputError(f"alpha={self.alpha!r} does not converge: give a number of at least 0 and below 1")

    def _refine(self, batch: Batch) -> Iterator[NDArray[Any]]:
        vectors = batch.table.vectors
        expected = batch.probabilities(sharpness=self.sharpness).astype(np.float64) @ vectors
        centre = expected.mean(axis=0)
        first, second, places = embed_two_views(
            batch.Z.astype(np.float64), expected - centre, vectors - centre, self.ridge, self.power
        )
        start = self._label_rows([first, second], places)
        views = [make_neighbour_graph(rows, self.n_neighbors) for rows in (first, second)]
        shares = normalise_rows(spread((views[0] + views[1]) / 2, start, self.alpha))
        for rows in batch.blocks:
            yield shares[rows]

    def _label_rows(self, views: list[Floats], places: Floats) -> Floats:
        """Return first probabilities: similarity to each candidate's prototype, moved once to its nearest rows."""
        n, m = len(views[0]), len(places)
        k = max(1, min(self.n_self_training, n // m))
        similarity = np.zeros((n, m))
        for rows in views:
            near = np.argpartition(-(rows @ places.T), min(k, n - 1), axis=0)[:k]
            moved = normalize(rows[near].mean(axis=0) + places)
            similarity += rows @ moved.T
        similarity -= similarity.mean(axis=1, keepdims=True)
        logits = self.sharpness * similarity / (similarity.std() or 1.0)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def embed_two_views(X: Floats, Y: Floats, places: Floats, ridge: float, power: float) -> tuple[Floats, Floats, Floats]:
    """Project two views (n, d) and (n, a), and points of the second, to their common space; rows have length 1."""
    X, Y = _centre(X), _centre(Y)
    A, B = (_compute_whitener(view, ridge) for view in (X, Y))
    U, correlations, Vt = np.linalg.svd(A @ (X.T @ Y / len(X)) @ B, full_matrices=False)
    weights = np.minimum(correlations, 1) ** power
    first, second = A @ U * weights, B @ Vt.T * weights
    return normalize(X @ first), normalize(Y @ second), normalize(places @ second)


def _centre(view: Floats) -> Floats:
    """Subtract the mean; what is left of equal rows is rounding error, which rows of length 1 would blow up."""
    centred = view - view.mean(axis=0)
    return np.where(np.abs(centred) > ROUNDING * np.abs(view).max(), centred, 0.0)


def _compute_whitener(view: Floats, ridge: float) -> Floats:
    """Return (view^T view / n + ridge * mean variance * I)^-1/2."""
    covariance = view.T @ view / len(view)
    scale = float(np.trace(covariance)) / len(covariance) or 1.0
    values, vectors = np.linalg.eigh(covariance + ridge * scale * np.eye(len(covariance)))
    return np.asarray(vectors / np.sqrt(values) @ vectors.T)
