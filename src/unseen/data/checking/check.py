"""Check a dataset for errors, and compare it with what is published about it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from unseen.data.benchmarks.known import Benchmark, recognise_benchmark
from unseen.data.checking.findings import CheckReport, Finding
from unseen.data.checking.published import check_published, check_version
from unseen.data.checking.values import (
    check_descriptions,
    check_duplicates,
    check_features,
    check_labels,
    check_split,
)
from unseen.data.formats.contents import Contents
from unseen.data.formats.detect import Format, recognise_format
from unseen.data.formats.missing import find_missing_in_awa
from unseen.data.formats.xlsa17 import FEATURES, list_image_files, read_splits
from unseen.data.home import data_home, find_dataset
from unseen.data.tables.names import simplify_name
from unseen.utils.errors import InputError
from unseen.utils.registry import check_parameters

# Formats in which benchmarks are published.
_BENCHMARK_FORMATS = ("xlsa17", "authors' VGG-19")


def check_dataset(name: str | os.PathLike[str], features: Any = None, **options: Any) -> CheckReport:
    """Check a dataset in a file or folder, without changing anything.

    Parameters
    ----------
    name : path-like
        The file or folder, as for `load_dataset`.
    features, **options
        As for `load_dataset`.

    Returns
    -------
    CheckReport
        Findings of level "ok", "warning" (results may be misleading) or "error" (the dataset cannot be used).
    """
    path = find_dataset(name)
    if path is None:
        raise InputError(f"path={os.fspath(name)!r} is neither here nor in {data_home()}: give a file or folder")
    known = recognise_format(path)
    check_parameters(options, known.options, f"a dataset of the format {known.name!r}")
    # Missing values are kept, so that they can be counted.
    keep = {"missing": "keep"} if "missing" in known.options else {}
    try:
        contents = known.read(path, features, **(keep | options))
    except InputError as error:
        return _make_report(
            path, known, None, [Finding("error", "reading", str(error)), *_check_splits_alone(path, known)]
        )
    benchmark = recognise_benchmark(contents.classes, len(contents.X))
    if benchmark is not None and not _claims(path, known, contents, benchmark):
        findings = [_tell_own_images(benchmark), *_check_contents(contents, None)]
        benchmark = None
    else:
        findings = list(_check_contents(contents, benchmark))
    if known.name == "xlsa17":
        findings += _check_images(path / (features or FEATURES) if path.is_dir() else path, contents)
    return _make_report(path, known, benchmark, findings)


def _claims(path: Path, known: Format, contents: Contents, benchmark: Benchmark) -> bool:
    """Tell whether a dataset with the classes of a benchmark is meant to be that benchmark, not one's own images."""
    named = benchmark.key.casefold().rstrip("12") in path.stem.casefold()
    return named or known.name in _BENCHMARK_FORMATS or len(contents.X) == benchmark.images


def _tell_own_images(benchmark: Benchmark) -> Finding:
    message = f"the classes are those of {benchmark.key}, but nothing says that these are its images: not compared"
    return Finding("ok", "own images", message)


def _make_report(path: Path, known: Format, benchmark: Benchmark | None, findings: list[Finding]) -> CheckReport:
    return CheckReport(path, known.name, benchmark.key if benchmark else None, tuple(findings))


def _check_contents(contents: Contents, benchmark: Benchmark | None) -> Iterator[Finding]:
    if contents.X.ndim != 2 or len(contents.X) != len(contents.y):
        message = f"X has shape {contents.X.shape} for {len(contents.y)} labels: give one row for each label"
        yield Finding("error", "contents", message)
        return
    size = f"{len(contents.X):,} rows, {len(contents.classes)} classes, {contents.classes.width} attributes"
    yield Finding("ok", "contents", size)
    if benchmark is None:
        message = "the classes are not those of a known benchmark, so there are no counts to compare"
        yield Finding("ok", "benchmark", message)
    else:
        yield Finding("ok", "benchmark", f"{benchmark.key}, {benchmark.title} (by its classes)")
        yield from check_published(contents, benchmark)
    if contents.rows is not None:
        yield from check_split(contents, contents.rows)
    yield from check_labels(contents)
    marked = find_missing_in_awa(contents.classes.vectors, list(contents.classes))
    yield from check_descriptions(contents.classes, int(np.sum(marked)))
    yield from check_features(contents.X)
    yield from check_duplicates(contents)


def _check_splits_alone(path: Path, known: Format) -> Iterator[Finding]:
    """Check the split of the xlsa17 package even if its features are missing."""
    folder = path if path.is_dir() else path.parent
    if known.name != "xlsa17":
        return
    try:
        splits = read_splits(folder)
    except InputError:
        return
    n_rows = sum(map(len, splits.rows.parts.values()))
    benchmark = recognise_benchmark(splits.classes, n_rows)
    if benchmark is not None:
        yield Finding("ok", "benchmark", f"{benchmark.key}, {benchmark.title} (by its classes)")
        yield from check_version(splits.rows, benchmark)


def _check_images(path: Path, contents: Contents) -> Iterator[Finding]:
    """Compare each class with the folder of its image, if the feature file names images."""
    files = list_image_files(path)
    if len(files) != len(contents.y):
        return
    parts = [" ".join(map(simplify_name, Path(file).parts)) for file in files]
    plain = {label: f" {simplify_name(label)} " for label in set(contents.y.tolist())}
    agree = sum(plain[label] in f" {text} " for label, text in zip(contents.y.tolist(), parts, strict=True))
    if agree == len(files):
        yield Finding("ok", "images", "every image lies in a folder named after its class")
    elif agree:
        message = f"{len(files) - agree:,} images do not lie in a folder named after their class"
        yield Finding("warning", "images", message)
