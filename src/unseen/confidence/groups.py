"""Groups of candidates: restrict the candidates to some of them, or sum probabilities over each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.tables.names import match_labels
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean


class Groups:
    """Groups of classes by name; a class may be in several, or in none.

    Parameters
    ----------
    members : mapping of str to sequence of labels
        The classes of each group, in any spelling.
    known : iterable of labels
        The classes that there are, for example a class table.

    Attributes
    ----------
    names : list of str
        The names of the groups.

    Examples
    --------
    >>> known = ["zebra", "okapi", "seal"]
    >>> groups = Groups({"hoofed": ["Zebra", "okapi"], "swims": ["seal"]}, known)
    >>> groups.labels(["hoofed"])
    ['zebra', 'okapi']
    >>> groups.sum(np.array([[0.5, 0.25, 0.25]]), known)
    array([[0.75, 0.25]])
    """

    def __init__(self, members: Mapping[str, Sequence[Any]], known: Iterable[Any]) -> None:
        if not isinstance(members, Mapping) or not members:
            raise InputError(f"groups={members!r} is not a mapping from groups to labels: give at least one group")
        self._order = {label: at for at, label in enumerate(known)}
        self._members = {str(name): self._match(name, labels) for name, labels in members.items()}
        self.names = list(self._members)

    def labels(self, only: Iterable[str] | None = None) -> list[Any]:
        """Return the labels of some groups, or of all, each once and in the order in which they are known."""
        asked = self.names if only is None else list(only)
        missing = [name for name in asked if name not in self._members]
        if missing or not asked:
            raise InputError(
                f"only names {shorten(missing) or 'no group'}{did_you_mean(missing, self.names)}: the groups are "
                f"{shorten(self.names, 20)}"
            )
        found = {label for name in asked for label in self._members[name]}
        return sorted(found, key=self._order.__getitem__)

    def sum(self, probabilities: NDArray[Any], labels: Iterable[Any]) -> NDArray[np.float64]:
        """Return the probability of each group (n, g) from those of candidates (n, m) with these labels."""
        candidates = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        inside = np.array([[label in members for members in self._members.values()] for label in candidates])
        return np.asarray(np.asarray(probabilities, dtype=np.float64) @ inside.astype(np.float64))

    def _match(self, name: Any, labels: Any) -> frozenset[Any]:
        if isinstance(labels, str) or not isinstance(labels, Sequence) or not len(labels):
            raise InputError(f"groups has {labels!r} for {name!r}: give a list of at least one label")
        wrong = [label for label in labels if isinstance(label, list | dict) or label is None]
        if wrong:
            raise InputError(f"groups has {wrong[0]!r} in {name!r}, which is not a label: give labels")
        return frozenset(match_labels(labels, list(self._order), "groups").values())
