"""Plan a table: on which grounds its rows are run, and by which experiments."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unseen.data.home import data_home
from unseen.evaluation.settings.inductive import SETTINGS
from unseen.experiments.build import DataMissing, find_file
from unseen.experiments.catalogue.grounds import Ground, GroundSetting, shipped_grounds
from unseen.experiments.catalogue.products import make_product
from unseen.experiments.catalogue.systems import list_systems, load_system
from unseen.experiments.paper_tables.table import Line, PaperTable, load_table
from unseen.experiments.spec import Experiment
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice


@dataclass(frozen=True)
class Entry:
    """A line of a table on a ground.

    Attributes
    ----------
    line : Line
    ground : Ground
    experiment : Experiment or None
        None if there is no such experiment.
    missing : str
        Why there is none.
    note : str
        The system's caveat for comparisons.
    """

    line: Line
    ground: Ground
    experiment: Experiment | None
    missing: str = ""
    note: str = ""

    @property
    def place(self) -> GroundSetting | None:
        """The ground in the setting of the experiment or, without one, of the line; None if it has no such setting."""
        return self.ground.settings.get(self.experiment.setting if self.experiment is not None else self.line.setting)

    @property
    def split(self) -> str:
        """The ground's split in this setting, as the published tables name it."""
        return "" if self.place is None else str(self.place.parts["dataset"].get("split", ""))


@dataclass(frozen=True)
class TablePlan:
    """What is run for a table.

    Attributes
    ----------
    table : PaperTable
    entries : tuple of Entry
        Ground by ground, in the order of the table.
    failures : dict of str to str
        Systems that could not be read, with the reason.
    absent : tuple of Ground
        Grounds of which the data are not at hand.
    folder : Path
        Where the data were looked for.
    """

    table: PaperTable
    entries: tuple[Entry, ...]
    failures: dict[str, str] = field(default_factory=dict)
    absent: tuple[Ground, ...] = ()
    folder: Path = field(default_factory=data_home)

    @property
    def experiments(self) -> list[Experiment]:
        """The experiments, each once."""
        found = {entry.experiment.name: entry.experiment for entry in self.entries if entry.experiment is not None}
        return list(found.values())

    @property
    def embedded(self) -> bool:
        """Whether only data that come with the package are used."""
        return all(entry.ground.path is None for entry in self.entries)


def plan_table(
    table: str | PaperTable,
    data: Path | None = None,
    *,
    grounds: Sequence[str] = (),
    only: Sequence[str] = (),
    skip: Sequence[str] = (),
) -> TablePlan:
    """Choose grounds and make the experiments of a table.

    Parameters
    ----------
    table : str or PaperTable
        Name of a table, or the path of a table file.
    data : Path, optional
        Folder of datasets.
    grounds : sequence of str, optional
        Keys of grounds; by default those of which the folder has the data or, if it has none, those that need no file.
    only, skip : sequences of str, optional
        Keys of the systems to run, or not to run.

    Examples
    --------
    >>> plan = plan_table("gbu-zsl", grounds=["digit-pairs"], only=["eszsl"])
    >>> [experiment.name for experiment in plan.experiments]
    ['digit-pairs-eszsl']
    """
    chosen = load_table(table) if isinstance(table, str) else table
    for option, keys in (("only", only), ("skip", skip)):
        for key in keys:
            check_choice(key, chosen.systems, option)
    lines = [line for line in chosen.lines if line.system not in skip and (not only or line.system in only)]
    if not lines:
        raise InputError(f"only and skip leave no row of {chosen.name}: name fewer systems to skip")
    present = _find_grounds(data, grounds)
    failures: dict[str, str] = {}
    entries = tuple(_make_entry(line, ground, failures) for ground in present for line in lines)
    absent = tuple(ground for ground in shipped_grounds().values() if not _has_data(ground, data))
    return TablePlan(chosen, entries, failures, absent, data or data_home())


def _find_grounds(data: Path | None, wanted: Sequence[str]) -> list[Ground]:
    known = shipped_grounds()
    for key in wanted:
        if not _has_data(known[check_choice(key, list(known), "grounds")], data):
            raise DataMissing(
                f"grounds={key!r} needs {known[key].path}, which is not in {data or data_home()}: give its folder by "
                "--data or the environment variable UNSEEN_DATA"
            )
    if wanted:
        return [known[key] for key in dict.fromkeys(wanted)]
    found = [ground for ground in known.values() if ground.path is not None and _has_data(ground, data)]
    return found or [ground for ground in known.values() if ground.path is None]


def _has_data(ground: Ground, data: Path | None) -> bool:
    return ground.path is None or find_file(ground.path, data) is not None


def _make_entry(line: Line, ground: Ground, failures: dict[str, str]) -> Entry:
    if line.system not in list_systems():
        return Entry(line, ground, None, f"no system {line.system!r} in this version")
    try:
        system = load_system(line.system)
        # A refinement, which the table may list among the others, is measured on whole batches.
        setting = line.setting if line.setting in system.settings else system.settings[0]
        if line.metric not in SETTINGS[setting].metrics or setting not in ground.settings:
            return Entry(line, ground, None, f"no {line.metric} in the {setting} setting")
        note = system.merge_parts(ground, setting).get("note", "")
        return Entry(line, ground, make_product(system, ground, setting), note=str(note))
    except InputError as error:
        failures[line.system] = str(error)
        return Entry(line, ground, None, f"failed: {error}")
