"""Groups of classes: choose the candidates of a group, and sum probabilities over groups."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_files.grid import Grid, read_grid
from unseen.data.class_table import ClassTable
from unseen.data.tables.names import match_labels, simplify_name
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean

# What the columns of a file of groups are called; with two columns, the first is that of classes.
_CLASS, _GROUP = ("class", "classes", "label", "name", "species"), ("group", "groups", "family", "category")


class GroupedProbabilities(NamedTuple):
    """Probabilities of groups (n, g), and the name of each group."""

    probabilities: NDArray[Any]
    groups: NDArray[Any]


@dataclass(frozen=True, eq=False)
class ClassGroups:
    """Which classes belong to which group; a class may be in several.

    Attributes
    ----------
    members : mapping of str to tuple
        The classes of each group, in any spelling.
    source : str
        Where they are from, for error messages.

    Examples
    --------
    >>> groups = ClassGroups.make({"cats": ["lion", "lynx"], "horses": ["zebra"]})
    >>> table = ClassTable.one_hot(["zebra", "lynx", "lion"])
    >>> list(groups.choose(table, ["cats"]))
    ['lynx', 'lion']
    >>> groups.add_up(np.array([[0.5, 0.3, 0.2]]), table.labels)
    GroupedProbabilities(probabilities=array([[0.5, 0.5]]), groups=array(['cats', 'horses'], dtype='<U6'))
    """

    members: Mapping[str, tuple[Any, ...]]
    source: str = "groups"

    @classmethod
    def make(cls, groups: Any) -> Self:
        """Make groups from a mapping of groups to classes, or read them from a file.

        Parameters
        ----------
        groups : ClassGroups, path-like, or mapping of str to sequence
            A path names a CSV, Excel or Parquet file with one line per class and group, below a header: a column
            "class" and a column "group", or just two columns in this order.
        """
        if isinstance(groups, cls):
            return groups
        if isinstance(groups, str | os.PathLike):
            return cls._read(Path(groups))
        if isinstance(groups, Mapping) and groups:
            members = {str(name): (of,) if isinstance(of, str) else tuple(of) for name, of in groups.items()}
            return cls(members)
        raise InputError(
            f"groups={shorten([groups])} is not a file nor a mapping from group to classes: give one of them"
        )

    @classmethod
    def _read(cls, path: Path) -> Self:
        if not path.is_file():
            raise InputError(f"groups={path} is not a file: give a CSV file with the columns class and group")
        grid = read_grid(path, None, None)
        of_classes, of_groups = _find_columns(grid, path)
        members: dict[str, list[str]] = {}
        for row, line in zip(grid.rows[1:], grid.lines[1:], strict=True):
            cells = [row[at].strip() if at < len(row) else "" for at in (of_classes, of_groups)]
            if not all(cells):
                raise InputError(f"{path}, line {line} lacks its class or its group: fill in both, or drop the line")
            members.setdefault(cells[1], []).append(cells[0])
        return cls({name: tuple(dict.fromkeys(classes)) for name, classes in members.items()}, str(path))

    def choose(self, table: ClassTable, only: Iterable[str]) -> ClassTable:
        """Return the classes of a table that are in one of these groups, in the order of the table.

        Parameters
        ----------
        table : ClassTable
            The candidates; those in no group of `only` are left out.
        only : iterable of str
            Names of groups.
        """
        wanted = [only] if isinstance(only, str) else list(only)
        unknown = [name for name in wanted if name not in self.members]
        if unknown or not wanted:
            raise InputError(
                f"only={shorten(unknown)} is not a group of {self.source}{did_you_mean(unknown, list(self.members))}: "
                f"name one of {shorten(list(self.members))}"
            )
        found = set().union(*(self._find(name, table) for name in wanted))
        if not found:
            raise InputError(
                f"no candidate is in the group {shorten(wanted)} of {self.source}: name another group, or candidates "
                "that are in it"
            )
        return table.select([label for label in table.labels.tolist() if label in found])

    def add_up(self, probabilities: NDArray[Any], labels: NDArray[Any]) -> GroupedProbabilities:
        """Sum probabilities of classes over groups; groups without any of these classes are left out.

        Parameters
        ----------
        probabilities : ndarray of shape (n, m)
        labels : ndarray of shape (m,)
            The class of each column, each in exactly one group.
        """
        names, membership = self.find_membership(labels)
        return GroupedProbabilities(probabilities @ membership.astype(probabilities.dtype), names)

    def find_membership(self, labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the groups that these classes are in, and which class (m, g) is in which group: just one for each."""
        table = ClassTable.one_hot(labels)
        of_groups = {name: self._find(name, table) for name in self.members}
        names = [name for name, found in of_groups.items() if found]
        membership = np.array([[label in of_groups[name] for name in names] for label in labels.tolist()], dtype=bool)
        counts = membership.sum(axis=1) if names else np.zeros(len(labels))
        if (counts != 1).any():
            at = int(np.flatnonzero(counts != 1)[0])
            inside = [name for name in names if labels.tolist()[at] in of_groups[name]]
            where = f"in {shorten(inside)}" if inside else "in none"
            raise InputError(
                f"{self.source} has the candidate {labels.tolist()[at]!r} {where}, but probabilities are summed over "
                "groups that have each candidate once: correct its group, or leave it out of the candidates"
            )
        return np.array(names), membership

    def _find(self, name: str, table: ClassTable) -> set[Any]:
        """Return the labels of a table that a group has; its other classes are not candidates, which is no mistake."""
        known = {simplify_name(label) for label in table.labels.tolist()}
        listed = [one for one in self.members[name] if simplify_name(one) in known]
        return set(match_labels(listed, list(table), self.source).values())


def _find_columns(grid: Grid, path: Path) -> tuple[int, int]:
    """Return the columns of classes and of groups."""
    header = [cell.strip().casefold() for cell in grid.rows[0]] if grid.rows else []
    places = [[at for at, name in enumerate(header) if name in names] for names in (_CLASS, _GROUP)]
    if all(len(found) == 1 for found in places):
        return places[0][0], places[1][0]
    if len(header) == 2 and not any(places):
        return 0, 1
    raise InputError(
        f"{path} has the columns {shorten(header)}: name the column of classes 'class' and that of groups 'group'"
    )
