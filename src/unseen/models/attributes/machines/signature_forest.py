"""A random forest over outputs of attribute classifiers: what it says about a row, and which attributes say it."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SignatureForest:
    """Trees whose nodes stand in one list, with the posteriors of the classes at each node.

    Parameters
    ----------
    roots : ndarray of shape (n_trees,)
    attributes : ndarray of shape (n_nodes,)
        The attribute whose output a node looks at; -1 at a leaf.
    thresholds : ndarray of shape (n_nodes,)
    children : ndarray of shape (n_nodes, 2)
        Where a row goes whose output is at most the threshold, and where one goes whose output is above it.
    posteriors : ndarray of shape (n_nodes, k)
    """

    roots: NDArray[np.int64]
    attributes: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    children: NDArray[np.int64]
    posteriors: NDArray[np.float64]

    def reorder(self, order: NDArray[np.int64]) -> "SignatureForest":
        """Return the same forest for the classes in another order."""
        return replace(self, posteriors=self.posteriors[:, order])

    def predict(self, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the average over trees of the posteriors at the leaves that rows (n, m) reach, shape (n, k)."""
        total = np.zeros((len(outputs), self.posteriors.shape[1]))
        for root in self.roots:
            total += self.posteriors[self._walk(outputs, root)[-1]]
        return total / len(self.roots)

    def take_apart(self, outputs: NDArray[np.float64], classes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what each attribute adds to the average posterior of one class for each row, shape (n, m).

        A split adds the posterior at the child minus that at the node, so that the sum is the posterior at the leaves
        minus that at the roots.
        """
        parts, rows = np.zeros(outputs.shape), np.arange(len(outputs))
        for root in self.roots:
            path = self._walk(outputs, root)
            for node, child in pairwise(path):
                # At a leaf, where a row stays, this adds 0 to the last attribute.
                parts[rows, self.attributes[node]] += (self.posteriors[child] - self.posteriors[node])[rows, classes]
        return parts / len(self.roots)

    def _walk(self, outputs: NDArray[np.float64], root: int) -> list[NDArray[np.int64]]:
        """Return the node of each row after each step, until all are at leaves."""
        rows, path = np.arange(len(outputs)), [np.full(len(outputs), root)]
        while True:
            node = path[-1]
            inner = self.attributes[node] >= 0
            if not inner.any():
                return path
            above = outputs[rows, self.attributes[node]] > self.thresholds[node]
            path.append(np.where(inner, self.children[node, above.astype(np.int64)], node))
