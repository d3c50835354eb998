"""Weigh known classifiers so that each is predicted best from the others: leave-one-label-out least squares."""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def solve_label_weights(similar: Matrix, classifiers: Matrix, ridge: float) -> Matrix:
    """Return a, which minimises the sum over labels l of |v_l - sum over k of a_k s_lk v_k|^2 and a penalty.

    The v are the classifiers without the mean of all but the label left out, so they depend on l. The penalty is
    `ridge` times the mean curvature times |a - c|^2, with c the best value that all weights can share.

    Parameters
    ----------
    similar : ndarray of shape (n, n)
        s_lk, with zeros on the diagonal.
    classifiers : ndarray of shape (n, d)
        One row for each label; their mean is 0.
    ridge : float
    """
    n = len(similar)
    gram = classifiers @ classifiers.T
    own = gram.diagonal()[:, None]
    # The mean of all but l is -w_l / (n - 1), so that v_k = w_k + w_l / (n - 1) and v_l = w_l n / (n - 1).
    crossed = (similar * gram).T @ similar / (n - 1)
    hessian = (similar.T @ similar) * gram + crossed + crossed.T + similar.T @ (own * similar) / (n - 1) ** 2
    target = n / (n - 1) * np.sum(similar * (gram + own / (n - 1)), axis=0)
    curvature = float(hessian.trace()) / n
    total = float(hessian.sum())
    if curvature <= 0 or total <= 0:  # no label is similar to another, or there are only two
        return np.ones(n)
    common = float(target.sum()) / total
    pull = ridge * curvature
    weights, *_ = np.linalg.lstsq(hessian + pull * np.eye(n), target + pull * common, rcond=None)
    return np.asarray(weights)
