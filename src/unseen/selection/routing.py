"""Make estimators that take `classes` work with scikit-learn's metadata routing and scoring."""

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted, column_or_1d

from unseen.data import ClassTable
from unseen.data.candidates import make_candidate_table
from unseen.selection.views import view_fitted
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import shorten


class TakesClasses:
    """Mixin for estimators that request `classes` by default when metadata routing is enabled.

    `score` does not request it: it would receive the table given to `fit`, with the seen classes, while it finds the
    right candidates itself. After ``set_score_request(classes=True)`` it requests `classes` too.
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__predict_proba: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__decision_function: ClassVar[dict[str, bool]] = {"classes": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"classes": False}

    predict: Any

    def _html_repr(self) -> str:
        """Return what a notebook shows: scikit-learn's diagram and, of a fitted model, what it has learned from."""
        diagram: str = super()._html_repr()  # type: ignore[misc]
        learned = view_fitted(self)
        return diagram if learned is None else f"{diagram}\n{learned.to_html()}"

    def score(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy: the share of rows whose predicted label is correct.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
            The true labels.
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            The candidates, as for `predict`. By default they are the seen classes and those unseen classes in `y` that
            the table given to `fit` describes. If `y` holds no seen class, they are these unseen classes alone.
        sample_weight : array-like of shape (n,), optional
            The weight of each row.

        Returns
        -------
        float
            Between 0 and 1. A label that is not among the candidates counts as wrong. If no label is, a warning is
            issued.

        Notes
        -----
        Held-out classes are therefore scored among the held-out classes, which is what
        ``GridSearchCV(model, grid, cv=ClassKFold()).fit(X, y, classes=table)`` needs, with metadata routing or without.
        Leave its `scoring` at None: any other scoring calls `predict` without candidates.
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
                "row can be correct: name the candidates with classes=",
                UserWarning,
                stacklevel=2,
            )
        return float(accuracy_score(true, self.predict(X, classes=candidates), sample_weight=sample_weight))

    def _get_known_classes(self) -> tuple[NDArray[Any], ClassTable]:
        """Return the labels of the seen classes, and all class descriptions given to `fit`."""
        check_is_fitted(self)
        return self.classes_, self.table_  # type: ignore[attr-defined]


def _choose_candidates(labels: NDArray[Any], seen: NDArray[Any], table: ClassTable) -> ClassTable:
    """Choose the candidates for rows of these classes if the user names none."""
    known = set(seen.tolist())
    others = [label for label in labels.tolist() if label in table and label not in known]
    any_seen = not known.isdisjoint(labels.tolist())
    return table.select([*seen.tolist(), *others] if any_seen or not others else others)
