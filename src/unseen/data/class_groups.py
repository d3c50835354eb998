"""Groups of classes: choose the candidates of a group, and sum probabilities over groups."""

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
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
        if isinstance(groups, Mapping):
            return cls.from_mapping(groups)
        raise InputError(
            f"groups={shorten([groups])} is not a file nor a mapping from group to classes: give one of them"
        )

    @classmethod
    def from_mapping(cls, groups: Mapping[str, Any]) -> Self:
        """Make groups from the classes of each; unlike with `make`, a text is refused, and no file is read.

        Parameters
        ----------
        groups : mapping of str to sequence
        """
        if not isinstance(groups, Mapping) or not groups:
            what = "empty" if isinstance(groups, Mapping) else f"of the type {type(groups).__name__}"
            raise InputError(f"groups is {what}: give a mapping from at least one group to its classes")
        return cls({str(name): _list_classes(name, of) for name, of in groups.items()})

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
                f"only={shorten(unknown) or wanted} is not a group in {self.source}"
                f"{did_you_mean(unknown, list(self.members))}: name one of {shorten(list(self.members))}"
            )
        labels = table.labels.tolist()
        found = set().union(*self.find(wanted, labels).values())
        if not found:
            raise InputError(
                f"only={shorten(wanted)} leaves no candidate: name another group in {self.source}, or candidates that "
                "are in this one"
            )
        return table.select([label for label in labels if label in found])

    def add_up(self, probabilities: NDArray[Any], labels: NDArray[Any]) -> GroupedProbabilities:
        """Sum probabilities of classes over groups; groups without any of these classes are left out.

        Parameters
        ----------
        probabilities : ndarray of shape (n, m)
        labels : ndarray of shape (m,)
            The class of each column, each in exactly one group.
        """
        names, numbers = self.find_membership(labels)
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(names)))
        return GroupedProbabilities(np.add.reduceat(probabilities[:, order], starts, axis=1), names)

    def find_membership(self, labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the groups that these classes are in, and which of them each class (m,) is in: just one."""
        found = self.find(self.members, labels.tolist())
        inside: dict[Any, list[str]] = {label: [] for label in labels.tolist()}
        for name, members in found.items():
            for label in members:
                inside[label].append(name)
        wrong = next((label for label, groups in inside.items() if len(groups) != 1), None)
        if wrong is not None:
            where = f"in {shorten(inside[wrong])}" if inside[wrong] else "in none"
            raise InputError(
                f"{self.source} has the candidate {wrong!r} {where}, but probabilities are summed over groups that "
                "have each candidate once: correct its group, or leave it out of the candidates"
            )
        places = {name: at for at, name in enumerate(name for name, members in found.items() if members)}
        return np.array(list(places)), np.array([places[inside[label][0]] for label in labels.tolist()], dtype=np.int64)

    def find(self, names: Iterable[str], labels: Sequence[Any]) -> dict[str, set[Any]]:
        """Return which of some labels each group has; its other classes are not candidates, which is no mistake."""
        known = {simplify_name(label) for label in labels}
        listed = {name: [one for one in self.members[name] if simplify_name(one) in known] for name in names}
        mapping = match_labels([one for classes in listed.values() for one in classes], labels, self.source)
        return {name: {mapping[one] for one in classes} for name, classes in listed.items()}


def _list_classes(name: Any, classes: Any) -> tuple[Any, ...]:
    """Return the classes of a group, checked: one, or several of them."""
    if isinstance(classes, str):
        return (classes,)
    if isinstance(classes, Mapping) or not isinstance(classes, Iterable):
        raise InputError(
            f"groups has a value of the type {type(classes).__name__} for {name!r}: give a list of its classes"
        )
    listed = tuple(classes)
    wrong = [one for one in listed if one is None or not isinstance(one, Hashable)]
    if wrong:
        raise InputError(
            f"groups has a value of the type {type(wrong[0]).__name__} in {name!r}: give a list of names of classes"
        )
    if not listed:
        raise InputError(f"groups has {name!r} without any class: give at least one, or leave the group out")
    return listed


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
