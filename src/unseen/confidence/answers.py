"""The best few candidates of each row with their probabilities, and "none of these" where none is likely enough."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.confidence.coverage import check_probability
from unseen.data.candidates import make_candidate_table
from unseen.utils.arrays import cut_row_blocks, to_numpy
from unseen.utils.validation import check_whole_number
from unseen.utils.wrapping import is_transductive


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model says of some rows.

    Attributes
    ----------
    labels : ndarray of shape (n, top)
        Candidates of each row, the most probable first.
    probabilities : ndarray of shape (n, top)
    withheld : ndarray of shape (n,), bool
        Where the best candidate is less probable than asked for: none of these.
    """

    labels: NDArray[Any]
    probabilities: NDArray[Any]
    withheld: NDArray[np.bool_]

    def best(self) -> list[Any]:
        """Return the answer for each row, None where it is withheld."""
        pairs = zip(self.labels[:, 0].tolist(), self.withheld.tolist(), strict=True)
        return [None if withheld else label for label, withheld in pairs]


def answers(
    model: Any,
    X: NDArray[Any],
    classes: Any = None,
    *,
    top: int = 1,
    abstain: float = 0.0,
    on_rows: Callable[[int], None] | None = None,
) -> Answers:
    """Ask a fitted model for the best candidates of every row, in blocks so that X may be memory-mapped.

    A model that answers whole batches (`unseen.transduction`) is asked about all rows at once.

    Parameters
    ----------
    model : estimator
        With `predict_proba(X, classes=)`. Of a `Calibrated` model the probabilities can be taken at their word.
    X : ndarray of shape (n, d)
    classes : ClassTable, data frame, mapping or sequence of labels, optional
        The candidates; the seen classes by default.
    top : int, default 1
        How many candidates of each row, at most all.
    abstain : float, default 0.0
        Answers less probable than this are withheld.
    on_rows : callable, optional
        Told of every block how many rows are done.

    Examples
    --------
    >>> from unseen import Calibrated, JFA, load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = Calibrated(JFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> found = answers(model, data.X_test_unseen, data.unseen_classes, top=3, abstain=0.5)
    >>> found.labels.shape[1], len(found.best()) == len(data.X_test_unseen)
    (3, True)
    """
    least = check_probability(abstain, "abstain")
    table = make_candidate_table(model.classes_ if classes is None else classes, model.table_)
    count = min(check_whole_number(top, "top", 1), len(table))
    columns, best = [], []
    blocks = [slice(0, len(X))] if is_transductive(model) else cut_row_blocks(len(X), 8 * (len(table) + X.shape[1]))
    for rows in blocks:
        chances = to_numpy(model.predict_proba(X[rows], classes=table))
        order = _find_largest(chances, count)
        columns.append(order)
        best.append(np.take_along_axis(chances, order, axis=1))
        if on_rows is not None:
            on_rows(rows.stop - rows.start)
    probabilities = np.concatenate(best)
    return Answers(table.labels[np.concatenate(columns)], probabilities, probabilities[:, 0] < least)


def _find_largest(values: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return the columns of the largest values of each row, the largest first; of equal ones the first."""
    if count == 1:
        return np.asarray(values.argmax(axis=1)[:, None])
    if count < values.shape[1]:
        few = np.sort(np.argpartition(-values, count - 1, axis=1)[:, :count], axis=1)
    else:
        few = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    order = np.argsort(-np.take_along_axis(values, few, axis=1), axis=1, kind="stable")
    return np.take_along_axis(few, order, axis=1)
