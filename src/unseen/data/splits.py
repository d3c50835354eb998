"""Choose the unseen classes by the name of a split, by a random seed, or by a list."""

import os
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unseen.data.benchmarks.known import StandardSplit, recognise_benchmark
from unseen.data.class_table import ClassTable
from unseen.data.dataset import ZeroShotDataset
from unseen.data.formats.contents import Contents
from unseen.data.tables.labels import list_labels
from unseen.data.tables.lists import read_lines
from unseen.data.tables.names import match_labels
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean
from unseen.utils.validation import check_non_negative, check_whole_number, make_random_stream

Split: TypeAlias = str | os.PathLike[str] | Iterable[Hashable] | None

# Default share of unseen classes in a random split.
_UNSEEN_SHARE = 0.2


def apply_split(
    contents: Contents,
    split: Split = None,
    *,
    n_unseen: int | None = None,
    seen_fraction: float = 0.0,
    random_state: Any = 0,
) -> ZeroShotDataset:
    """Divide the contents of a file into training and test rows.

    Parameters
    ----------
    contents : Contents
        Examples and class descriptions, with the splits that come with them.
    split : str, path-like or list of class names, optional
        - ``"proposed"``: the rows that come with the data (GBU's protocol).
        - ``"standard"``: the older split of the benchmark; where there are two, ``"standard-707/10"`` names one.
        - ``"random:SEED"``: `n_unseen` random classes.
        - the names of the unseen classes, or the path of a text file with one on each line.
        - None: the split that comes with the data.
    n_unseen : int, optional
        Number of unseen classes in a random split, by default a fifth of all classes.
    seen_fraction : float, default=0.0
        Share of the rows of each seen class that become test rows, in splits that are given by classes.
    random_state : None, int or RandomState, default=0
        Seed for the choice of these rows.

    Returns
    -------
    ZeroShotDataset
        The dataset. Its `test_seen` is empty if the split is given by classes and `seen_fraction` is 0.
    """
    if n_unseen is not None and not (isinstance(split, str) and split.startswith("random")):
        raise InputError(f"n_unseen={n_unseen!r} is for random splits: leave it out, or pass split='random:0'")
    if contents.rows is not None and (split is None or _is_name(split, "proposed")):
        return _split_by_rows(contents, seen_fraction)
    unseen = find_unseen_classes(contents, split, n_unseen)
    return _split_by_classes(contents, unseen, _check_fraction(seen_fraction), random_state)


def resplit(dataset: ZeroShotDataset, seed: int, n_unseen: int | None = None) -> ZeroShotDataset:
    """Choose other unseen classes of a dataset at random.

    The unseen classes are those of ``split="random:SEED"``. Each class takes all its rows along, whatever they were
    before; rows that the dataset does not use stay unused. The same share of the rows of seen classes is held out for
    testing as in the dataset, in whole rows of each class.

    Parameters
    ----------
    dataset : ZeroShotDataset
    seed : int
        Random seed of the choice of classes, and of the rows of seen classes that are held out.
    n_unseen : int, optional
        Number of unseen classes, by default as many as the dataset has.

    Examples
    --------
    >>> from unseen.data import make_zero_shot
    >>> data = make_zero_shot(n_seen=5, n_unseen=3, random_state=0)
    >>> resplit(data, 1).unseen_classes
    array(['class 01', 'class 02', 'class 07'], dtype='<U8')
    """
    used = np.sort(np.concatenate([dataset.train, dataset.test_seen, dataset.test_unseen]))
    y, table = dataset.y[used], dataset.classes
    n = len(dataset.unseen_classes) if n_unseen is None else n_unseen
    is_unseen = np.isin(table.index_of(y), table.index_of(_draw_classes(table, y, seed, n)))
    share = len(dataset.test_seen) / (len(dataset.train) + len(dataset.test_seen))
    train, test_seen = _hold_out_rows(dataset.y, used[~is_unseen], share, seed)
    return replace(dataset, train=train, test_seen=test_seen, test_unseen=used[is_unseen])


def find_unseen_classes(contents: Contents, split: Split, n_unseen: int | None = None) -> list[Hashable]:
    """List the unseen classes of a split that is given by classes, spelled as in the class table."""
    names = _list_unseen(contents, split, n_unseen)
    labels = list(contents.classes)
    unseen = list(dict.fromkeys(match_labels(names, labels, "split").values()))
    if len(unseen) < len(names):
        raise InputError(f"split names a class twice among {shorten(names)}: name each once")
    rows = set(contents.y.tolist())
    empty = [label for label in unseen if label not in rows]
    if empty:
        raise InputError(f"split names classes that have no rows: {shorten(empty)}; remove them from the split")
    return unseen


def list_standard_splits(contents: Contents) -> dict[str, tuple[Hashable, ...] | StandardSplit]:
    """List the splits that are given by classes: those of the data, then the published ones of the benchmark."""
    splits: dict[str, tuple[Hashable, ...] | StandardSplit] = dict(contents.unseen)
    benchmark = recognise_benchmark(contents.classes, len(contents.X))
    for at, known in enumerate(benchmark.standard if benchmark else ()):
        if at == 0:
            splits.setdefault("standard", known)
        splits.setdefault(f"standard-{known.name}", known)
    return splits


