"""Yu, Cao, Feris, Smith & Chang (CVPR 2013): category-level attributes designed from similarities of classes."""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from unseen.data import ClassTable
from unseen.features import DescriptionScaling
from unseen.models.attributes.learns_from_memberships import LearnsFromMemberships
from unseen.models.attributes.machines.class_ridge import ClassRidge
from unseen.models.base import SmallGrid
from unseen.utils.arrays import Array, as_backend, as_chunk, convert_like, namespace, to_numpy, unit_rows
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_non_negative, check_whole_number

# Gains and shares of a length below this are rounding.
ROUNDING = 1e-9


class Yu(LearnsFromMemberships):
    """Design attributes that tell classes apart but vary little between similar ones, and find the nearest code.

    A reconstruction. Theirs are the code book and the codes of unseen classes: A (k, l), one row for each of the k seen
    classes, maximises over A^T A = I

        sum_ij |A_i - A_j|^2 - lam sum_ij S_ij |A_i - A_j|^2,

    so that its columns, the designed attributes, are the top eigenvectors of k I - 1 1^T - lam L, with L the Laplacian
    of the similarities S; an unseen class of similarities S' to the seen ones has the code A' = S' A. Both sums are
    taken as means here (the second weighted by S), which makes `lam` a number without units: at 1 an attribute has
    to vary less between similar classes than between any two. Attributes that gain nothing are left out.

    People gave the similarities, and we have none. `similarity="cosine"` derives them from the descriptions: the
    cosine, where positive, of a class with each of the `n_similar` seen classes most similar to it. With
    `similarity="given"` the descriptions are taken to be similarities: the class table has one column for each seen
    class, named after it, or as many columns as there are seen classes, in the order of `classes_`.

    Ours, too, is how attributes are predicted and codes compared. All of them are regressed on the features by ridge
    regression, and the score of a class is the regressed code times its code scaled to length 1 (mixing seen classes
    shortens codes, so that a distance would favour classes that resemble many). A seen class is a candidate like any
    other, coded by its similarities. Unlike in `DAP`, an attribute has no meaning that its values were given for.

    Notes
    -----
    All vectors orthogonal to 1 gain alike from the first sum, so the designed attributes are the eigenvectors of the
    Laplacian, smoothest first, for every `lam`: it only says how many of them are used. With all k - 1 of them, A A^T
    centres, and scores are those of seen classes mixed by similarity.

    Parameters
    ----------
    lam : float, default 0.5
        Weight of the similarities in the design.
    gamma : float, default 1.0
        Strength of the ridge regression, in units of the mean variance of a feature.
    n_similar : int, optional
        Number of seen classes that a class is similar to; by default all to which its cosine is positive.
    n_attributes : int, optional
        Largest number of attributes; by default all that gain.
    similarity : "cosine" (default) or "given"
        Whether similarities are cosines of descriptions, or the descriptions themselves.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`. Similarities that are given are never scaled.

    Attributes
    ----------
    codes_ : array of shape (n_seen, l)
        A, the code book of the seen classes.
    gains_ : ndarray of shape (l,)
        What each attribute adds to the objective: at most 1, in decreasing order.
    weights_ : array of shape (d_t, l)
    offsets_ : array of shape (l,)
        The code of an image is phi(x) weights_ + offsets_.
    seen_ : array of shape (d_s, n_seen)
        Similarities are psi(y) seen_, where positive; for cosines psi(y) is scaled to length 1 first.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = Yu().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _solved_for = ("lam", "gamma", "n_similar", "n_attributes")
    _fitted = ("codes_", "gains_", "weights_", "offsets_", "seen_")
    default_grid: ClassVar[SmallGrid] = {
        "gamma": [0.1, 1.0, 10.0],
        "n_similar": [5, 20, None],
        "lam": [0.5, 0.75, 1.0],
    }

    def __init__(
        self,
        lam: float = 0.5,
        *,
        gamma: float = 1.0,
        n_similar: int | None = None,
        n_attributes: int | None = None,
        similarity: Literal["cosine", "given"] = "cosine",
        scaling: Literal["auto"] | None = "auto",
    ) -> None:
        self.lam = lam
        self.gamma = gamma
        self.n_similar = n_similar
        self.n_attributes = n_attributes
        self.similarity = similarity
        self.scaling = scaling

    def _fit_scaling(self, X: Array, seen: ClassTable, weights: Array | None, *, offsets: bool) -> None:
        super()._fit_scaling(X, seen, weights, offsets=offsets)
        if check_choice(self.similarity, ("cosine", "given"), "similarity") == "given":
            self._description_scaling = DescriptionScaling.identity(as_backend(seen.vectors, as_chunk(X)))

    def _learn(self, ridge: ClassRidge, psi: Array) -> None:
        self.seen_ = self._find_columns(psi) if self.similarity == "given" else unit_rows(psi).T
        codes, self.gains_ = design_codes(to_numpy(self._find_similarities(psi)), self.lam, self.n_attributes)
        self.codes_ = as_backend(codes, psi)
        self.weights_, self.offsets_ = ridge.weights @ self.codes_, ridge.offsets @ self.codes_

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_non_negative(self.lam, "lam")
        for name in ("n_similar", "n_attributes"):
            if getattr(self, name) is not None:
                check_whole_number(getattr(self, name), name, minimum=1)

    def _find_columns(self, psi: Array) -> Array:
        """Return the matrix (d_s, n_seen) that picks the columns of similarities to the seen classes."""
        wanted, names = [str(label) for label in self.classes_], self.table_.attributes
        if names is None:
            names = tuple(wanted) if psi.shape[1] == len(wanted) else ()
        missing = [label for label in wanted if label not in names]
        if missing:
            raise InputError(
                f"similarity='given', but classes has no column for the seen classes {shorten(missing)}: name the "
                "columns after the classes that they are similarities to, or choose similarity='cosine'"
            )
        picked = np.array(names)[:, None] == np.array(wanted)[None, :]
        return as_backend(picked.astype(np.float64), psi)

    def _find_similarities(self, psi: Array) -> Array:
        """Return the similarities (m, n_seen) of classes psi (m, d_s), zero where they are not among the largest."""
        xp, found = namespace(psi), self._prepare_descriptions(psi) @ as_backend(self.seen_, psi)
        least = xp.zeros_like(found[:, :1])
        if self.n_similar is not None and self.n_similar < found.shape[1]:
            least = xp.sort(found, axis=1)[:, -self.n_similar][:, None]
        return xp.where((found >= least) & (found > 0), found, xp.zeros_like(found))

    def _prepare_descriptions(self, psi: Array) -> Array:
        return psi if self.similarity == "given" else unit_rows(psi)

    def _mix_codes(self, similarities: Array) -> tuple[Array, Array]:
        """Return the codes S' A (m, l), and their lengths (m, 1)."""
        xp, codes = namespace(similarities), similarities @ as_backend(self.codes_, similarities)
        lengths, limits = (xp.linalg.vector_norm(rows, axis=1, keepdims=True) for rows in (codes, similarities))
        return codes, xp.where(lengths > ROUNDING * limits, lengths, xp.ones_like(lengths))

    def _scores_against(self, psi: Array) -> tuple[Array, Array]:
        codes, lengths = self._mix_codes(self._find_similarities(psi))
        unit = (codes / lengths).T
        return self.weights_ @ unit, self.offsets_ @ unit

    def _contributions(self, phi: Array, psi: Array) -> Array:
        similarities = self._find_similarities(psi)
        _, lengths = self._mix_codes(similarities)
        weights, offsets, codes, seen = (
            convert_like(part, psi) for part in (self.weights_, self.offsets_, self.codes_, self.seen_)
        )
        # The score is a sum over similar seen classes, and the similarity to each of them is a sum over attributes.
        found = (convert_like(phi, psi) @ weights + offsets[None, :]) @ codes.T
        similar = namespace(psi).astype(similarities > 0, psi.dtype)
        return (found * similar / lengths) @ seen.T * self._prepare_descriptions(psi)


