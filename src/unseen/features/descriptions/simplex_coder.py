"""Describe classes as mixtures of other classes: the paper's sparse coding of attribute vectors."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted, validate_data

from unseen.features.descriptions.simplex import compute_simplex_codes
from unseen.utils.registry import make_unknown_error
from unseen.utils.validation import check_flag, check_non_negative, check_whole_number


class SimplexCoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Code a class vector as non-negative weights of atoms that sum to 1 (SSE, Eq. 3; JLSE, Eq. 8).

    alpha = argmin gamma/2 ||alpha||^2 + 1/2 ||c - sum_k alpha_k a_k||^2 over the simplex. Every code is exact, and a
    class among the atoms is coded like any other. A large gamma gives dense, nearly uniform codes, a small one sparse
    codes: on the attributes of aP&Y, all 20 atoms are used at gamma=10 and about 7 of them at gamma=0.01.

    Fit it on the vectors of the seen classes only, as `unseen.models.Prepared` does.

    Parameters
    ----------
    gamma : float, default 1.0
        Weight of the penalty on long codes, at least 0. SSE uses 10 for aP&Y and AwA; for JLSE about 1
        is best on AwA.
    atoms : "seen" (default) or int
        "seen" for the vectors given to `fit`, or the number of their k-means centres (JLSE uses 200 for SUN).
    unit_length : bool, default True
        Whether to scale vectors to length 1 first, as SSE's code does. This makes `gamma` independent of their units.
    random_state : int, RandomState or None
        Seed of k-means.

    Attributes
    ----------
    atoms_ : ndarray of shape (n_atoms, d)

    Examples
    --------
    >>> coder = SimplexCoder(gamma=0.1).fit([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> coder.transform([[1.0, 1.0, 0.0]]).round(3)
    array([[0.5, 0.5, 0. ]])
    """

    def __init__(
        self,
        gamma: float = 1.0,
        atoms: Literal["seen"] | int = "seen",
        *,
        unit_length: bool = True,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.atoms = atoms
        self.unit_length = unit_length
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the atoms.

        Parameters
        ----------
        X : array-like of shape (n_classes, d)
            One vector for each class.
        y : ignored
        """
        check_non_negative(self.gamma, "gamma")
        check_flag(self.unit_length, "unit_length")
        vectors = self._read(X, reset=True)
        self.atoms_ = vectors if self.atoms == "seen" else self._find_centres(vectors)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Compute the codes of class vectors.

        Parameters
        ----------
        X : array-like of shape (n_classes, d)

        Returns
        -------
        ndarray of shape (n_classes, n_atoms)
        """
        check_is_fitted(self)
        return compute_simplex_codes(self._read(X, reset=False), self.atoms_, float(self.gamma))

    @property
    def _n_features_out(self) -> int:
        return len(self.atoms_)

    def _read(self, X: Any, *, reset: bool) -> NDArray[np.float64]:
        vectors = validate_data(self, X, reset=reset, dtype=np.float64)
        return np.asarray(normalize(vectors) if self.unit_length else vectors)

    def _find_centres(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        from sklearn.cluster import KMeans

        if isinstance(self.atoms, str):
            raise make_unknown_error(self.atoms, ("seen",), "atoms", "a number of k-means centres")
        count = check_whole_number(self.atoms, "atoms", 1, len(vectors))
        return np.asarray(KMeans(count, n_init=10, random_state=self.random_state).fit(vectors).cluster_centers_)
