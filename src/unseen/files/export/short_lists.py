"""Find a short list of classes by a few numbers of each, and score only these exactly.

Scores of very many classes vary along few directions. FAISS searches the cells nearest to a query in these directions,
with a byte for each number. What it finds is scored with all numbers of the class vectors.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import cut_row_blocks
from unseen.utils.optional import import_optional

# Number of cells that a search looks into, unless it is told otherwise.
EFFORT = 32

# A search scores this many classes exactly, or this many for each that it returns.
SHORT_LIST = 64
LISTED_FOR_EACH = 4

# Number of classes per cell that k-means learns from: enough of them, and far quicker than all.
ROWS_PER_CELL = 64

# Share of the variance of scores that the short vectors keep. More would cost time and find hardly more.
KEPT_VARIANCE = 0.99

# Numbers in a short vector come in groups that a processor multiplies at once.
GROUP = 8

# Directions in which queries vary less than this, relative to the largest, are taken to vary so much.
SMALLEST_MOMENT = 1e-9


def add_short_lists(flat: Any, vectors: NDArray[np.float32], moment: NDArray[np.float64]) -> Any:
    """Return a FAISS index that scores short lists by a flat index.

    Parameters
    ----------
    flat : faiss.IndexFlat
        The index that holds the class vectors.
    vectors : ndarray of shape (m, width)
        These class vectors.
    moment : ndarray of shape (width, width)
        Second moment of the queries, as far as it is known.
    """
    faiss = import_faiss()
    n, width = vectors.shape
    cells = max(1, round(n**0.5))
    sample = vectors[np.random.default_rng(0).permutation(n)[: ROWS_PER_CELL * cells]]
    for_queries, for_classes = find_directions(sample, moment)
    short = for_classes.shape[1]
    ivf = faiss.index_factory(short, f"IVF{cells},SQ8", faiss.METRIC_INNER_PRODUCT)
    ivf.train(sample @ for_classes)
    for rows in cut_row_blocks(n, 4 * (width + short)):
        ivf.add(vectors[rows] @ for_classes)
    # FAISS would transform classes like queries. Classes are in the cells already, so it transforms only queries.
    transform = faiss.LinearTransform(width, short, False)
    faiss.copy_array_to_vector(for_queries.T.ravel(), transform.A)
    transform.is_trained = True
    index = faiss.IndexRefine(faiss.IndexPreTransform(transform, ivf), flat)
    # The defaults for programs that read the file without us.
    ivf.nprobe, index.k_factor = EFFORT, SHORT_LIST
    return index


def find_directions(
    vectors: NDArray[np.float32], moment: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Find the directions in which scores vary most, for queries and for class vectors, each (width, short).

    With R the root of the moment, q . v = (R^-1 q) . (R v). The queries R^-1 q vary alike in all directions, so the
    scores vary most along the principal components of R v. Classes are centred for these, because what all have in
    common does not change which is the best.
    """
    strength, axes = np.linalg.eigh(moment)
    root = np.sqrt(np.maximum(strength, SMALLEST_MOMENT * strength[-1]))
    centred = vectors - vectors.mean(axis=0)
    variance, components = np.linalg.eigh((axes * root).T @ (centred.T @ centred) @ (axes * root))
    variance, components = np.maximum(variance[::-1], 0), components[:, ::-1]
    enough = int(np.searchsorted(np.cumsum(variance), KEPT_VARIANCE * variance.sum())) + 1
    kept = components[:, : -(-enough // GROUP) * GROUP]
    return ((axes / root) @ kept).astype(np.float32), ((axes * root) @ kept).astype(np.float32)


def search_short_lists(
    index: Any, queries: NDArray[np.float32], top: int, effort: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return scores (n, top) and numbers (n, top) of the best classes, from so many cells; from all, they are exact."""
    faiss = import_faiss()
    if effort >= faiss.extract_index_ivf(index).nlist:
        found = faiss.downcast_index(index.refine_index).search(queries, top)
    else:
        cells = faiss.SearchParametersPreTransform(index_params=faiss.SearchParametersIVF(nprobe=effort))
        listed = max(SHORT_LIST / top, LISTED_FOR_EACH)
        params = faiss.IndexRefineSearchParameters(k_factor=listed, base_index_params=cells)
        found = index.search(queries, top, params=params)
    return found[0], found[1]


def import_faiss() -> Any:
    """Return the module faiss, or say how to install it."""
    return import_optional("faiss", "faiss", "an index over classes")
