"""What every peer has: labels looked up in a class table, and the best candidate as its answer."""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator


class Peer(BaseEstimator, ABC):
    @abstractmethod
    def decision_function(self, X, classes) -> np.ndarray:
        """Score every row of X (n, d) against every class of a table, shape (n, m)."""

    def predict(self, X, classes) -> np.ndarray:
        return classes.labels[self.decision_function(X, classes).argmax(axis=1)]


def number_classes(y, classes) -> tuple[np.ndarray, np.ndarray]:
    """Return the class of each row as a number, and the descriptions of these classes in that order."""
    labels, numbers = np.unique(y, return_inverse=True)
    return numbers, classes.vectors[classes.index_of(labels)]
