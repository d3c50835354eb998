"""Farhadi, Endres, Hoiem & Forsyth (CVPR 2009): the class with the nearest attribute signature."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from unseen.features import Rows
from unseen.learning.solvers.l1_logistic import fit_l1_logistic
from unseen.models.attributes.binary_attributes import UsesBinaryAttributes
from unseen.models.base import Classes, ScoreFunction, SmallGrid
from unseen.selection.grid import Point, clone_at_point, group_runs
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, to_cpu, to_numpy
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_positive

DISTANCES = ("euclidean", "cosine")


class Farhadi(UsesBinaryAttributes):
    """Predict every attribute from a few features, then choose the class whose attributes are nearest.

    What is theirs: binary attributes, a linear classifier of each with an l1 penalty, so that it rests on few features,
    and for a class known by its description alone the nearest signature.

    What had to be reconstructed: the paper chooses the features of an attribute by l1-regularised logistic regression
    within each class, between images that have the attribute and images that do not, so that what goes with the
    attribute by chance (wheels and roads) is left out, and trains on the chosen features. That needs attributes of
    single images. A class table gives all images of a class the same ones, so here the l1-regularised logistic
    regression of each attribute is trained on the images of all seen classes, and is the classifier itself. We do not
    know which distance the paper uses. "euclidean" is that between the probabilities p(a_m | x) and the signature of 0
    and 1. "cosine" takes the share of seen classes that have an attribute off both, and compares directions: then an
    attribute that most classes have says little.

    `predict_proba`, which the paper does not have, is the softmax of minus the squared distance, or of the cosine at
    temperature 0.1. A continuous attribute counts as present above the mean of all descriptions. Training uses NumPy:
    features of other array libraries are converted to it and read into memory. Prediction stays in the library of the
    features.

    Parameters
    ----------
    C : float, default 1.0
        Weight of the errors against the l1 penalty.
    distance : "euclidean" (default) or "cosine"
        How far probabilities are from a signature.
    threshold : float or array-like of shape (d_s,), optional
        Value above which an attribute counts as present; by default the mean over attributes and seen classes.
    scaling : "auto" (default) or None
        "auto" centres features and scales them to mean squared length 1. Descriptions are only compared with
        `threshold`.

    Attributes
    ----------
    threshold_ : ndarray of shape (d_s,)
    used_ : ndarray of shape (d_s,), bool
        Which attributes distinguish seen classes.
    share_ : array of shape (n_used,)
        Share of the seen classes that have each used attribute.
    weights_ : array of shape (d_t, n_used)
    offsets_ : array of shape (n_used,)
        p(a_m | x) is the sigmoid of phi(x) weights_ + offsets_.
    n_iter_ : int
        Proximal gradient steps in which all classifiers were trained together.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = Farhadi().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _has_offsets = True
    _fitted = ("share_", "weights_", "offsets_", "n_iter_")
    default_grid: ClassVar[SmallGrid] = {"C": [0.3, 1.0, 3.0, 10.0], "distance": DISTANCES}

    def __init__(
        self,
        C: float = 1.0,
        *,
        distance: Literal["euclidean", "cosine"] = "euclidean",
        threshold: ArrayLike | None = None,
        scaling: Literal["auto"] | None = "auto",
    ) -> None:
        self.C = C
        self.distance = distance
        self.threshold = threshold
        self.scaling = scaling

    def fit_grid(self, X: Array, y: Any, classes: Classes, points: Sequence[Point]) -> Iterator[Self]:
        """Yield the model fitted at each point; see `unseen.selection.GridFitter`.

        The same classifiers are used for both distances.
        """
        for common, distances in group_runs(points, lambda name: name == "distance"):
            fitted = clone_at_point(self, common).fit(X, y, classes)
            for distance in distances:
                yield deepcopy(fitted).set_params(**distance)

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        check_positive(self.C, "C")
        check_choice(self.distance, DISTANCES, "distance")
        present = self._find_attributes(psi)
        machines = fit_l1_logistic(
            to_cpu(phi[:], f"{type(self).__name__} learns"), np.where(present, 1.0, -1.0)[to_numpy(y)], self.C
        )
        self.share_ = as_backend(present.mean(axis=0), psi)
        self.weights_, self.offsets_ = as_backend(machines.weights, psi), as_backend(machines.offsets, psi)
        self.n_iter_ = machines.n_iter

    def _scores_against(self, psi: Array) -> ScoreFunction:
        return lambda phi: self._compare_all(phi, convert_like(self._find_present(psi), phi))

    def _compare_all(self, phi: Array, signatures: Array) -> Array:
        p = self._find_probabilities(phi)
        if self.distance == "cosine":
            return self._direct(p) @ self._direct(signatures).T
        xp = namespace(phi)
        # |p - a|^2 is |p|^2 + sum_m a_m (1 - 2 p_m), because a_m is 0 or 1.
        return (2 * p - 1) @ signatures.T - xp.sum(p * p, axis=1, keepdims=True)

    def _contributions(self, phi: Array, psi: Array) -> Array:
        p, signatures = self._find_probabilities(convert_like(phi, psi)), convert_like(self._find_present(psi), psi)
        cosine = self.distance == "cosine"
        return self._spread(self._direct(p) * self._direct(signatures) if cosine else -((p - signatures) ** 2))

    def _find_probabilities(self, phi: Array) -> Array:
        """Return p(a_m | x) of each row and used attribute."""
        xp = namespace(phi)
        logits = phi @ convert_like(self.weights_, phi) + convert_like(self.offsets_, phi)[None, :]
        return 1 / (1 + xp.exp(xp.clip(-logits, -80.0, 80.0)))

    def _direct(self, attributes: Array) -> Array:
        """Return the direction from the shares of the seen classes, of length 1; 0 where there is none."""
        xp = namespace(attributes)
        away = attributes - convert_like(self.share_, attributes)[None, :]
        lengths = xp.linalg.vector_norm(away, axis=1, keepdims=True)
        return away / xp.where(lengths > 0, lengths, xp.ones_like(lengths))

    def _probability_temperature(self) -> float:
        return 0.1 if self.distance == "cosine" else 1.0
