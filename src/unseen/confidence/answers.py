"""Find the most probable candidates of each row, and abstain where none is probable enough."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.confidence.coverage import check_probability
from unseen.data.candidates import make_candidate_table
from unseen.utils.arrays import (
    Array,
    compute,
    cut_row_blocks,
    cut_rows,
    give_back_pages,
    is_foreign,
    namespace,
    to_numpy,
)
from unseen.utils.validation import check_whole_number


@dataclass(frozen=True, eq=False)
class Answers:
    """Predictions of a model for some rows.

    Attributes
    ----------
    labels : ndarray of shape (n, top)
        Candidates of each row, the most probable first.
    probabilities : ndarray of shape (n, top)
        Probabilities of these candidates.
    withheld : ndarray of shape (n,), bool
        Whether the best candidate is less probable than required, so that no answer is given.
    """

    labels: NDArray[Any]
    probabilities: NDArray[Any]
    withheld: NDArray[np.bool_]

    def best(self) -> list[Any]:
        """Return the best label of each row, or None if it is withheld."""
        pairs = zip(self.labels[:, 0].tolist(), self.withheld.tolist(), strict=True)
        return [None if withheld else label for label, withheld in pairs]


def answers(
    model: Any,
    X: Any,
    classes: Any = None,
    *,
    top: int = 1,
    abstain: float = 0.0,
    on_rows: Callable[[int], None] | None = None,
) -> Answers:
    """Predict the best candidates of every row, in blocks so that X may be memory-mapped.

    A transductive model (`unseen.transduction`) predicts all rows at once.

    Parameters
    ----------
    model : estimator
        A fitted model with `predict_proba(X, classes=)`. Only a `Calibrated` model has reliable probabilities.
    X : array of shape (n, d)
        Features, of any library.
    classes : ClassTable, data frame, mapping or sequence of labels, optional
        The candidates; the seen classes by default.
    top : int, default 1
        Number of candidates to return for each row.
    abstain : float, default 0.0
        Smallest probability; less probable answers are withheld.
    on_rows : callable, optional
        Called after every block with its number of rows.

    Examples
    --------
    >>> from unseen import Calibrated, JFA, load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = Calibrated(JFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> found = answers(model, data.X_test_unseen, data.unseen_classes, top=3, abstain=0.5)
    >>> found.labels.shape[1], len(found.best()) == len(data.X_test_unseen)
    (3, True)
    """
    from unseen.utils.wrapping import is_transductive  # here, because it needs scikit-learn

    table = make_candidate_table(model.classes_ if classes is None else classes, model.table_)
    blocks = answer_blocks(
        lambda rows: model.predict_proba(cut_rows(X, rows), classes=table),
        X,
        table.labels,
        top=top,
        abstain=abstain,
        together=is_transductive(model),
        on_rows=on_rows,
    )
    return join_answers(list(blocks))


def answer_blocks(
    ask: Callable[[slice], Any],
    X: NDArray[Any],
    labels: NDArray[Any],
    *,
    top: int = 1,
    abstain: float = 0.0,
    together: bool = False,
    on_rows: Callable[[int], None] | None = None,
) -> Iterator[Answers]:
    """Yield the answers of one block of rows after the other, so that neither rows nor answers fill the memory.

    Parameters
    ----------
    ask : callable
        Function from the numbers of a block of rows to the probabilities of the candidates; -inf stands for a class
        that is not a candidate of its row.
    X : ndarray of shape (n, d)
        Features; the pages of a memory map are given back after every block.
    labels : ndarray of shape (m,)
        The labels of the candidates.
    top, abstain, on_rows
        As for `answers`.
    together : bool, default False
        Whether all rows are one block.
    """
    least, count = check_probability(abstain, "abstain"), min(check_whole_number(top, "top", 1), len(labels))
    n = X.shape[0]
    blocks = [slice(0, n)] if together else cut_row_blocks(n, 8 * (len(labels) + X.shape[1]), X)
    for rows in blocks:
        order, best = _find_best(compute(ask(rows)), count)
        yield _leave_out_absent(Answers(labels[order], best, best[:, 0] < least))
        give_back_pages(X)
        if on_rows is not None:
            on_rows(rows.stop - rows.start)


def _leave_out_absent(found: Answers) -> Answers:
    """Put None and NaN for classes that are not candidates, where a row has fewer candidates than were asked for."""
    absent = np.isneginf(found.probabilities)
    if not absent.any():
        return found
    labels = found.labels.astype(object)
    labels[absent] = None
    return Answers(labels, np.where(absent, np.nan, found.probabilities), found.withheld)


def join_answers(blocks: Sequence[Answers]) -> Answers:
    """Return the answers of several blocks of rows as those of all rows."""
    return Answers(
        np.concatenate([block.labels for block in blocks]),
        np.concatenate([block.probabilities for block in blocks]),
        np.concatenate([block.withheld for block in blocks]),
    )


def _find_best(chances: Array, count: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the columns of the most probable candidates of each row, and their probabilities."""
    if is_foreign(chances):
        # Sorted where they are, so that only the best leave a device; ties go to the first column.
        xp = namespace(chances)
        order = xp.argsort(chances, axis=1, descending=True, stable=True)[:, :count]
        return to_numpy(order), to_numpy(xp.take_along_axis(chances, order, axis=1))
    order = _find_largest(chances, count)
    return order, np.take_along_axis(chances, order, axis=1)


def _find_largest(values: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return the columns of the largest values of each row, largest first; ties go to the first column."""
    if count == 1:
        return np.asarray(values.argmax(axis=1)[:, None])
    if count < values.shape[1]:
        few = np.sort(np.argpartition(-values, count - 1, axis=1)[:, :count], axis=1)
    else:
        few = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    order = np.argsort(-np.take_along_axis(values, few, axis=1), axis=1, kind="stable")
    return np.take_along_axis(few, order, axis=1)
