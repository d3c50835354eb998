"""Read a table: the rows of a published table, each with the system that stands for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unseen.experiments.fields import Fields
from unseen.experiments.literature import PublishedNumber, published
from unseen.experiments.yaml_file import list_yaml_files, read_yaml
from unseen.utils.errors import InputError
from unseen.utils.registry import make_unknown_error

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FOLDER = files("unseen.experiments") / "tables"


@dataclass(frozen=True)
class Line:
    """A row of a published table, with one metric.

    Attributes
    ----------
    method, acronym : str
        Names of the method in the table.
    setting, metric : str
    spread : "trials" or "classes"
        Over what the table's standard deviations are taken.
    numbers : tuple of PublishedNumber
        The row's numbers, of all datasets and splits.
    system : str
        Key of the system.
    incomparable : str
        Why the numbers cannot be compared with ours; empty if they can.
    """

    method: str
    acronym: str
    setting: str
    metric: str
    spread: Literal["trials", "classes"]
    numbers: tuple[PublishedNumber, ...]
    system: str
    incomparable: str


@dataclass(frozen=True)
class PaperTable:
    """The content of a table file, with the rows in their published order.

    Attributes
    ----------
    name : str
        Name of the file without its extension.
    title : str
    source : str
        Publication that has the table.
    lines : tuple of Line
    """

    name: str
    title: str
    source: str
    lines: tuple[Line, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """Keys of the systems, each once."""
        return tuple(dict.fromkeys(line.system for line in self.lines))


def shipped_tables() -> dict[str, "Traversable"]:
    """Return the tables that come with the package, by name.

    >>> list(shipped_tables())
    ['gbu-gzsl', 'gbu-zsl', 'paper-table-2', 'paper-table-3', 'paper-table-4']
    """
    return list_yaml_files(FOLDER)


def is_table(name: str) -> bool:
    """Tell whether this is the name of a table, or the path of a table file rather than of an experiment.

    >>> is_table("paper-table-2"), is_table("digit-pairs-jfa")
    (True, False)
    """
    if name in shipped_tables():
        return True
    return name.endswith((".yaml", ".yml")) and Path(name).exists() and "systems" in read_yaml(Path(name))


def load_table(name: str) -> PaperTable:
    """Read a table of the package by name, or one of your own by the path of its YAML file.

    >>> load_table("paper-table-2").lines[-1].method
    'JFA'
    """
    shipped = shipped_tables()
    if name in shipped:
        return read_table(shipped[name], name)
    if name.endswith((".yaml", ".yml")):
        return read_table(Path(name), Path(name).stem)
    raise make_unknown_error(name, shipped, "table", "the path of a .yaml file")


def read_table(path: "Path | Traversable", name: str) -> PaperTable:
    """Read and check a table file. Rows without a system are left out."""
    fields = Fields(read_yaml(path), str(path), ("title", "table", "systems", "incomparable"))
    numbers = published(table=fields.text("table"))
    methods = list(dict.fromkeys(number.method for number in numbers))
    systems, reasons = (
        _read_texts(Fields(fields.mapping.get(key) or {}, fields.place(key), methods))
        for key in ("systems", "incomparable")
    )
    if not systems:
        raise InputError(f"{fields.place('systems')} is empty: name at least one row of the table and its system")
    return PaperTable(
        name=name,
        title=fields.text("title"),
        source=numbers[0].source,
        lines=tuple(
            _make_line(row, systems[row[0].method], reasons.get(row[0].method, ""))
            for row in _group_rows(numbers)
            if row[0].method in systems
        ),
    )


def _read_texts(fields: Fields) -> Mapping[str, str]:
    return {key: fields.text(key) for key in fields.mapping}


def _group_rows(numbers: tuple[PublishedNumber, ...]) -> list[list[PublishedNumber]]:
    """Group the numbers of a table by row and metric, in the order of the table."""
    rows: dict[tuple[str, ...], list[PublishedNumber]] = {}
    for number in numbers:
        rows.setdefault((number.method, number.features, number.setting, number.metric), []).append(number)
    return list(rows.values())


def _make_line(row: list[PublishedNumber], system: str, incomparable: str) -> Line:
    first = row[0]
    return Line(
        method=first.method,
        acronym=first.acronym,
        setting=first.setting,
        metric=first.metric,
        spread=first.spread,
        numbers=tuple(row),
        system=system,
        incomparable=incomparable,
    )
