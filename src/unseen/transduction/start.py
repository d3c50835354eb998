"""Start a run at random: cluster the rows by k-means and match clusters to classes."""

import numpy as np
from array_api_compat import device
from scipy.optimize import linear_sum_assignment

from unseen.utils.arrays import Array, as_float, convert_like, namespace, take_rows, to_numpy

# As in scikit-learn: so many rounds at most, until centres move by less than this share of the variance.
MOST_ROUNDS = 10
TOLERANCE = 1e-4


def match_clusters(Z: Array, S: Array, random: np.random.RandomState) -> Array:
    """Cluster rows into as many clusters as there are classes, and match each cluster to one class.

    The one-to-one matching of clusters to classes is the one with the largest sum of scores.

    Parameters
    ----------
    Z : array of shape (n, d)
        Rows to cluster.
    S : array of shape (n, m)
        Scores for the classes.
    random : RandomState
        Random numbers for k-means.

    Returns
    -------
    R : array of shape (n, m)
        1 if the row's cluster is matched to the class, else 0.
    """
    n, m = S.shape
    # With fewer rows than classes, use clusters of about two rows, so that there is something to average.
    n_clusters = min(m, max(1, n // 2))
    members = find_clusters(Z, n_clusters, random)
    class_of = np.zeros((n_clusters, m))
    class_of[linear_sum_assignment(-to_numpy(members.T @ S))] = 1
    return members @ convert_like(class_of, S)


def find_clusters(Z: Array, n_clusters: int, random: np.random.RandomState) -> Array:
    """Cluster rows (n, d) by Lloyd's k-means from random rows; return memberships (n, n_clusters), 0 or 1."""
    xp, n = namespace(Z), int(Z.shape[0])
    Z = Z - xp.mean(Z, axis=0)[None, :]
    centres = take_rows(Z, random.choice(n, size=n_clusters, replace=False, p=np.full(n, 1 / n)))
    enough = TOLERANCE * as_float(xp.mean(xp.mean(Z * Z, axis=0)))
    members, last = _assign(Z, centres), None
    for _ in range(MOST_ROUNDS):
        sizes = xp.sum(members, axis=0)
        means = (members.T @ Z) / xp.where(sizes > 0, sizes, xp.ones_like(sizes))[:, None]
        # A cluster that lost all its rows stays where it was.
        moved = xp.where(sizes[:, None] > 0, means, centres)
        shift, centres = as_float(xp.sum((moved - centres) ** 2)), moved
        members, last = _assign(Z, centres), members
        if shift <= enough or bool(xp.all(members == last)):
            break
    return members


def _assign(Z: Array, centres: Array) -> Array:
    xp = namespace(Z)
    distances = xp.sum(centres * centres, axis=1)[None, :] - 2 * Z @ centres.T
    nearest = xp.argmin(distances, axis=1)
    return xp.astype(nearest[:, None] == xp.arange(centres.shape[0], device=device(Z))[None, :], Z.dtype)
