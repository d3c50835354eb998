"""Turn the argument `classes` (a table, a mapping, a data frame, or known labels) into a class table."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from unseen.data.class_table import ClassTable
from unseen.data.columns import match_columns
from unseen.utils.errors import InputError, shorten

# Descriptions that differ less than this, relative to the largest value, are the same up to single precision.
ROUNDING = 1e-6


def as_table(classes: Any, known: ClassTable | None = None) -> ClassTable:
    """Make a class table from a table, a mapping or a data frame; labels alone are looked up in `known`.

    >>> as_table({"zebra": [1, 0], "okapi": [1, 1]})
    <ClassTable: 2 classes ('zebra', 'okapi') of width 2>
    """
    if isinstance(classes, ClassTable):
        return classes
    if isinstance(classes, Mapping):
        return ClassTable.from_mapping(classes)
    if hasattr(classes, "columns"):
        return ClassTable.from_frame(classes)
    if known is not None and np.ndim(classes) == 1:
        if not len(classes):
            raise InputError("classes is empty: name at least one candidate")
        known.index_of(classes, name="classes")
        return known.select(classes)
    raise InputError(
        f"classes is a {type(classes).__name__}: give a ClassTable, a data frame, a mapping from label to description"
        + ("" if known is None else ", or labels of the table given to fit")
    )


def make_candidate_table(classes: Any, known: ClassTable) -> ClassTable:
    """Make the table of candidates, and check that it has the attributes that the model was fitted on.

    Attributes are matched by name where both tables have names, by position otherwise.

    >>> make_candidate_table(["okapi"], known=ClassTable([[1, 0], [1, 1]], ["zebra", "okapi"])).vectors
    array([[1., 1.]])
    """
    table = as_table(classes, known)
    if known.attributes is not None and table.attributes is not None:
        return _order_attributes(table, known.attributes)
    if table.width != known.width:
        raise InputError(
            f"classes has descriptions of width {table.width}, but the model was fitted on width "
            f"{known.width}: describe the candidates by the same attributes"
        )
    return table


def _order_attributes(table: ClassTable, attributes: tuple[str, ...]) -> ClassTable:
    if table.attributes == attributes:
        return table
    remedy = "describe the candidates by the same attributes"
    order = match_columns(table.attributes or (), attributes, "classes", "attribute", remedy)
    return ClassTable(table.vectors[:, order], table.labels, attributes)


def extend_table(table: ClassTable, classes: Any) -> ClassTable:
    """Return a table with those of `classes` that it does not have yet; the others must be described as they were.

    >>> table = ClassTable([[1.0, 0.0]], ["zebra"])
    >>> extend_table(table, {"zebra": [1.0, 0.0], "okapi": [0.5, 0.5]}).labels
    array(['zebra', 'okapi'], dtype='<U5')
    """
    more = make_candidate_table(classes, table)
    known = [label for label in more.labels.tolist() if label in table]
    if known:
        before, now = table.select(known).vectors, more.select(known).vectors
        changed = np.abs(now - before).max(axis=1) > ROUNDING * np.abs(before).max()
        if changed.any():
            raise InputError(
                f"classes describes {shorten(np.asarray(known)[changed])} otherwise than before: leave it out, or fit "
                "a model on the new descriptions"
            )
    new = [label for label in more.labels.tolist() if label not in table]
    return table.concat(more.select(new)) if new else table
