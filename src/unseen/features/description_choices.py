"""List the preparations of descriptions that are worth trying for a table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.features.logit import PER_CENT, Logit
from unseen.features.rowwise import SquareRoot
from unseen.utils.arrays import to_numpy


def list_description_choices(vectors: Any) -> list[Any]:
    """List the preparations of descriptions to choose from, for the parameter `descriptions` of `Prepared`.

    Descriptions that are frequencies (all values between 0 and 1, or per cent) may be taken as they are, by their
    square roots or by their logits, and by a kernel of either. Any others are taken as they are, or by a kernel.

    Parameters
    ----------
    vectors : array-like of shape (n_classes, d)
        Descriptions of the seen classes, and of no others.

    Returns
    -------
    list of transformer or None
        None, which stands for no preparation, comes first: a search that finds all equally good takes it.

    Examples
    --------
    >>> list_description_choices([[0.0, 0.9], [0.3, 0.1]])
    [None, SquareRoot(normalise=False), Logit()]
    >>> list_description_choices([[-1.2, 0.9], [0.3, 0.1]])
    [None]
    """
    values = np.asarray(to_numpy(vectors), dtype=np.float64)
    return [None, SquareRoot(normalise=False), Logit()] if _are_frequencies(values) else [None]


def _are_frequencies(vectors: NDArray[np.float64]) -> bool:
    """Tell whether all values are shares or per cent, and not just yes and no."""
    smallest, largest = vectors.min(), vectors.max()
    # A scale that ends between 1 and 50 is some other one, such as marks from 1 to 7.
    in_range = smallest >= 0 and (largest <= 1 or PER_CENT / 2 < largest <= PER_CENT)
    # Of two values, roots and logits are two values again.
    return bool(in_range and np.any((vectors != smallest) & (vectors != largest)))
