"""List the preparations of descriptions that are worth trying for a table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

from unseen.features.descriptions.kernel_map import KernelMap
from unseen.features.descriptions.logit import PER_CENT, Logit
from unseen.features.rowwise import SquareRoot
from unseen.utils.arrays import to_numpy

# A full kernel of more classes than this is slow to make; half as many landmarks then stand for all of them, which
# leaves a search free to hold classes out.
MOST_CLASSES = 1000


def list_description_choices(vectors: Any) -> list[Any]:
    """List the preparations of descriptions to choose from, for the parameter `descriptions` of `Prepared`.

    Any descriptions may be taken as they are or through a kernel (`KernelMap`). For frequencies, with all values
    between 0 and 1 or per cent, square roots, logits and kernels of these are listed too, in place of the plain kernel.

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
    >>> list_description_choices([[-1.2, 0.9], [0.3, 0.1]])
    [None, KernelMap()]
    >>> list_description_choices([[0.0, 0.9], [0.3, 0.1]])[:3]
    [None, SquareRoot(normalise=False), Logit()]
    """
    values = np.asarray(to_numpy(vectors), dtype=np.float64)
    kernel = KernelMap(landmarks=MOST_CLASSES // 2, random_state=0) if len(values) > MOST_CLASSES else KernelMap()
    if not _are_frequencies(values):
        return [None, kernel]
    root, logit = SquareRoot(normalise=False), Logit()
    return [None, root, logit, make_pipeline(root, kernel), make_pipeline(logit, kernel)]


def _are_frequencies(vectors: NDArray[np.float64]) -> bool:
    """Tell whether all values are shares or per cent, and not just yes and no."""
    smallest, largest = vectors.min(), vectors.max()
    # A scale that ends between 1 and 50 is some other one, such as marks from 1 to 7.
    in_range = smallest >= 0 and (largest <= 1 or PER_CENT / 2 < largest <= PER_CENT)
    # Of two values, roots and logits are two values again.
    return bool(in_range and np.any((vectors != smallest) & (vectors != largest)))
