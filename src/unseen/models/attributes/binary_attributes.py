"""What models of binary attributes share: which attributes a class has, and which of them distinguish seen classes."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unseen.data import ClassTable
from unseen.features import DescriptionScaling
from unseen.models.weights import CountsRowsOnce
from unseen.utils.arrays import Array, as_backend, namespace, to_numpy
from unseen.utils.errors import InputError


class UsesBinaryAttributes(CountsRowsOnce):
    """A model of binary attributes: a class has an attribute if its description is above a threshold.

    A subclass has a parameter `threshold`, and its `_fit` starts with `_find_attributes`. Descriptions reach it as they
    are given, because they are only compared with the threshold.

    Attributes
    ----------
    threshold_ : ndarray of shape (d_s,)
    used_ : ndarray of shape (d_s,), bool
        Which attributes distinguish seen classes.
    """

    threshold: ArrayLike | None

    _fitted: ClassVar[tuple[str, ...]] = ("threshold_", "used_")

    def _fit_scaling(self, X: Array, seen: ClassTable, weights: Array | None, *, offsets: bool) -> None:
        super()._fit_scaling(X, seen, weights, offsets=offsets)
        self._description_scaling = DescriptionScaling.identity(as_backend(seen.vectors, X))

    def _find_attributes(self, psi: Array) -> NDArray[np.bool_]:
        """Set `threshold_` and `used_`; return which of the used attributes each seen class has."""
        descriptions = to_numpy(psi)
        self.threshold_ = _choose_thresholds(self.threshold, descriptions)
        present = descriptions > self.threshold_
        self.used_ = present.any(axis=0) & ~present.all(axis=0)
        if not self.used_.any():
            raise InputError(
                f"threshold={self.threshold!r} finds every attribute in all seen classes or in none: "
                "choose one that distinguishes them"
            )
        return np.asarray(present[:, self.used_])

    def _find_present(self, psi: Array) -> Array:
        """Return 1 for each used attribute that a class has, and 0 for the others."""
        xp = namespace(psi)
        present = xp.asarray(to_numpy(psi)[:, self.used_] > self.threshold_[self.used_], device=psi.device)
        return xp.astype(present, xp.float64)

    def _spread(self, found: Array) -> Array:
        """Widen contributions of the used attributes to all attributes; the others contribute 0."""
        return found @ as_backend(np.eye(len(self.used_))[self.used_], found)


def _choose_thresholds(threshold: ArrayLike | None, descriptions: NDArray[Any]) -> NDArray[np.float64]:
    """Return one threshold per attribute."""
    width = descriptions.shape[1]
    try:
        given = np.asarray(descriptions.mean() if threshold is None else threshold, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.array(np.nan)
    if given.shape not in ((), (width,)) or not np.isfinite(given).all():
        raise InputError(f"threshold={threshold!r} must be one finite number, or one for each of {width} attributes")
    return np.broadcast_to(given, (width,))
