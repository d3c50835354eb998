"""Build graphs of nearest neighbours and propagate labels along them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.neighbors import NearestNeighbors


def make_neighbour_graph(rows: NDArray[Any], n_neighbors: int) -> sparse.csr_array:
    """Return the symmetric graph (n, n) of nearest neighbours, normalised by degree: D^-1/2 W D^-1/2.

    Weights are exp(-d² / 2s²), where s is the median distance to the farthest neighbour kept.
    """
    n = len(rows)
    k = min(n_neighbors, n - 1)
    distances, others = NearestNeighbors(n_neighbors=k).fit(rows).kneighbors()
    scale = float(np.median(distances[:, -1])) or 1.0
    weights = np.exp(-((distances / scale) ** 2) / 2).ravel()
    one_way = sparse.csr_array((weights, others.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    both_ways = one_way.maximum(one_way.T)
    degrees = np.maximum(both_ways.sum(axis=1), 1e-12)
    half = sparse.diags_array(1 / np.sqrt(degrees))
    return sparse.csr_array(half @ both_ways @ half)


def spread(graph: sparse.csr_array, start: NDArray[Any], alpha: float) -> NDArray[Any]:
    """Return F = (1 - alpha) (I - alpha graph)^-1 start, one column of `start` (n, m) at a time.

    This is the fixed point of F <- alpha graph F + (1 - alpha) start.
    """
    n = graph.shape[0]
    system = LinearOperator((n, n), matvec=lambda f: f - alpha * (graph @ f), dtype=np.float64)
    columns = [
        cg(system, (1 - alpha) * column, x0=column, rtol=1e-6, maxiter=1000)[0] for column in start.T.astype(np.float64)
    ]
    return np.stack(columns, axis=1).astype(start.dtype)


def normalise_rows(values: NDArray[Any]) -> NDArray[Any]:
    """Divide rows of non-negative values by their sum; a row of zeros becomes uniform.

    >>> normalise_rows(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    kept = np.maximum(values, 0)
    total = kept.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, kept / np.where(total > 0, total, 1), 1 / values.shape[1]))
