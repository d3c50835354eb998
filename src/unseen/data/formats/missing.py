"""Find and fill attribute values that are marked as missing."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from unseen.data.benchmarks.known import recognise_benchmark
from unseen.utils.errors import InputError, shorten

Missing = Literal["zero", "mean", "keep"]


# Missing values are rare (4 of 4,250). If more values are negative, they are real values.
_RARE = 0.01


def find_missing_in_awa(attributes: NDArray[Any], labels: list[Any]) -> NDArray[np.bool_]:
    """Find the missing values of the continuous predicate matrix of Animals with Attributes.

    They are -1, or another single negative number if the description of the class is scaled. In any other table, even
    of the same classes, negative numbers are ordinary values.
    """
    nothing = np.zeros(attributes.shape, dtype=bool)
    benchmark = recognise_benchmark(labels, 0)
    if benchmark is None or not benchmark.key.startswith("AWA") or attributes.dtype.kind not in "fi":
        return nothing
    negative: NDArray[np.bool_] = attributes < 0
    is_mark = np.unique(attributes[negative]).size == 1 and negative.mean() < _RARE
    return negative if is_mark and attributes.shape[1:] == (benchmark.attributes,) else nothing


def fill_missing(attributes: NDArray[Any], missing: NDArray[np.bool_], how: str) -> NDArray[Any]:
    """Fill missing values.

    Parameters
    ----------
    attributes : ndarray of shape (n_classes, width)
        Class descriptions.
    missing : ndarray of bool, same shape
        Whether a value is missing.
    how : {"zero", "mean", "keep"}
        Fill with 0 ("the class does not have it") or with the mean of the attribute over the other classes, or keep the
        stored value. In Animals with Attributes only four colours of the antelope are missing, on a scale to 100. So 0
        is close to the published practice of using -1 as a value, and it needs no statistics of other classes.

    Examples
    --------
    >>> fill_missing(np.array([[-1.0], [4.0], [6.0]]), np.array([[True], [False], [False]]), "mean").ravel()
    array([5., 4., 6.])
    """
    if how not in get_args(Missing):
        raise InputError(f"missing={how!r} is not a way to fill missing values: choose {shorten(get_args(Missing))}")
    if how == "keep" or not missing.any():
        return attributes
    filled = np.array(attributes)
    for column in np.flatnonzero(missing.any(axis=0)):
        gaps = missing[:, column]
        measured = filled[~gaps, column]
        filled[gaps, column] = measured.mean() if how == "mean" and measured.size else 0
    return filled
