"""Compare a dataset with published facts."""

from collections.abc import Collection, Hashable, Iterator

import numpy as np

from unseen.data.benchmarks.known import Benchmark, StandardSplit, hash_rows
from unseen.data.checking.findings import Finding, compare
from unseen.data.formats.contents import Contents, RowSplit
from unseen.data.tables.names import simplify_name

_TABLE_1 = "the paper's Table 1"
_GBU = "GBU's table"


def check_published(contents: Contents, benchmark: Benchmark) -> Iterator[Finding]:
    """Compare counts of images, attributes, classes and splits with the published ones."""
    yield from _check_table_1(contents, benchmark)
    for split in benchmark.standard:
        yield from _check_standard_split(contents, split)
    if contents.rows is not None:
        yield from check_version(contents.rows, benchmark)
        yield from _check_proposed_classes(contents, contents.rows, benchmark)


def check_version(rows: RowSplit, benchmark: Benchmark) -> Iterator[Finding]:
    """Find the version of the proposed split by its counts and by its rows."""
    counts = tuple(map(len, rows.parts.values()))
    what = "proposed split, images (train / test_seen / test_unseen)"
    yield compare("GBU", what, counts, benchmark.proposed.images, _GBU)
    hashes = tuple(map(hash_rows, rows.parts.values()))
    if hashes == benchmark.proposed.row_hashes:
        yield Finding("ok", "split version", "the rows are those of the proposed split v1, as published in xlsa17")
    elif counts == benchmark.proposed.images:
        message = "the counts are those of the proposed split v1, but the rows differ: results may not be comparable"
        yield Finding("warning", "split version", message)
    else:
        message = "this is not the proposed split v1 (perhaps v2.0): do not compare with numbers published for v1"
        yield Finding("warning", "split version", message)


def _check_table_1(contents: Contents, benchmark: Benchmark) -> Iterator[Finding]:
    row = benchmark.table_1
    if row is None:
        yield Finding("ok", "Table 1", f"{benchmark.title} is not in {_TABLE_1}")
        yield compare("GBU", "images", len(contents.X), benchmark.images, _GBU)
        return
    yield compare("Table 1", "images", len(contents.X), row.images, _TABLE_1)
    yield compare("Table 1", "attributes", contents.classes.width, row.attributes, _TABLE_1)
    unseen = contents.unseen.get("standard", benchmark.standard[0].unseen or ())
    classes = (len(contents.classes) - len(unseen), len(unseen))
    yield compare("Table 1", "standard split, classes (seen / unseen)", classes, (row.seen, row.unseen), _TABLE_1)


def _check_standard_split(contents: Contents, split: StandardSplit) -> Iterator[Finding]:
    if split.unseen is None:
        yield Finding("ok", "standard split", f"{split.name} ({split.source}): its unseen classes are not known here")
        return
    listed = contents.unseen.get("standard")
    if listed is not None and _simplify_names(listed) != _simplify_names(split.unseen):
        strange = sorted(map(str, _simplify_names(listed) - _simplify_names(split.unseen)))
        message = f"the list of unseen classes that came with the data is not that of {split.source}: {strange[:3]}"
        yield Finding("warning", "standard split", message)
    wanted = _simplify_names(split.unseen)
    is_unseen = np.array([simplify_name(label) in wanted for label in contents.classes])
    n_unseen = int(is_unseen[contents.classes.index_of(contents.y)].sum())
    counts = (len(contents.y) - n_unseen, n_unseen)
    yield compare("standard split", f"{split.name}, images (train / test)", counts, split.images, "the literature")


def _check_proposed_classes(contents: Contents, rows: RowSplit, benchmark: Benchmark) -> Iterator[Finding]:
    inside = [part[(part >= 0) & (part < len(contents.y))] for part in (rows.train, rows.test_unseen)]
    counts = tuple(len(set(contents.y[part].tolist())) for part in inside)
    published = (benchmark.proposed.seen, benchmark.proposed.unseen)
    yield compare("GBU", "proposed split, classes (seen / unseen)", counts, published, _GBU)


def _simplify_names(names: Collection[Hashable]) -> set[str]:
    return {simplify_name(name) for name in names}
