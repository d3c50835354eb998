"""Exemplar regression: predict the mean of a class from its description, and take the nearest mean.

The idea is EXEM's (Changpinyo, Chao and Sha, ICCV 2017). Theirs is a support vector regression for each dimension, and
distances that are Euclidean or divided by each dimension's deviation within classes. Kernel ridge regression in its
place, and distances under the whole covariance within classes, shrunk, are simpler and are ours. Width, ridge and
shrinkage are chosen on folds of held-out seen classes.
"""

from itertools import product

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import balanced_accuracy_score
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import normalize

from benchmarks.tools.peer_models.peer import Peer, number_classes


class ExemplarRegression(Peer):
    def __init__(
        self,
        widths=(1.0, 2.0, 5.0),
        ridges=(0.01, 0.03, 0.1, 0.3, 1.0),
        shrinkages=(0.1, 0.3, 1.0, 3.0, 10.0),
        n_folds=3,
        random_state=None,
    ):
        self.widths = widths
        self.ridges = ridges
        self.shrinkages = shrinkages
        self.n_folds = n_folds
        self.random_state = random_state

    def fit(self, X, y, classes):
        y, psi = number_classes(y, classes)
        self.centre_ = psi.mean(axis=0)
        psi = normalize(psi - self.centre_)
        points = list(product(self.shrinkages, self.widths, self.ridges))
        folds = GroupKFold(self.n_folds, shuffle=True, random_state=self.random_state).split(X, groups=y)
        scores = sum(score_points(X, y, psi, points, train, test) for train, test in folds)
        shrinkage, width, ridge = points[np.argmax(scores)]
        self.best_params_ = {"shrinkage": shrinkage, "width": width, "ridge": ridge}
        means, within = summarise(X, y)
        self.metric_, self.regression_ = invert(within, shrinkage), regress(psi, means, width, ridge)
        return self

    def decision_function(self, X, classes):
        means = self.regression_.predict(normalize(classes.vectors - self.centre_))
        return score(X @ self.metric_, means @ self.metric_, means)


def summarise(X, y):
    """Return the mean of each class and the covariance within classes."""
    means = np.array([X[y == at].mean(axis=0) for at in range(y.max() + 1)])
    return means, np.cov(X - means[y], rowvar=False)


def invert(within, shrinkage):
    return np.linalg.inv(within + shrinkage * np.trace(within) / len(within) * np.eye(len(within)))


def regress(psi, means, width, ridge):
    spread = euclidean_distances(psi, squared=True).mean()
    return KernelRidge(alpha=ridge, kernel="rbf", gamma=1 / (2 * width * spread)).fit(psi, means)


def score(weighted, weighted_means, means):
    """Return minus half the squared distance to each mean, up to what all classes share."""
    return weighted @ means.T - (weighted_means * means).sum(axis=1) / 2


def score_points(X, y, psi, points, train, test):
    """Measure every point on held-out classes; what points share is computed once."""
    learned, y_train = np.unique(y[train], return_inverse=True)
    held_out, y_test = np.unique(y[test], return_inverse=True)
    means, within = summarise(X[train], y_train)
    metrics = {shrinkage: invert(within, shrinkage) for shrinkage, _, _ in points}
    weighted = {shrinkage: X[test] @ metric for shrinkage, metric in metrics.items()}
    predicted = {at[1:]: regress(psi[learned], means, *at[1:]).predict(psi[held_out]) for at in points}
    found = []
    for shrinkage, *at in points:
        m = predicted[tuple(at)]
        scores = score(weighted[shrinkage], m @ metrics[shrinkage], m)
        found.append(balanced_accuracy_score(y_test, scores.argmax(axis=1)))
    return np.array(found)
