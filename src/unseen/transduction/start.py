"""Start a run at random: cluster the rows by k-means and match clusters to classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans, MiniBatchKMeans

# Beyond this many rows, k-means uses mini-batches.
MINI_BATCH_ROWS = 20_000


def match_clusters(Z: NDArray[Any], S: NDArray[Any], random: np.random.RandomState) -> NDArray[Any]:
    """Cluster rows into as many clusters as there are classes, and match each cluster to one class.

    The one-to-one matching of clusters to classes is the one with the largest sum of scores.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Rows to cluster.
    S : ndarray of shape (n, m)
        Scores for the classes.
    random : RandomState
        Random numbers for k-means.

    Returns
    -------
    R : ndarray of shape (n, m)
        1 if the row's cluster is matched to the class, else 0.
    """
    n, m = S.shape
    # With fewer rows than classes, use clusters of about two rows, so that there is something to average.
    n_clusters = min(m, max(1, n // 2))
    kind = MiniBatchKMeans if n > MINI_BATCH_ROWS else KMeans
    means = kind(n_clusters, init="random", n_init=1, max_iter=10, random_state=random)
    cluster = means.fit_predict(Z)
    total = np.zeros((n_clusters, m))
    np.add.at(total, cluster, S)
    class_of = np.empty(n_clusters, dtype=np.int64)
    clusters, classes = linear_sum_assignment(-total)
    class_of[clusters] = classes
    R = np.zeros_like(S)
    R[np.arange(n), class_of[cluster]] = 1
    return R
