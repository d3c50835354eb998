"""Open a studio on a model and some data."""

from typing import Any

from unseen.confidence.coverage import check_probability
from unseen.data import ClassTable
from unseen.studio.session import Studio
from unseen.studio.shown import Shown, find_shown
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
    groups: dict[str, dict[Any, str]] | None = None,
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
    groups : mapping, optional
        Groups of classes, besides those that the page finds: by a name for the grouping, a mapping of labels to groups.
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
    return Studio(file, shown, table, candidates.labels.tolist(), least, groups or {})


def _add_known(candidates: ClassTable, known: ClassTable) -> ClassTable:
    others = [label for label in known.labels.tolist() if label not in candidates]
    return candidates.concat(known.select(others)) if others else candidates


def _find_candidates(model: Any, shown: Shown, classes: Any) -> ClassTable:
    if classes is None and shown.dataset is not None:
        classes = shown.dataset.unseen_table
    return find_candidates(model, classes)
