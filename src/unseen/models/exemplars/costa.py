"""COSTA (Mensink, Gavves & Snoek, CVPR 2014): classifiers combined by co-occurrence statistics."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from unseen.data import ClassTable
from unseen.features import DescriptionScaling, Rows
from unseen.models.base import Classes, LinearForm, SmallGrid
from unseen.models.exemplars.cooccurrence import Presence, Similarity, compare_counts, list_terms
from unseen.models.exemplars.label_weights import solve_label_weights
from unseen.models.weights import CountsRowsOnce
from unseen.selection.grid import Point, clone_at_point, group_runs
from unseen.utils.arrays import Array, as_backend, as_chunk, to_cpu, to_numpy
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_flag, check_non_negative, check_positive, make_random_stream

Matrix = NDArray[np.float64]

# With a tighter tolerance liblinear takes longer, and on digit-pairs the accuracy stays the same.
TOLERANCE = 0.1


class COSTA(CountsRowsOnce):
    """Make the classifier of an unseen class from those of the seen classes that it co-occurs with.

    As in the paper, the classifier of a new label l is the sum over known labels k of a_k s_lk w_k. The w_k are
    one-versus-rest support vector machines, s_lk is a similarity from co-occurrence counts with s_ll = 0, and the
    weights a are those by which the known classifiers, each left out in turn, are predicted best from the others, by
    least squares. Counts of presence and absence enter with the signs +, -, -, + (both present, one of the two, none of
    them).

    The paper's labels are many in an image, and counted over images. Classes that exclude each other never co-occur in
    an image, so here they are counted over attributes: two classes co-occur in an attribute as far as both have it.
    How far a class has it is its value, from 0 (two standard deviations below the mean of the seen classes, about) over
    1/2 (the mean) to 1. c_lk is the sum over attributes of the product.

    Because classes exclude each other, three more things are ours. All one-versus-rest classifiers have in common what
    tells any class from the rest, and their mean is subtracted. When a class is left out, the mean is that of the
    others; otherwise each classifier would look like the negative of the others, and the weights be negative. And the
    combined classifiers are scaled to length 1, because here they are compared with each other, while in the paper each
    ranks images on its own. The weights are shrunk towards a common value by `ridge`; the details of "normalised",
    "binarised" and "sqrt" are reconstructed. A seen class among the candidates keeps its own classifier.

    The published 14.4 for CUB is a mean average precision over attributes, and cannot be compared.

    Training uses scikit-learn: features of other array libraries are converted to NumPy and read into memory. The model
    does not take sample weights.

    Parameters
    ----------
    similarity : "dice" (default), "normalised", "binarised" or "sqrt"
        c_lk / (c_l + c_k); c_lk / c_l; 1 where c_lk / c_l, with signs, is above its mean over pairs of seen classes;
        or the square root of c_lk / c_l.
    absence : bool, default True
        Whether absent attributes count, with the signs above, or only attributes that both classes have.
    ridge : float, default 10.0
        Shrinkage of the weights a towards their common value, relative to the mean curvature of the least squares. If
        it is large, all weights are the same.
    C : float, default 0.1
        Weight of the errors against the regulariser of the support vector machines.
    scaling : "auto" (default) or None
        "auto" centres features and scales them to mean squared length 1. Descriptions are taken as they are.
    random_state : int, RandomState or None
        Random seed for the order in which liblinear visits rows.

    Attributes
    ----------
    classifiers_ : array of shape (n_seen, d_t + 1)
        w_k without their mean, the offset last.
    label_weights_ : ndarray of shape (n_seen,)
        The weights a.
    level_ : float
        Similarity above which "binarised" is 1.
    n_iter_ : int
        Largest number of iterations of any machine.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = COSTA(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.5)
    True
    """

    _has_offsets = True
    _fitted = ("classifiers_", "label_weights_", "level_", "n_iter_", "_seen_vectors")
    default_grid: ClassVar[SmallGrid] = {
        "C": [0.01, 0.1, 1.0],
        "absence": [True, False],
        "similarity": ["normalised", "dice"],
        "ridge": [0.01, 0.1, 1.0, 10.0],
    }

    def __init__(
        self,
        similarity: Similarity = "dice",
        *,
        absence: bool = True,
        ridge: float = 10.0,
        C: float = 0.1,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.similarity = similarity
        self.absence = absence
        self.ridge = ridge
        self.C = C
        self.scaling = scaling
        self.random_state = random_state

    def fit_grid(self, X: Array, y: Any, classes: Classes, points: Sequence[Point]) -> Iterator[Self]:
        """Yield the model fitted at each point; see `unseen.selection.GridFitter`.

        The same classifiers of seen classes are used for all values of `similarity`, `absence` and `ridge`.
        """
        for common, others in group_runs(points, lambda name: name in ("similarity", "absence", "ridge")):
            first = clone_at_point(self, common).fit(X, y, classes)
            for other in others:
                model = clone_at_point(self, common | other)
                model._check_parameters()
                apart = set(first.get_params())
                model.__dict__.update(
                    deepcopy({name: value for name, value in vars(first).items() if name not in apart})
                )
                model._forget_scorers()
                model._weigh_labels()
                yield model

    def _fit_scaling(self, X: Array, seen: ClassTable, weights: Array | None, *, offsets: bool) -> None:
        super()._fit_scaling(X, seen, weights, offsets=offsets)
        self._description_scaling = DescriptionScaling.identity(as_backend(seen.vectors, as_chunk(X)))

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        self._check_parameters()
        seed = make_random_stream(self.random_state).randint(2**31)
        machines = LinearSVC(C=self.C, dual=True, tol=TOLERANCE, random_state=seed)
        # Each problem is small, so that several threads would only slow it down.
        with threadpool_limits(1, user_api="blas"):
            machines.fit(to_cpu(phi[:], f"{type(self).__name__} learns"), to_numpy(y))
        found = np.column_stack([machines.coef_, machines.intercept_])
        if len(found) == 1:
            # For two classes scikit-learn keeps only the second.
            found = np.concatenate([-found, found])
        self.classifiers_ = as_backend(found - found.mean(axis=0), psi)
        self.n_iter_, self._seen_vectors = int(machines.n_iter_), as_backend(psi, psi)
        self._weigh_labels()

    def _check_parameters(self) -> None:
        check_choice(self.similarity, get_args(Similarity), "similarity")
        check_flag(self.absence, "absence")
        check_non_negative(self.ridge, "ridge")
        check_positive(self.C, "C")

    def _weigh_labels(self) -> None:
        """Predict each seen classifier from the others by least squares."""
        vectors = to_numpy(self._seen_vectors)
        similar = self._measure_similarity(vectors)
        self.level_ = float(similar[~np.eye(len(similar), dtype=bool)].mean())
        similar = self._find_similarities(vectors)
        np.fill_diagonal(similar, 0.0)
        self.label_weights_ = solve_label_weights(similar, to_numpy(self.classifiers_), float(self.ridge))

    def _find_similarities(self, vectors: Matrix) -> Matrix:
        """Return s (m, n_seen) of classes with these descriptions."""
        similar = self._measure_similarity(vectors)
        return (similar > self.level_).astype(np.float64) if self.similarity == "binarised" else similar

    def _measure_similarity(self, vectors: Matrix) -> Matrix:
        terms = self._list_terms(vectors)
        return np.asarray(sum(sign * compare_counts(one, two, self.similarity) for sign, one, two in terms))

    def _list_terms(self, vectors: Matrix) -> list[tuple[float, Matrix, Matrix]]:
        seen = to_numpy(self._seen_vectors)
        presence = Presence.fit(seen)
        return list_terms(presence.apply(vectors), presence.apply(seen), absence=self.absence)

    def _combine(self, vectors: Matrix) -> tuple[Matrix, NDArray[np.bool_]]:
        """Return how classifiers of seen classes make those of candidates (m, n_seen), and which candidates are seen.

        The classifiers that result have length 1.
        """
        same = (vectors[:, None, :] == to_numpy(self._seen_vectors)[None]).all(axis=2)
        seen = same.any(axis=1)
        first = np.eye(same.shape[1])[same.argmax(axis=1)]
        mixture = np.where(seen[:, None], first, self._find_similarities(vectors) * self.label_weights_)
        lengths = np.linalg.norm(mixture @ to_numpy(self.classifiers_), axis=1, keepdims=True)
        return mixture / np.where(lengths > 0, lengths, 1.0), seen

    def _scores_against(self, psi: Array) -> LinearForm:
        made = self._combine(to_numpy(psi))[0] @ to_numpy(self.classifiers_)
        return as_backend(made[:, :-1].T, psi), as_backend(made[:, -1], psi)

    def _contributions(self, phi: Array, psi: Array) -> Array:
        """Share the score as co-occurrence is shared by attributes; what is not so made, by all of them alike."""
        classifiers, rows = to_numpy(self.classifiers_), to_numpy(phi).astype(np.float64)
        known = rows @ classifiers[:, :-1].T + classifiers[:, -1]
        distinct, places = np.unique(to_numpy(psi), axis=0, return_inverse=True)
        mixtures, seen = self._combine(distinct)
        parts = np.zeros(psi.shape)
        for place, mixture in enumerate(mixtures):
            of_class = places.ravel() == place
            if not seen[place]:
                parts[of_class] = (known[of_class] * mixture) @ self._share_similarity(distinct[place : place + 1])
            missing = known[of_class] @ mixture - parts[of_class].sum(axis=1)
            parts[of_class] += missing[:, None] / psi.shape[1]
        return as_backend(parts, psi)

    def _share_similarity(self, vector: Matrix) -> Matrix:
        """Return the share (n_seen, d_s) of every attribute in the similarities of one class (1, d_s)."""
        total = self._measure_similarity(vector)[0][:, None]
        shares = sum(
            sign * compare_counts(one, two, self.similarity)[0][:, None] * _divide(one * two, (one * two).sum(axis=1))
            for sign, one, two in self._list_terms(vector)
        )
        return _divide(np.asarray(shares), total[:, 0])


def _divide(rows: Matrix, sizes: Matrix) -> Matrix:
    """Divide each row by its size; rows of size 0 become 0."""
    nonzero = sizes != 0
    return np.where(nonzero[:, None], rows / np.where(nonzero, sizes, 1.0)[:, None], 0.0)
