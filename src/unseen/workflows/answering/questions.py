"""How a model is asked: among all candidates together, among those of each row, or about each label by itself."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_groups import ClassGroups
from unseen.data.class_table import ClassTable
from unseen.data.rows import FeatureRows
from unseen.data.tables.names import match_labels
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError

Matrix = NDArray[Any]

# Function from the numbers of a block of rows to probabilities (n, m); -inf stands for what is not a candidate.
Question = Callable[[slice], Matrix]

_BETWEEN = re.compile(r"[;|]")


def ask_together(model: Any, X: Matrix, table: ClassTable) -> Question:
    """Ask for the probabilities of all candidates, which sum to 1."""
    return lambda rows: to_numpy(model.predict_proba(X[rows], classes=table))


def ask_among_own(model: Any, rows: FeatureRows, table: ClassTable) -> Question:
    """Ask about each row among its own candidates, just as if it were asked with them alone."""
    own = read_own_candidates(rows, table)

    def ask(block: slice) -> Matrix:
        X, chosen = rows.X[block], own[block]
        chances = np.full((len(chosen), len(table)), -np.inf)
        for places in dict.fromkeys(chosen):
            among = table.select(table.labels[list(places)])
            these = np.array([at for at, other in enumerate(chosen) if other == places])
            chances[np.ix_(these, np.array(places))] = to_numpy(model.predict_proba(X[these], classes=among))
        return chances

    return ask


def ask_alone(model: Any, X: Matrix, table: ClassTable, prior: float) -> Question:
    """Ask about each label by itself, whatever the others are; see `unseen.models.Calibrated.predict_alone`."""
    return lambda rows: to_numpy(model.predict_alone(X[rows], classes=table, prior=prior))


def add_up_groups(question: Question, groups: ClassGroups, table: ClassTable) -> tuple[Question, NDArray[Any]]:
    """Return the question about groups of candidates, and their names."""
    names, numbers = groups.find_membership(table.labels)
    membership = numbers[:, None] == np.arange(len(names))

    def ask(rows: slice) -> Matrix:
        chances = question(rows)
        is_candidate = ~np.isneginf(chances)
        sums = np.where(is_candidate, chances, 0) @ membership.astype(chances.dtype)
        return np.where(is_candidate @ membership, sums, -np.inf)

    return ask, names


def read_own_candidates(rows: FeatureRows, table: ClassTable) -> list[tuple[int, ...]]:
    """Return the positions of the candidates of each row in the table of all candidates."""
    cells = rows.candidates or []
    if len(cells) != len(rows.X):
        raise InputError(f"own_candidates has {len(cells)} lists for {len(rows.X)} rows: give one for each row")
    lists = {_as_key(cell): _list_names(cell) for cell in cells}
    empty = next((at for at, cell in enumerate(cells) if not lists[_as_key(cell)]), None)
    if empty is not None:
        raise InputError(f"row {rows.names[empty]!r} names no candidate of its own: name at least one")
    mapping = match_labels([name for names in lists.values() for name in names], list(table), "own_candidates")
    places = {
        key: tuple(dict.fromkeys(table.index_of([mapping[name] for name in names]).tolist()))
        for key, names in lists.items()
    }
    return [places[_as_key(cell)] for cell in cells]


def _as_key(cell: Any) -> Any:
    return cell if isinstance(cell, str) or np.isscalar(cell) else tuple(cell)


def _list_names(cell: Any) -> Sequence[Any]:
    if isinstance(cell, str):
        return [name.strip() for name in _BETWEEN.split(cell) if name.strip()]
    return [cell] if np.isscalar(cell) else list(cell)
