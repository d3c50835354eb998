"""What scikit-learn's tools need of an estimator that takes `classes`: requests for metadata, and a score."""

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted, column_or_1d

from unseen.data import ClassTable
from unseen.data.candidates import make_candidate_table
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import shorten


class TakesClasses:
    """Mixin of estimators that are handed `classes` by metadata routing without being told to ask for it.

    All but `score`: what is routed to it would be the table given to `fit`, seen classes and all, where it finds the
    right candidates itself. It asks for `classes` after ``set_score_request(classes=True)``.
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__predict_proba: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__decision_function: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"classes": False}

    predict: Any

    def score(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy: the share of rows that `predict` gives the right label.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
            The true labels.
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            The candidates, as for `predict`. Without it they are the classes seen in training and, where `y` holds
            others that the table given to `fit` describes, these too; if `y` holds no class seen in training, these
            alone.
        sample_weight : array-like of shape (n,), optional
            The weight of each row.

        Returns
        -------
        float
            Between 0 and 1. A label that is not among the candidates counts as wrong; if none is, a warning says so.

        Notes
        -----
        Held-out classes are therefore scored among the held-out classes, which is what
        ``GridSearchCV(model, grid, cv=ClassKFold()).fit(X, y, classes=table)`` needs, with metadata routing or without.
        Leave its `scoring` at None: any other asks `predict`, which is told of no candidates.
        """
        true = column_or_1d(to_numpy(y))
        labels = np.unique(true)
        seen, table = self._get_known_classes()
        candidates = (
            _choose_candidates(labels, seen, table) if classes is None else make_candidate_table(classes, table)
        )
        if not any(label in candidates for label in labels.tolist()):
            warnings.warn(
                f"no label of y ({shorten(labels)}) is among the candidates ({shorten(candidates)}), so that no "
                "row can be right: name the candidates with classes=",
                UserWarning,
                stacklevel=2,
            )
        return float(accuracy_score(true, self.predict(X, classes=candidates), sample_weight=sample_weight))

    def _get_known_classes(self) -> tuple[NDArray[Any], ClassTable]:
        """Return the labels seen in training, and all the descriptions given to `fit`."""
        check_is_fitted(self)
        return self.classes_, self.table_  # type: ignore[attr-defined]


def _choose_candidates(labels: NDArray[Any], seen: NDArray[Any], table: ClassTable) -> ClassTable:
    """Choose the candidates for rows of these classes where none are named."""
    known = set(seen.tolist())
    others = [label for label in labels.tolist() if label in table and label not in known]
    any_seen = not known.isdisjoint(labels.tolist())
    return table.select([*seen.tolist(), *others] if any_seen or not others else others)
