"""Find the candidates that a request names; they are used for this request and then forgotten."""

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unseen.data import ClassTable
from unseen.data.class_groups import ClassGroups
from unseen.data.tables.names import match_labels
from unseen.server.errors import explain_input, refuse_more
from unseen.utils.errors import InputError
from unseen.workflows.inputs.candidates import find_candidates


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of a request.

    Attributes
    ----------
    table : ClassTable
    key : hashable
        What equal candidates have in common; only requests with the same key are answered together.
    """

    table: ClassTable
    key: Hashable


class CandidateFinder:
    """Find candidates for requests.

    Parameters
    ----------
    model : estimator
        The fitted model.
    default : ClassTable
        The candidates of requests that name none.
    most : int
        Number of candidates that a request may name.
    """

    def __init__(self, model: Any, default: ClassTable, most: int) -> None:
        self._model = model
        self._most = most
        known: ClassTable = model.table_
        # What the server was started with goes before what the model learned with: it may describe a class anew.
        new = [label for label in known.labels.tolist() if label not in default]
        self.known = default.concat(known.select(new)) if new else default
        self.default = Candidates(default, "default")

    def find(self, classes: Any = None) -> Candidates:
        """Return the candidates of a request.

        Parameters
        ----------
        classes : list or mapping, optional
            Labels that the model (or the table of the server) describes, in any spelling; or descriptions by label,
            where null stands for the description that is known.
        """
        if classes is None:
            return self.default
        with explain_input("classes"):
            if not classes:
                raise InputError("classes is empty: name at least one candidate")
            refuse_more(len(classes), self._most, "classes")
            if isinstance(classes, Mapping):
                return self._describe(classes)
            refuse_unhashable(classes)
            labels = tuple(match_labels(classes, list(self.known), "classes").values())
            return Candidates(self.known.select(labels), ("known", *labels))

    def group(self, groups: ClassGroups, classes: Any = None, only: list[str] | None = None) -> Candidates:
        """Return the candidates of a request that names groups, each of them in exactly one.

        Parameters
        ----------
        groups : ClassGroups
        classes : list or mapping, optional
            As for `find`.
        only : list of str, optional
            Groups that the candidates are restricted to; all that are known may be in them, unless `classes` are named.
        """
        found = self.find(classes)
        with explain_input():
            if only is not None:
                table = groups.choose(self.known if classes is None else found.table, only)
                found = self.find(table.labels.tolist()) if classes is None else Candidates(table, _digest(table))
            # What cannot be summed is refused before rows are recognised.
            groups.find_membership(found.table.labels)
            return found

    def _describe(self, classes: Mapping[str, Any]) -> Candidates:
        given = {label: vector for label, vector in classes.items() if vector is not None}
        if not given:
            return self.find(list(classes))
        # Both kinds are brought into the order of the model's attributes before they are put together.
        table = find_candidates(self._model, ClassTable.from_mapping(given))
        left = [label for label in classes if label not in given]
        if left:
            matched = match_labels(left, list(self.known), "classes")
            table = ClassTable(table.vectors, table.labels, self.known.attributes)
            table = table.concat(self.known.select(matched.values()))
            table = table.select([matched.get(label, label) for label in classes])
        return Candidates(table, _digest(table))


def refuse_unhashable(labels: list[Any]) -> None:
    """Refuse lists and mappings among labels."""
    wrong = [label for label in labels if isinstance(label, dict | list) or label is None]
    if wrong:
        raise InputError(f"classes has {wrong[0]!r}, which is not a label: give labels, or descriptions by label")


def _digest(table: ClassTable) -> bytes:
    digest = hashlib.blake2b(repr(table.labels.tolist()).encode())
    digest.update(np.ascontiguousarray(table.vectors, dtype=np.float64).tobytes())
    return digest.digest()
