"""Map descriptions to features whose products are a kernel, so that every bilinear model becomes a kernel model."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from unseen.features.row_functions import compare_with_landmarks, map_to_kernel
from unseen.features.scaling import ROUNDING, DescriptionScaling
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice, make_unknown_error
from unseen.utils.validation import check_positive, check_whole_number, make_random_stream


class KernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Map descriptions to k(psi, landmarks) K^(-1/2), whose inner products are the kernel k (Nystroem).

    Descriptions are centred on the seen classes and scaled to length 1 first, as models do (`DescriptionScaling`). K is
    the kernel between the landmarks. If these are all the seen classes, products of seen descriptions are exactly the
    kernel, and a description of an unseen class is projected onto what the seen ones span.

    Fit it on the vectors of the seen classes only, as `unseen.models.Prepared` does.

    Parameters
    ----------
    kernel : "rbf" (default) or "linear"
        exp(-|a - b|^2 / (2 sigma^2)), or the inner product.
    width : float > 0, default 1.0
        sigma^2 of the RBF kernel in units of the mean squared distance between the seen descriptions; a large width
        comes near the linear kernel.
    landmarks : "seen" (default) or int
        "seen" for all vectors given to `fit`, or a number of them to draw at random.
    random_state : int, RandomState or None
        Seed of the draw.

    Attributes
    ----------
    scaling_ : DescriptionScaling
    landmarks_ : ndarray of shape (n_landmarks, d)
        The scaled descriptions that others are compared with.
    variance_ : float
        sigma^2.
    root_ : ndarray of shape (n_landmarks, n_landmarks)
        K^(-1/2), the symmetric root, in which directions without any extent are left out.

    Examples
    --------
    >>> vectors = np.random.default_rng(0).random((5, 8))
    >>> mapped = KernelMap(width=2.0).fit_transform(vectors)
    >>> mapped.shape, np.diag(mapped @ mapped.T).round(6)
    ((5, 5), array([1., 1., 1., 1., 1.]))
    """

    def __init__(
        self,
        kernel: Literal["rbf", "linear"] = "rbf",
        *,
        width: float = 1.0,
        landmarks: Literal["seen"] | int = "seen",
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.width = width
        self.landmarks = landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Measure the descriptions X (n_classes, d) and choose the landmarks."""
        check_choice(self.kernel, ("rbf", "linear"), "kernel")
        width = check_positive(self.width, "width")
        vectors = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if np.all(vectors.std(axis=0) <= ROUNDING * np.abs(vectors.mean(axis=0))):
            raise InputError("X has the same description for all classes, so that KernelMap has no width: check it")
        self.scaling_ = DescriptionScaling.fit(vectors)
        psi = self.scaling_.apply(vectors)
        self.variance_ = width * _measure_mean_square_distance(psi)
        self.landmarks_ = psi[self._draw_landmarks(len(psi))]
        K = compare_with_landmarks(self.landmarks_, self.landmarks_, self.kernel, self.variance_)
        self.root_ = _invert_root(K)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Map descriptions X (n_classes, d) to features (n_classes, n_landmarks)."""
        check_is_fitted(self)
        vectors = validate_data(self, X, reset=False, dtype=np.float64)
        return map_to_kernel(vectors, self.scaling_, self.landmarks_, self.root_, self.kernel, self.variance_)

    @property
    def _n_features_out(self) -> int:
        return len(self.landmarks_)

    def _draw_landmarks(self, count: int) -> NDArray[np.int64]:
        if self.landmarks == "seen":
            return np.arange(count)
        if isinstance(self.landmarks, str):
            raise make_unknown_error(self.landmarks, ("seen",), "landmarks", "a number of classes to draw")
        wanted = check_whole_number(self.landmarks, "landmarks", 1, count)
        return np.sort(make_random_stream(self.random_state).permutation(count)[:wanted])


def _measure_mean_square_distance(psi: NDArray[np.float64]) -> float:
    """Return the mean squared distance between two different rows."""
    return 2 * float(((psi - psi.mean(axis=0)) ** 2).sum()) / (len(psi) - 1)


def _invert_root(K: NDArray[np.float64]) -> NDArray[np.float64]:
    eigenvalues, vectors = np.linalg.eigh(K)
    # What rounding leaves of an eigenvalue of zero would be amplified without bounds.
    kept = eigenvalues > len(K) * np.finfo(np.float64).eps * eigenvalues[-1]
    roots = np.where(kept, 1 / np.sqrt(np.where(kept, eigenvalues, 1.0)), 0.0)
    return np.asarray((vectors * roots) @ vectors.T)
