"""Find what a studio shows: rows of features, their names, pictures and true classes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import FeatureRows, ZeroShotDataset
from unseen.data.formats.detect import holds_features
from unseen.data.home import find_dataset
from unseen.data.load import DATASETS
from unseen.data.tables.names import simplify_name
from unseen.encoders import find_pictures as find_picture_files
from unseen.encoders.pictures import is_picture
from unseen.files import ModelFile
from unseen.report.pictures import Pictures, find_pictures, render_picture
from unseen.utils.errors import InputError
from unseen.utils.progress import OnProgress, ignore
from unseen.workflows.inputs.data import find_encoder, load_to_measure
from unseen.workflows.inputs.pictures import refuse_other_encoder
from unseen.workflows.inputs.rows import find_rows

# Longest side of the pictures of a page, by how many there are: a page should stay small enough to be sent.
SIDES = ((600, 320), (1500, 224), (5000, 144))


@dataclass(frozen=True, eq=False)
class Shown:
    """What a studio shows.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Features.
    names : sequence of str, of length n
    truth : list of length n
        The class of each row, or None where it is not known.
    pictures : callable or None
        Function from the number of a row to the address of its picture.
    dataset : ZeroShotDataset or None
        The data that the rows are the test rows of; its training rows are what a model may be refitted on.
    name : str
        What the rows are called.
    notes : list of str
        What was left out, and why.
    """

    X: NDArray[Any]
    names: Sequence[str]
    truth: list[Any]
    pictures: Pictures | None = None
    dataset: ZeroShotDataset | None = None
    name: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def drawn(self) -> bool:
        """Whether pictures are drawings in black on white, which a dark page may show in white on black."""
        return self.dataset is not None and self.dataset.name == "digit-pairs"


def find_shown(
    file: ModelFile,
    data: Any,
    *,
    split: Any = None,
    features: Any = None,
    limit: int = 5000,
    on_progress: OnProgress = ignore,
    **how: Any,
) -> Shown:
    """Find what to show of some data.

    Parameters
    ----------
    file : ModelFile
        The model, which names the encoder of pictures.
    data : str, path-like, ZeroShotDataset, FeatureRows, ndarray or None
        A dataset, of which the test rows of unseen classes are shown; a folder of pictures, whose subfolders name the
        true classes; or rows without truth, as `unseen.workflows.predict` takes them. None for nothing yet: pictures
        and features can be dropped onto the page.
    split, features
        As for `unseen.data.load_dataset`.
    limit : int
        Most rows to show: of more, as many at equal distances.
    on_progress : callable, optional
    **how
        `weights`, `device` and `batch` of the encoder of pictures.
    """
    if data is None:
        return Shown(np.zeros((0, file.model.n_features_in_)), [], [])
    if isinstance(data, ZeroShotDataset):
        return _show_dataset(file, data, data.name, limit)
    path = find_dataset(data) if isinstance(data, str | Path) and data not in DATASETS else None
    if path is not None and _are_pictures(path):
        return _show_pictures(file, path, limit, on_progress, how)
    if isinstance(data, str | Path) and not str(data).endswith(".npy"):
        try:
            dataset = load_to_measure(data, split, features, on_progress=on_progress)
        except InputError as error:
            shown = _show_rows(file, data, features, limit, on_progress, how)
            shown.notes.append(f"shown without true classes, because {error}")
            return shown
        refuse_other_encoder(file.encoder, find_encoder(data, features), data)
        return _show_dataset(file, dataset, str(data), limit)
    return _show_rows(file, data, features, limit, on_progress, how)


def _are_pictures(path: Path) -> bool:
    return not holds_features(path) if path.is_dir() else is_picture(path)


def _choose_side(count: int) -> int:
    return next((side for most, side in SIDES if count <= most), SIDES[-1][1])


def _thin_out(count: int, limit: int, notes: list[str]) -> NDArray[np.int64]:
    if count <= limit:
        return np.arange(count)
    notes.append(f"{limit:,} of {count:,} rows are shown, at equal distances")
    return np.linspace(0, count - 1, limit).astype(np.int64)


def _show_dataset(file: ModelFile, dataset: ZeroShotDataset, data: str, limit: int) -> Shown:
    dataset = dataset.reorder(file.feature_names)
    notes: list[str] = []
    rows = dataset.test_unseen[_thin_out(len(dataset.test_unseen), limit, notes)]
    pictures = find_pictures(dataset, data, side=_choose_side(len(rows)))
    return Shown(
        np.asarray(dataset.X[rows]),
        [f"row {row}" for row in rows.tolist()],
        dataset.y[rows].tolist(),
        None if pictures is None else lambda at: pictures(int(rows[at])),
        dataset,
        dataset.name or Path(data).name,
        notes,
    )


def _show_pictures(file: ModelFile, path: Path, limit: int, on_progress: OnProgress, how: dict[str, Any]) -> Shown:
    asked = find_rows(file, path, on_progress=on_progress, **how)
    notes = [f"{name} cannot be read: {reason}" for name, reason in asked.unreadable.items()]
    rows = _thin_out(len(asked.rows.X), limit, notes)
    names = [str(asked.rows.names[row]) for row in rows.tolist()]
    root = find_picture_files(path).root if path.is_dir() else path.parent
    side = _choose_side(len(names))
    known = {simplify_name(label): label for label in file.model.table_.labels.tolist()}
    truth = [known.get(simplify_name(Path(name).parts[0])) if "/" in name else None for name in names]
    return Shown(
        np.asarray(asked.rows.X)[rows],
        names,
        truth,
        lambda at: render_picture(root, names[at], side=side),
        None,
        path.name,
        notes,
    )


def _show_rows(
    file: ModelFile, data: Any, features: Any, limit: int, on_progress: OnProgress, how: dict[str, Any]
) -> Shown:
    found = find_rows(file, data, features, on_progress=on_progress, **how).rows
    notes: list[str] = []
    rows = _thin_out(len(found.X), limit, notes)
    names = [_name_row(found, row) for row in rows.tolist()]
    name = Path(data).name if isinstance(data, str | Path) else ""
    return Shown(np.asarray(found.X[rows]), names, [None] * len(rows), None, None, name, notes)


def _name_row(rows: FeatureRows, row: int) -> str:
    name = rows.names[row]
    return name if isinstance(name, str) else f"row {name}"
