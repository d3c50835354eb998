"""Describe classes of a fitted model anew."""

from copy import deepcopy
from typing import Any

import numpy as np

from unseen.data import ClassTable
from unseen.data.candidates import make_candidate_table
from unseen.models.wrappers.blend import Blend
from unseen.models.wrappers.prepared import Prepared
from unseen.utils.wrapping import Wrapper


def redescribe(model: Any, classes: Any) -> Any:
    """Return a copy of a fitted model whose table describes some classes anew, or further ones.

    What was learned stays. The new descriptions are those of candidates that are named by their labels from now on, and
    `partial_fit` learns with them.

    Parameters
    ----------
    model : estimator
        A fitted model of this package, possibly inside wrappers.
    classes : ClassTable, data frame or mapping
        Descriptions of any classes, by the attributes that the model was fitted on.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.models import ESZSL
    >>> data = load_dataset("digit-pairs")
    >>> model = ESZSL().fit(data.X_train, data.y_train, classes=data.classes)
    >>> edited = redescribe(model, {"02": data.classes.select(["42"]).vectors[0]})
    >>> X = data.X_test_unseen[:5]
    >>> bool((edited.decision_function(X, ["02"]) == model.decision_function(X, ["42"])).all())
    True
    """
    table = _replace_descriptions(model.table_, make_candidate_table(classes, model.table_))
    copy = deepcopy(model)
    _set_table(copy, table)
    return copy


def _replace_descriptions(table: ClassTable, new: ClassTable) -> ClassTable:
    vectors = np.array(table.vectors, dtype=np.result_type(table.vectors, new.vectors))
    known = [label for label in new.labels.tolist() if label in table]
    if known:
        vectors[table.index_of(known)] = new.select(known).vectors
    replaced = ClassTable(vectors, table.labels, table.attributes)
    added = [label for label in new.labels.tolist() if label not in table]
    return replaced.concat(new.select(added)) if added else replaced


def _set_table(model: Any, table: ClassTable) -> None:
    """Give a model a table, and each model inside it the same as it is prepared there."""
    if isinstance(model, Wrapper):
        if "table_" in vars(model):
            model.table_ = table
        _set_table(model.inner, model.prepare_table(table) if isinstance(model, Prepared) else table)
        return
    model.table_ = table
    model._forget_scorers()
    for part in model.models_ if isinstance(model, Blend) else ():
        _set_table(part, table)