def _list_unseen(contents: Contents, split: Split, n_unseen: int | None) -> Sequence[Hashable]:
    """Return the names of the unseen classes of a split."""
    if split is None:
        if not contents.unseen:
            raise InputError(f"split=None, but {contents.source} comes with no split: {_list_choices(contents)}")
        return next(iter(contents.unseen.values()))
    if isinstance(split, str) and split.partition(":")[0] == "random":
        return _draw_classes(contents.classes, contents.y, _read_seed(split), n_unseen)
    if isinstance(split, str) and split in list_standard_splits(contents):
        return _require_unseen(list_standard_splits(contents)[split], split)
    if isinstance(split, str | os.PathLike):
        return _read_unseen(contents, split)
    return list_labels(split, "split")


def _require_unseen(split: tuple[Hashable, ...] | StandardSplit, name: str) -> tuple[Hashable, ...]:
    if isinstance(split, tuple):
        return split
    if split.unseen is None:
        raise InputError(
            f"split={name!r} ({split.source}) is not available, because its unseen classes are not known here: "
            "pass the list of their names, or the path of a text file with one on each line"
        )
    return split.unseen


def _read_unseen(contents: Contents, split: str | os.PathLike[str]) -> list[str]:
    if not Path(split).is_file():
        names = ["proposed"] * (contents.rows is not None) + list(list_standard_splits(contents))
        raise InputError(
            f"split={os.fspath(split)!r} is neither a split of {contents.source} nor a file"
            f"{did_you_mean([str(split)], names)}: {_list_choices(contents)}"
        )
    return read_lines(split)


def _list_choices(contents: Contents) -> str:
    named = ["proposed"] * (contents.rows is not None) + list(list_standard_splits(contents))
    names = f"{shorten(named, limit=len(named))}, " if named else ""
    return f"choose {names}'random:0', a list of unseen classes, or the path of a text file with one on each line"


def _read_seed(split: str) -> int:
    seed = split.partition(":")[2]
    if not seed.isdecimal():
        raise InputError(f"split={split!r} has no seed: write 'random:0', with a whole number of your choice")
    return int(seed)


def _draw_classes(table: ClassTable, y: NDArray[Any], seed: int, n_unseen: int | None) -> list[Hashable]:
    """Draw unseen classes among those that have rows, and leave at least two."""
    present = set(y.tolist())
    classes = [label for label in table if label in present]
    most = max(1, len(classes) - 2)
    default = min(most, max(1, round(_UNSEEN_SHARE * len(classes))))
    n = default if n_unseen is None else check_whole_number(n_unseen, "n_unseen", 1, most)
    chosen = make_random_stream(seed).permutation(len(classes))[:n]
    return [classes[at] for at in np.sort(chosen)]


def _split_by_rows(contents: Contents, seen_fraction: float) -> ZeroShotDataset:
    if seen_fraction:
        raise InputError(
            f"seen_fraction={seen_fraction!r}, but the proposed split names its test rows of seen classes: leave it out"
        )
    assert contents.rows is not None
    return _make_dataset(contents, **contents.rows.parts)


def _split_by_classes(
    contents: Contents, unseen: list[Hashable], seen_fraction: float, random_state: Any
) -> ZeroShotDataset:
    is_unseen = np.isin(contents.classes.index_of(contents.y, name="y"), contents.classes.index_of(unseen))
    train, test_seen = _hold_out_rows(contents.y, np.flatnonzero(~is_unseen), seen_fraction, random_state)
    return _make_dataset(contents, train=train, test_seen=test_seen, test_unseen=np.flatnonzero(is_unseen))


def _hold_out_rows(
    y: NDArray[Any], rows: NDArray[np.int64], fraction: float, random_state: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hold out the same share of the rows of each class; each class keeps at least one row."""
    if not fraction:
        return rows, rows[:0]
    random = make_random_stream(random_state)
    taken = np.zeros(len(y), dtype=bool)
    for label in np.unique(y[rows]):
        of_class = rows[y[rows] == label]
        taken[random.permutation(of_class)[: int(fraction * len(of_class))]] = True
    return rows[~taken[rows]], rows[taken[rows]]


def _make_dataset(contents: Contents, **parts: NDArray[np.int64]) -> ZeroShotDataset:
    return ZeroShotDataset(
        contents.X,
        contents.y,
        contents.classes,
        **parts,
        name=contents.name,
        source=contents.source,
        feature_names=contents.feature_names,
    )


def _check_fraction(seen_fraction: float) -> float:
    fraction = check_non_negative(seen_fraction, "seen_fraction")
    if fraction >= 1:
        raise InputError(f"seen_fraction={seen_fraction!r} leaves no training rows: choose a number below 1")
    return fraction


def _is_name(split: Split, name: str) -> bool:
    return isinstance(split, str) and split == name
