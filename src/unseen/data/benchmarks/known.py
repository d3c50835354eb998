"""Read published facts about the benchmark datasets: counts, classes and splits."""

import hashlib
import tomllib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.tables.names import simplify_name


@dataclass(frozen=True)
class StandardSplit:
    """An older split, given by its unseen classes; `unseen` is None if they are not known here."""

    name: str
    images: tuple[int, int]
    source: str
    unseen: tuple[str, ...] | None


@dataclass(frozen=True)
class ProposedSplit:
    """The split that GBU proposed, version 1: numbers of classes, and numbers of images and row hashes of its parts."""

    seen: int
    unseen: int
    images: tuple[int, int, int]
    row_hashes: tuple[str, str, str]


@dataclass(frozen=True)
class Table1Row:
    """A row of the paper's table of datasets (jfa.tex, tab:dataset)."""

    name: str
    images: int
    attributes: int
    kind: str
    seen: int
    unseen: int


@dataclass(frozen=True)
class Benchmark:
    """A benchmark dataset; `class_names` are in the order of the class numbers, or empty if no loader needs them."""

    key: str
    title: str
    images: int
    classes: int
    attributes: int
    table_1: Table1Row | None
    proposed: ProposedSplit
    standard: tuple[StandardSplit, ...]
    class_names: tuple[str, ...]


@cache
def read_benchmarks() -> Mapping[str, Benchmark]:
    """Read the facts about all benchmark datasets, by key.

    >>> list(read_benchmarks())
    ['APY', 'AWA1', 'AWA2', 'CUB', 'SUN']
    """
    text = (files("unseen.data.benchmarks") / "facts" / "benchmarks.toml").read_text(encoding="utf-8")
    return {key: _make_benchmark(key, facts) for key, facts in tomllib.loads(text).items()}


def recognise_benchmark(labels: Iterable[Hashable], n_images: int) -> Benchmark | None:
    """Find the benchmark with these classes; AWA1 and AWA2 have the same classes and differ in the number of images."""
    names = {simplify_name(label) for label in labels}
    found = [
        known for known in read_benchmarks().values() if known.classes == len(names) and _find_signature(known) <= names
    ]
    return next((known for known in found if known.images == n_images), found[0] if found else None)


def hash_rows(rows: NDArray[np.int64]) -> str:
    """Return a hash of a set of rows, which does not depend on their order."""
    return hashlib.sha256(np.sort(rows).astype("<i8").tobytes()).hexdigest()


def _find_signature(benchmark: Benchmark) -> set[str]:
    """Return a set of class names that no other dataset has."""
    return {simplify_name(name) for name in benchmark.standard[0].unseen or ()}


def _make_benchmark(key: str, facts: Mapping[str, Any]) -> Benchmark:
    return Benchmark(
        key=key,
        title=facts["title"],
        images=facts["images"],
        classes=facts["classes"],
        attributes=facts["attributes"],
        table_1=Table1Row(**facts["table_1"]) if "table_1" in facts else None,
        proposed=ProposedSplit(**{name: _freeze(value) for name, value in facts["proposed"].items()}),
        standard=tuple(_make_standard_split(split) for split in facts["standard"]),
        class_names=tuple(facts.get("class_names", ())),
    )


def _make_standard_split(split: Mapping[str, Any]) -> StandardSplit:
    unseen = tuple(split["unseen"]) if "unseen" in split else None
    return StandardSplit(split["name"], tuple(split["images"]), split["source"], unseen)


def _freeze(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
