"""Base classes of models with and without sample weights, and weights of classes."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from unseen.features import Rows
from unseen.models.base import Classes, ZeroShotClassifier
from unseen.utils.arrays import Array
from unseen.utils.errors import InputError
from unseen.utils.validation import check_positive

ClassWeights = Literal["balanced"] | Mapping[Any, float] | None


class WeighsRows(ZeroShotClassifier):
    """A model that takes sample weights: weight 2 is the same as the row twice, and weight 0 as no row.

    Its `_fit` takes the weights last: `_fit(phi, y, psi, weights)`, where None means that all rows count the same.
    """

    def fit(self, X: Array, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Learn from images of seen classes.

        Parameters
        ----------
        X, y, classes
            As in `unseen.models.ZeroShotClassifier`.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, both in the scaling of the features and in learning.
        """
        return self._learn_from(X, y, classes, sample_weight)

    @abstractmethod
    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        """Learn as described in `ZeroShotClassifier`, with weights (n,) in double precision."""


class CountsRowsOnce(ZeroShotClassifier):
    """A model that does not take sample weights, and refuses them with a clear error."""

    def fit(self, X: Array, y: Any, classes: Classes = None, **metadata: Any) -> Self:
        """Learn from images of seen classes.

        Parameters
        ----------
        X, y, classes
            As in `unseen.models.ZeroShotClassifier`.
        **metadata
            Not accepted; a `sample_weight` raises an error that explains what to do instead.
        """
        name = type(self).__name__
        if metadata.pop("sample_weight", None) is not None:
            raise InputError(
                f"sample_weight cannot be given to {name}, which counts every row once: repeat rows instead, or "
                "choose a model that weighs them, such as JFA, BilinearSVM, ESZSL or ConSE"
            )
        if metadata:
            raise TypeError(f"{name}.fit() got an unexpected keyword argument {min(metadata)!r}")
        return super().fit(X, y, classes)


def weigh_classes(
    choice: ClassWeights, labels: NDArray[Any], y: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Return the weight of each class, or None if all weights are 1.

    Parameters
    ----------
    choice : "balanced", mapping from label to weight, or None
        "balanced" gives all classes the same sum of weights. A mapping may leave out classes, which then weigh 1, and
        name others than those of `labels`.
    labels : ndarray of shape (m,)
    y : ndarray of shape (n,)
        The class of each row, as a position in `labels`.
    weights : ndarray of shape (n,), optional
        The weight of each row.

    Examples
    --------
    >>> weigh_classes("balanced", np.array(["cat", "dog"]), np.array([0, 0, 0, 1]), None)
    array([0.66666667, 2.        ])
    """
    if choice is None:
        return None
    if isinstance(choice, str) and choice == "balanced":
        counts = np.bincount(y, weights, minlength=len(labels))
        return np.asarray(counts.mean() / counts)
    if not isinstance(choice, Mapping):
        raise InputError(
            f"class_weight={choice!r} is not known: choose None, 'balanced' or a mapping from label to weight"
        )
    known = {label: check_positive(weight, f"class_weight[{label!r}]") for label, weight in choice.items()}
    return np.array([known.get(label, 1.0) for label in labels.tolist()])
