"""Read a ground: a dataset on which every system is measured, with its preparation, selection and published names."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from unseen.evaluation.settings.inductive import SETTINGS
from unseen.experiments.catalogue.merging import merge
from unseen.experiments.fields import Fields
from unseen.experiments.yaml_file import list_yaml_files, read_yaml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from pathlib import Path

FOLDER = files("unseen.experiments") / "grounds"

# Parts of an experiment that a ground gives; a setting of the ground may give its own.
PARTS = ("dataset", "preparation", "selection", "seed")


@dataclass(frozen=True)
class GroundSetting:
    """A ground in one setting.

    Attributes
    ----------
    name : str
        Start of the names of its experiments, e.g. "cub-proposed".
    title : str
        End of the titles of its experiments.
    parts : dict
        Keys of an experiment file: dataset, preparation, selection and seed.
    """

    name: str
    title: str
    parts: dict[str, Any]


@dataclass(frozen=True)
class Ground:
    """The content of a ground file.

    Attributes
    ----------
    key : str
        Name of the file without its extension.
    path : str or None
        File of its data in the folder of datasets; None for data that come with the package.
    settings : dict of str to GroundSetting
    datasets : tuple of str
        Names of the dataset in the published tables; none if no table has it.
    features : str
        Name of its features; those of a published number are the same if they have this name.
    splits : dict of str to str
        What the splits of the published tables are, in words.
    """

    key: str
    path: str | None
    settings: dict[str, GroundSetting]
    datasets: tuple[str, ...]
    features: str
    splits: dict[str, str]


@cache
def shipped_grounds() -> dict[str, Ground]:
    """Return the grounds that come with the package, by key.

    >>> list(shipped_grounds())
    ['awa', 'cub', 'digit-pairs']
    """
    return {key: read_ground(path, key) for key, path in list_yaml_files(FOLDER).items()}


def read_ground(path: "Path | Traversable", key: str) -> Ground:
    """Read and check a ground file; what is in its parts is checked where they are read as an experiment."""
    fields = Fields(read_yaml(path), str(path), (*PARTS, "settings", "published"))
    shared = _pick_parts(fields)
    settings = Fields(fields.value("settings"), fields.place("settings"), SETTINGS)
    known = Fields(fields.mapping.get("published") or {}, fields.place("published"), ("datasets", "features", "splits"))
    return Ground(
        key=key,
        path=fields.options("dataset").get("path"),
        settings={name: _read_setting(settings, name, shared) for name in settings.mapping},
        datasets=tuple(map(str, known.items("datasets"))),
        features=known.text("features", "its own"),
        splits={name: str(words) for name, words in known.options("splits").items()},
    )


def _read_setting(settings: Fields, name: str, shared: dict[str, Any]) -> GroundSetting:
    given = Fields(settings.value(name), settings.place(name), ("name", "title", *PARTS))
    parts = merge({**shared, "setting": name}, _pick_parts(given))
    return GroundSetting(given.text("name"), given.text("title"), parts)


def _pick_parts(fields: Fields) -> dict[str, Any]:
    return {part: fields.mapping[part] for part in PARTS if part in fields}