def design_codes(
    similarities: NDArray[Any], lam: float, n_attributes: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the code book (k, l) of k classes, and the gain of each of its columns.

    Parameters
    ----------
    similarities : ndarray of shape (k, k)
        Similarity of each class to the others, at least 0; of the two values of a pair the mean counts, and that of a
        class to itself does not.
    lam : float
        Weight of the similarities.
    n_attributes : int, optional
        Largest number of columns.

    Examples
    --------
    Of four classes in two similar pairs, the attribute that gains most has the same value within each pair:

    >>> codes, gains = design_codes(np.kron(np.eye(2), np.ones((2, 2))), lam=1.0, n_attributes=1)
    >>> np.abs(codes @ codes.T).round(2)[0], gains.round(2)
    (array([0.25, 0.25, 0.25, 0.25]), array([1.]))
    """
    k = len(similarities)
    mutual = (similarities + similarities.T) / 2
    np.fill_diagonal(mutual, 0.0)
    laplacian = np.diag(mutual.sum(axis=1)) - mutual
    # Of a unit vector v orthogonal to 1, squared differences are 2 / (k - 1) in the mean over all pairs, and
    # 2 v^T L v / sum S over similar ones: in units of the first, a gain is 1 less lam times the second.
    total = float(mutual.sum())
    varies = laplacian * ((k - 1) / total) if total else laplacian
    gains, vectors = np.linalg.eigh(np.eye(k) - 1 / k - lam * varies)
    best = np.flatnonzero(gains > ROUNDING)[::-1][:n_attributes]
    if not best.size:
        raise InputError(f"lam={lam!r} is so large that no attribute gains anything: lower it")
    return vectors[:, best], gains[best]
