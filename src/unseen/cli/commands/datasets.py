"""`unseen datasets`: list, check and fetch datasets."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unseen.cli.errors import report_error
from unseen.cli.options import Features, Label
from unseen.utils.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from unseen.data.benchmarks.fetch import Progress as ProgressCall
    from unseen.data.benchmarks.known import Benchmark
    from unseen.data.checking.findings import CheckReport

datasets_app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", help="List, check and fetch datasets.")

_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "error": ("✗", "bold red")}


class OutputFormat(StrEnum):
    """Output format."""

    text = "text"
    json = "json"


_Format = Annotated[OutputFormat, typer.Option("--format", help="Output format: text for people, json for programs.")]


@datasets_app.command("list")
def list_datasets(output: _Format = OutputFormat.text) -> None:
    """List the known datasets and the file formats that can be read.

    Examples: `unseen datasets list`, `unseen datasets list --format json`
    """
    from rich.console import Console
    from rich.markup import escape

    from unseen.data.home import data_home

    if output is OutputFormat.json:
        typer.echo(json.dumps(_collect_listing(), indent=2))
        return
    console = Console()
    console.print(_make_generated_table())
    console.print(_make_benchmark_table())
    console.print(_make_format_table())
    console.print(f"Names are looked for in {escape(str(data_home()))} (set UNSEEN_DATA to change it).")


@datasets_app.command("check")
def check(
    path: Annotated[str, typer.Argument(help="A file or folder, or its name in the folder UNSEEN_DATA.")],
    features: Features = None,
    classes: Annotated[Path | None, typer.Option(help="Class table (CSV) for a table of features.")] = None,
    label: Label = None,
    output: _Format = OutputFormat.text,
) -> None:
    """Check a dataset: counts against the published ones, version of the split, overlaps, constant features.

    The exit code is 0 if all is well, 1 for warnings and 2 for errors. The dataset is not changed.

    Examples: `unseen datasets check xlsa17/data/CUB`, `unseen datasets check birds.csv --classes classes.csv`
    """
    from rich.console import Console

    from unseen.data import check_dataset
    from unseen.data.checking.findings import LEVELS

    options = {name: value for name, value in (("classes", classes), ("label", label)) if value is not None}
    try:
        report = check_dataset(path, features, **options)
    except InputError as error:
        raise report_error(error) from error
    if output is OutputFormat.json:
        typer.echo(json.dumps(report.to_dict(), indent=2))
    else:
        Console().print(_make_report_table(report))
    raise typer.Exit(LEVELS.index(report.worst))


@datasets_app.command("fetch")
def fetch(
    name: Annotated[str, typer.Argument(help="Name of a dataset in the registry, or any name together with --url.")],
    url: Annotated[str | None, typer.Option(help="Address of the file, if it differs from the registry.")] = None,
    sha256: Annotated[str | None, typer.Option(help="SHA-256 hash of the file, as published.")] = None,
    registry: Annotated[Path | None, typer.Option(help="Your own registry, a TOML file.")] = None,
    to: Annotated[Path | None, typer.Option(help="Folder for the file; by default UNSEEN_DATA.")] = None,
) -> None:
    """Download a dataset (resumable) and verify its hash.

    Examples: `unseen datasets fetch CUB --url https://example.org/CUB.npz --sha256 9f86…`,
    `unseen datasets fetch CUB --registry ours.toml --to data`
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    from unseen.data import fetch_dataset

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    try:
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(escape(name), total=None)
            show: ProgressCall = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
            path = fetch_dataset(name, url=url, sha256=sha256, registry=registry, to=to, progress=show)
    except (InputError, ConnectionError) as error:
        raise report_error(error) from error
    typer.echo(str(path))


def _collect_listing() -> dict[str, Any]:
    from unseen.data import DATASETS
    from unseen.data.benchmarks.known import read_benchmarks
    from unseen.data.formats.detect import FORMATS
    from unseen.data.home import data_home

    return {
        "generated": {name: _take_first_line(maker) for name, maker in DATASETS.items()},
        "benchmarks": {key: _collect_facts(known) for key, known in read_benchmarks().items()},
        "formats": {known.name: known.made_of for known in FORMATS.values()},
        "data_home": str(data_home()),
    }


def _collect_facts(known: "Benchmark") -> dict[str, Any]:
    return {
        "title": known.title,
        "images": known.images,
        "classes": known.classes,
        "attributes": known.attributes,
        "splits": _list_splits(known),
        "files": _list_files(known),
    }


def _list_splits(known: "Benchmark") -> list[str]:
    """List the splits that can be loaded."""
    return ["proposed", *(f"standard-{split.name}" for split in known.standard if split.unseen is not None)]


def _list_files(known: "Benchmark") -> list[str]:
    return [f"{known.key}/res101.mat", f"{known.key}/att_splits.mat"]


def _take_first_line(function: Any) -> str:
    return str(function.__doc__).partition("\n")[0]


def _make_generated_table() -> "Table":
    from rich.table import Table

    from unseen.data import DATASETS

    table = Table("name", "what it is", title="Datasets that need no file", title_justify="left")
    for name, maker in DATASETS.items():
        table.add_row(name, _take_first_line(maker))
    return table


def _make_benchmark_table() -> "Table":
    from rich.table import Table

    from unseen.data.benchmarks.known import read_benchmarks

    columns = ("name", "what it is", "images", "classes", "attributes", "splits", "files (xlsa17 package)")
    table = Table(*columns, title="Benchmarks", title_justify="left")
    for known in read_benchmarks().values():
        counts = (f"{known.images:,}", str(known.classes), str(known.attributes))
        table.add_row(known.key, known.title, *counts, "\n".join(_list_splits(known)), "\n".join(_list_files(known)))
    return table


def _make_format_table() -> "Table":
    from rich.table import Table

    from unseen.data.formats.detect import FORMATS

    table = Table("format", "made of", title="Files and folders that can be read", title_justify="left")
    for known in FORMATS.values():
        table.add_row(known.name, known.made_of)
    return table


def _make_report_table(report: "CheckReport") -> "Table":
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    title = f"{report.path} ({report.format})"
    table = Table("", "", "", title=escape(title), title_justify="left", show_header=False, box=None)
    for finding in report.findings:
        mark, style = _MARKS[finding.level]
        table.add_row(Text(f"{mark} {finding.level}", style=style), finding.topic, Text(finding.message))
    return table
