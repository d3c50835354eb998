"""UDA (Kodirov et al., ICCV 2015): unsupervised domain adaptation of a dictionary to the batch."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.features import FeatureScaling
from unseen.selection.grid import Estimator
from unseen.transduction.base import TransductiveClassifier
from unseen.transduction.batch import Batch, Seen, softmax
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_flag, check_non_negative, check_whole_number

Floats = NDArray[np.floating]


class UDA(TransductiveClassifier):
    """Encode the batch by a dictionary from descriptions to features, adapted from that of the seen classes.

    With rows x ≈ y D (y a code in the space of descriptions, p_j the candidates, w_ij the model's probabilities):
    min_{D, Y} |X - Y D|² + lam_dictionary |D - D_s|² + lam_prior sum_ij w_ij |y_i - p_j|² + lam_sparse |Y|_1,
    solved in turn for D in closed form and for Y by accelerated proximal steps. The answer is the candidate nearest to
    the code.

    Parameters
    ----------
    model : estimator
        Model that gives w; fitted by `fit`.
    lam_source : float, default 1.0
        Strength of the ridge regulariser of the seen classes' dictionary D_s.
    lam_dictionary : float, default 10.0
        How strongly the dictionary is pulled towards D_s.
    lam_prior : float, default 0.03
        How strongly codes are pulled towards the candidates that the model finds probable.
    lam_sparse : float, default 0.001
    positive : bool, default True
        Whether to keep codes non-negative if no description has a negative value.
    n_rounds : int, default 5
    n_code_steps : int, default 30
        Number of proximal steps for the codes in each round.
    sharpness : float, default 4.0
        Sharpness of the softmax that turns scores into w.
    features : transformer, optional
        Preparation of the rows, as in `SPZSR`.

    Notes
    -----
    The paper takes w from IAP; here any model gives it. Features are centred and scaled to mean squared length 1, and
    descriptions to largest absolute value 1. The weights are ours, because the paper's are for other units.
    """

    _fitted = ("_scaling", "_largest", "dictionary_")

    def __init__(
        self,
        model: Estimator,
        *,
        lam_source: float = 1.0,
        lam_dictionary: float = 10.0,
        lam_prior: float = 0.03,
        lam_sparse: float = 0.001,
        positive: bool = True,
        n_rounds: int = 5,
        n_code_steps: int = 30,
        sharpness: float = 4.0,
        features: Any = None,
    ) -> None:
        self.model = model
        self.lam_source = lam_source
        self.lam_dictionary = lam_dictionary
        self.lam_prior = lam_prior
        self.lam_sparse = lam_sparse
        self.positive = positive
        self.n_rounds = n_rounds
        self.n_code_steps = n_code_steps
        self.sharpness = sharpness
        self.features = features

    def _check_parameters(self) -> None:
        check_flag(self.positive, "positive")
        for name in ("n_rounds", "n_code_steps"):
            check_whole_number(getattr(self, name), name, 1)
        for name in ("lam_prior", "lam_sparse", "sharpness"):
            check_non_negative(getattr(self, name), name)
        for name in ("lam_source", "lam_dictionary"):
            if not check_non_negative(getattr(self, name), name):
                raise InputError(f"{name}=0 leaves the dictionary undetermined: give a positive number")

    def _learn(self, seen: Seen) -> None:
        self._scaling = FeatureScaling.fit(seen.Z, seen.weights)
        self._largest = float(np.abs(seen.vectors).max()) or 1.0
        X, P = to_numpy(self._scaling.apply(seen.Z)), seen.vectors / self._largest
        sums = np.zeros((len(P), X.shape[1]))
        np.add.at(sums, seen.y, X if seen.weights is None else X * seen.weights[:, None])
        gram = (P * np.bincount(seen.y, seen.weights, minlength=len(P))[:, None]).T @ P
        self.dictionary_ = np.linalg.solve(gram + self.lam_source * np.eye(P.shape[1]), P.T @ sums)

    def _refine(self, batch: Batch) -> Iterator[NDArray[Any]]:
        if not hasattr(self, "dictionary_"):
            raise InputError("UDA learns its dictionary from the seen rows: call fit before predict")
        X = to_numpy(self._scaling.apply(batch.Z)).astype(np.float64)
        P = batch.table.vectors / self._largest
        expected = batch.probabilities(sharpness=self.sharpness).astype(np.float64) @ P
        positive = self.positive and bool(P.min() >= 0)
        D, Y = self.dictionary_, expected
        for _ in range(self.n_rounds):
            Y = find_sparse_codes(X, D, expected, Y, self.lam_prior, self.lam_sparse, positive, self.n_code_steps)
            left = Y.T @ Y + self.lam_dictionary * np.eye(len(D))
            D = np.linalg.solve(left, Y.T @ X + self.lam_dictionary * self.dictionary_)
        logits = 2 * Y @ P.T - np.sum(P * P, axis=1)
        logits -= logits.mean(axis=1, keepdims=True)
        shares = softmax(self.sharpness * logits / (logits.std() or 1.0))
        for rows in batch.blocks:
            yield shares[rows]


def find_sparse_codes(
    X: Floats, D: Floats, expected: Floats, Y: Floats, lam_prior: float, lam_sparse: float, positive: bool, n_steps: int
) -> Floats:
    """Minimise |X - Y D|² + lam_prior |Y - expected|² + lam_sparse |Y|_1 over codes Y (n, a), from a start.

    The prior with weights w_ij that sum to 1 in each row is |y_i - sum_j w_ij p_j|² up to a constant.
    """
    gram = D @ D.T + lam_prior * np.eye(len(D))
    linear = X @ D.T + lam_prior * expected
    step = 1 / max(float(np.linalg.norm(gram, 2)), 1e-12)
    point, momentum = Y, 1.0
    for _ in range(n_steps):
        moved = point - step * (point @ gram - linear)
        shrunk = np.abs(moved) - step * lam_sparse / 2
        new = np.maximum(moved - step * lam_sparse / 2, 0) if positive else np.sign(moved) * np.maximum(shrunk, 0)
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        point, Y, momentum = new + (momentum - 1) / faster * (new - Y), new, faster
    return Y
