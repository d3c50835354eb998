"""A dataset under the magnifying glass: what it is, what is published of it, and what is wrong with it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from unseen.data.benchmarks.known import Benchmark, recognise
from unseen.data.checking.findings import CheckReport, Finding
from unseen.data.checking.published import published_findings, version_findings
from unseen.data.checking.values import (
    description_findings,
    duplicate_findings,
    feature_findings,
    label_findings,
    split_findings,
)
from unseen.data.formats.contents import Contents
from unseen.data.formats.detect import Format, recognised
from unseen.data.formats.missing import missing_in_awa
from unseen.data.formats.xlsa17 import FEATURES, image_files, read_splits
from unseen.data.home import data_home, find_dataset
from unseen.data.tables.names import plain_name
from unseen.utils.errors import InputError
from unseen.utils.registry import check_parameters


def check_dataset(name: str | os.PathLike[str], features: Any = None, **options: Any) -> CheckReport:
    """Check a dataset in a file or folder, without changing anything.

    Parameters
    ----------
    name : path-like
        What `load_dataset` would read.
    features, **options
        As for `load_dataset`.

    Returns
    -------
    CheckReport
        Findings of level "ok", "warning" (numbers may not mean what they seem to) or "error" (it cannot be used).
    """
    path = find_dataset(name)
    if path is None:
        raise InputError(f"path={os.fspath(name)!r} is neither here nor in {data_home()}: give a file or folder")
    known = recognised(path)
    check_parameters(options, known.options, f"a dataset of the format {known.name!r}")
    # What is marked as missing is to be counted, not filled.
    keep = {"missing": "keep"} if "missing" in known.options else {}
    try:
        contents = known.read(path, features, **(keep | options))
    except InputError as error:
        return _report(path, known, None, [Finding("error", "reading", str(error)), *_splits_alone(path, known)])
    benchmark = recognise(contents.classes, len(contents.X))
    findings = list(_findings(contents, benchmark))
    if known.name == "xlsa17":
        findings += _image_findings(path / (features or FEATURES) if path.is_dir() else path, contents)
    return _report(path, known, benchmark, findings)


def _report(path: Path, known: Format, benchmark: Benchmark | None, findings: list[Finding]) -> CheckReport:
    return CheckReport(path, known.name, benchmark.key if benchmark else None, tuple(findings))


def _findings(contents: Contents, benchmark: Benchmark | None) -> Iterator[Finding]:
    if contents.X.ndim != 2 or len(contents.X) != len(contents.y):
        message = f"X has shape {contents.X.shape} for {len(contents.y)} labels: give one row for each label"
        yield Finding("error", "contents", message)
        return
    size = f"{len(contents.X):,} rows, {len(contents.classes)} classes, {contents.classes.width} attributes"
    yield Finding("ok", "contents", size)
    if benchmark is None:
        yield Finding("ok", "benchmark", "the classes are of no published benchmark, so no counts to compare")
    else:
        yield Finding("ok", "benchmark", f"{benchmark.key}, {benchmark.title} (by its classes)")
        yield from published_findings(contents, benchmark)
    if contents.rows is not None:
        yield from split_findings(contents, contents.rows)
    yield from label_findings(contents)
    marked = missing_in_awa(contents.classes.vectors, list(contents.classes))
    yield from description_findings(contents.classes, int(np.sum(marked)))
    yield from feature_findings(contents.X)
    yield from duplicate_findings(contents)


def _splits_alone(path: Path, known: Format) -> Iterator[Finding]:
    """Check the split of the xlsa17 package even where its features are not there."""
    folder = path if path.is_dir() else path.parent
    if known.name != "xlsa17":
        return
    try:
        splits = read_splits(folder)
    except InputError:
        return
    n_rows = sum(map(len, splits.rows.parts.values()))
    benchmark = recognise(splits.classes, n_rows)
    if benchmark is not None:
        yield Finding("ok", "benchmark", f"{benchmark.key}, {benchmark.title} (by its classes)")
        yield from version_findings(splits.rows, benchmark)


def _image_findings(path: Path, contents: Contents) -> Iterator[Finding]:
    """Compare each class with the folder of its image, where the feature file names images."""
    files = image_files(path)
    if len(files) != len(contents.y):
        return
    parts = [" ".join(map(plain_name, Path(file).parts)) for file in files]
    plain = {label: f" {plain_name(label)} " for label in set(contents.y.tolist())}
    agree = sum(plain[label] in f" {text} " for label, text in zip(contents.y.tolist(), parts, strict=True))
    if agree == len(files):
        yield Finding("ok", "images", "every image lies in a folder named after its class")
    elif agree:
        yield Finding("warning", "images", f"{len(files) - agree:,} images lie in no folder named after their class")
