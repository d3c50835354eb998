"""Write descriptions as sparse combinations, of either sign, of those of the seen classes."""

import warnings
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso
from threadpoolctl import threadpool_limits

TOLERANCE = 1e-8
MAX_ITER = 10_000


def compute_sparse_codes(
    vectors: NDArray[np.float64], seen: NDArray[np.float64], sparsity: float
) -> NDArray[np.float64]:
    """Return for each vector s the alpha that minimises 1/2 |K alpha - k|^2 + sparsity |alpha|_1.

    K holds the products of the seen descriptions with each other, and k those with s. The last codes are kept, because
    models of a grid ask for the same ones.

    Parameters
    ----------
    vectors : ndarray of shape (m, d_s)
    seen : ndarray of shape (C, d_s)
    sparsity : float
        Above 0; the larger, the fewer seen classes take part.

    Returns
    -------
    codes : ndarray of shape (m, C), read-only

    Examples
    --------
    >>> compute_sparse_codes(np.array([[1.0, 1.0]]), np.eye(2), 0.25)
    array([[0.75, 0.75]])
    """
    return _compute(vectors.tobytes(), seen.tobytes(), seen.shape[1], float(sparsity))


@lru_cache(maxsize=16)
def _compute(vectors: bytes, seen: bytes, width: int, sparsity: float) -> NDArray[np.float64]:
    candidates, known = (np.frombuffer(values).reshape(-1, width) for values in (vectors, seen))
    K = known @ known.T
    # scikit-learn divides the squares by the number of their terms.
    lasso = Lasso(sparsity / len(known), fit_intercept=False, precompute=True, tol=TOLERANCE, max_iter=MAX_ITER)
    # Each problem is small, so that several threads would only slow it down.
    with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
        # Where seen descriptions nearly repeat each other, it hardly matters which of them a code takes.
        warnings.simplefilter("ignore", ConvergenceWarning)
        codes = np.reshape(lasso.fit(K, known @ candidates.T).coef_, (len(candidates), len(known)))
    codes.flags.writeable = False
    return codes
