"""Find the published numbers of a system on a ground, and say where features or split differ from ours."""

from collections.abc import Iterable
from itertools import groupby

from unseen.evaluation.settings.inductive import SETTINGS
from unseen.experiments.catalogue.grounds import Ground
from unseen.experiments.literature import PublishedNumber, published
from unseen.experiments.spec import ExperimentReference

# Tables in which a system is set beside others on one footing.
TABLES = ("jfa-table-2", "jfa-table-3", "jfa-table-4", "gbu-zsl", "gbu-gzsl", "jlse")

# The features of the published tables, in words.
FEATURES = {
    "handcrafted": "handcrafted",
    "other deep": "those of another deep network",
    "vgg-verydeep-19": "VGG-19",
    "resnet101": "ResNet-101",
    "as cited": "not named",
}


def find_references(
    names: Iterable[str], ground: Ground, setting: str, split: str, note: str = ""
) -> tuple[ExperimentReference, ...]:
    """Return the published numbers that a system is compared with.

    Of a table that has a number on several splits or features, only those like ours are taken, if there are any.

    Parameters
    ----------
    names : iterable of str
        Names of the system in the published tables.
    ground : Ground
    setting : str
    split : str
        The ground's split in this setting.
    note : str, optional
        Caveat of the system itself.
    """
    wanted = {name.casefold() for name in names}
    datasets = {name.casefold() for name in ground.datasets}
    # The paper's Table 2 lists PST, which needs the whole batch, among the others. No name stands for a model alone
    # and refined at once, so that nothing else is found there.
    listed = (setting, "standard") if setting == "transductive" else (setting,)
    found = [
        number
        for number in published()
        if number.table in TABLES
        and number.setting in listed
        and number.dataset.casefold() in datasets
        and number.metric in SETTINGS[setting].metrics
        and wanted & {number.method.casefold(), number.acronym.casefold()}
    ]
    found.sort(key=lambda number: TABLES.index(number.table))
    return tuple(
        _make_reference(number, ground, split, note)
        for _, group in groupby(found, key=lambda number: (number.table, number.metric))
        for number in _choose_like_ours(list(group), ground, split)
    )


def describe_difference(number: PublishedNumber, ground: Ground, split: str) -> str:
    """Say where the split and the features of a published number differ from the ground's; empty if nowhere."""
    theirs, ours = [], []
    if number.split != split:
        theirs.append(f"its split is {ground.splits.get(number.split, number.split)}")
        ours.append(ground.splits.get(split, split))
    if number.features != ground.features:
        theirs.append(f"its features are {FEATURES.get(number.features, number.features)}")
        ours.append(ground.features)
    return f"{' and '.join(theirs)}, ours {' and '.join(ours)}" if theirs else ""


def choose_split(numbers: list[PublishedNumber], split: str) -> list[PublishedNumber]:
    """Return the numbers on this split or, if there are none, all of them."""
    return [number for number in numbers if number.split == split] or numbers


def _choose_like_ours(numbers: list[PublishedNumber], ground: Ground, split: str) -> list[PublishedNumber]:
    same_split = choose_split(numbers, split)
    return [number for number in same_split if number.features == ground.features] or same_split


def _make_reference(number: PublishedNumber, ground: Ground, split: str, note: str) -> ExperimentReference:
    notes = [part for part in (note, describe_difference(number, ground, split)) if part]
    return ExperimentReference(
        method=number.method,
        metric=number.metric,
        mean=number.mean,
        std=number.std,
        spread=number.spread,
        source=number.source,
        note="; ".join(notes),
        recalled=number.recalled,
    )
