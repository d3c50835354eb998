"""Open a studio on a model and some data."""

import os
from pathlib import Path
from typing import Any

from unseen.confidence.coverage import check_probability
from unseen.data import ClassTable
from unseen.data.class_groups import ClassGroups
from unseen.studio.session import Studio
from unseen.studio.shown import Shown, find_shown
from unseen.utils.errors import InputError
from unseen.utils.progress import OnProgress, Progress, ignore
from unseen.workflows.fitting import AnyModel, open_model
from unseen.workflows.inputs.candidates import find_candidates

# The answer to begin with is "none of these" below this probability.
LEVEL = 0.25


def open_studio(
    model: AnyModel,
    data: Any = None,
    classes: Any = None,
    *,
    level: float = LEVEL,
    split: Any = None,
    features: Any = None,
    limit: int = 5000,
    groups: Any = None,
    on_progress: OnProgress = ignore,
    **how: Any,
) -> Studio:
    """Open a studio: find the rows to show, and the classes to choose among.

    Parameters
    ----------
    model : path-like, ModelFile, Fitted or fitted estimator
    data : str, path-like, ZeroShotDataset, FeatureRows or ndarray of shape (n, d), optional
        What to recognise: a dataset, of which the test rows of unseen classes are shown, a folder of pictures, or rows.
        By default nothing, until something is dropped onto the page.
    classes : path-like, ClassTable, data frame, mapping or sequence of labels, optional
        The candidates, as for `unseen.workflows.predict`; by default the unseen classes of a dataset, and the classes
        seen in training otherwise. All others that the model knows can be made candidates on the page.
    level : float, default 0.25
        Probability below which the answer is "none of these"; it can be moved on the page.
    split, features
        As for `unseen.data.load_dataset`.
    limit : int, default 5000
        Most rows to show.
    groups : path-like, mapping of str to sequence, or ClassGroups, optional
        Groups of classes, besides those that the page finds, as for `unseen.workflows.predict`; a class is in one group
        at most.
    on_progress : callable, optional
    **how
        `weights`, `device` and `batch` of the encoder of pictures.

    Examples
    --------
    >>> from unseen import JFA, load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    >>> studio = open_studio(model, data)
    >>> len(studio.shown.names), len(studio.candidates)
    (900, 30)
    """
    least = check_probability(level, "level")
    file = open_model(model)
    shown = find_shown(file, data, split=split, features=features, limit=limit, on_progress=on_progress, **how)
    on_progress(Progress("writing the page"))
    candidates = _find_candidates(file.model, shown, classes)
    table = _add_known(candidates, file.model.table_)
    grouped = {} if groups is None else _read_groups(groups, table)
    return Studio(file, shown, table, candidates.labels.tolist(), least, grouped)


def _read_groups(groups: Any, table: ClassTable) -> dict[str, dict[Any, str]]:
    """Return the group of each class, under a name for the grouping."""
    made = ClassGroups.make(groups)
    group_of: dict[Any, str] = {}
    for name, labels in made.find(made.members, table.labels.tolist()).items():
        for label in labels:
            if label in group_of:
                raise InputError(
                    f"{made.source} has the class {label!r} in {group_of[label]!r} and {name!r}, but shares are summed "
                    "over groups that have each class once: leave it in one of them"
                )
            group_of[label] = name
    # In the order of the table: the same studio gives the same page.
    ordered = {label: group_of[label] for label in table.labels.tolist() if label in group_of}
    return {Path(groups).stem if isinstance(groups, str | os.PathLike) else "Groups": ordered}


def _add_known(candidates: ClassTable, known: ClassTable) -> ClassTable:
    others = [label for label in known.labels.tolist() if label not in candidates]
    return candidates.concat(known.select(others)) if others else candidates


def _find_candidates(model: Any, shown: Shown, classes: Any) -> ClassTable:
    if classes is None and shown.dataset is not None:
        classes = shown.dataset.unseen_table
    return find_candidates(model, classes)
