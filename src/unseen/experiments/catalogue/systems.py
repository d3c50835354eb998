"""Read a system: a method of the literature with its published names and its parameters on each ground."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from unseen.evaluation.settings.inductive import SETTINGS
from unseen.experiments.catalogue.grounds import Ground, shipped_grounds
from unseen.experiments.catalogue.merging import merge
from unseen.experiments.fields import Fields
from unseen.experiments.literature import check_method
from unseen.experiments.yaml_file import list_yaml_files, read_yaml
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice, make_unknown_error

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from pathlib import Path

FOLDER = files("unseen.experiments") / "systems"

# Parts of an experiment that a system gives, for all grounds or for one.
PARTS = ("preparation", "model", "refinement", "selection", "trials")


@dataclass(frozen=True)
class System:
    """The content of a system file.

    Attributes
    ----------
    key : str
        Name of the file without its extension.
    where : str
        Path of the file, for error messages.
    title : str
    published : tuple of str
        Names of the system (method or acronym) in the published tables.
    settings : tuple of str
    parts : dict
        Keys of an experiment file that hold on every ground: preparation, model, refinement, selection, trials.
    note : str
        Caveat for the comparison with published numbers.
    grounds : dict of str to dict
        What differs (parts and note) on a ground, or on a ground in one setting, by its name.
    """

    key: str
    where: str
    title: str
    published: tuple[str, ...]
    settings: tuple[str, ...]
    parts: dict[str, Any]
    note: str
    grounds: dict[str, dict[str, Any]]

    def merge_parts(self, ground: Ground, setting: str) -> dict[str, Any]:
        """Return the parts and the note on a ground in a setting: what holds everywhere, then what differs there."""
        names = dict.fromkeys((ground.key, ground.settings[setting].name))
        parts: dict[str, Any] = self.parts | {"note": self.note}
        for name in names:
            parts = merge(parts, self.grounds.get(name, {}))
        return parts


@cache
def list_systems() -> dict[str, "Traversable"]:
    """Return the files of the systems that come with the package, by key.

    >>> "eszsl" in list_systems()
    True
    """
    return list_yaml_files(FOLDER)


@cache
def load_system(key: str) -> System:
    """Read a system of the package by its key.

    >>> load_system("eszsl").settings
    ('standard', 'generalized')
    """
    if key not in list_systems():
        raise make_unknown_error(key, list_systems(), "system")
    return read_system(list_systems()[key], key)


def read_system(path: "Path | Traversable", key: str) -> System:
    """Read and check a system file; what is in its parts is checked where they are read as an experiment."""
    fields = Fields(read_yaml(path), str(path), ("title", "published", "settings", *PARTS, "note", "grounds"))
    fields.value("model")
    return System(
        key=key,
        where=str(path),
        title=fields.text("title"),
        published=tuple(check_method(name, fields.place("published")) for name in fields.items("published")),
        settings=_read_settings(fields),
        parts={part: fields.mapping[part] for part in PARTS if part in fields},
        note=fields.text("note") if "note" in fields else "",
        grounds=_read_grounds(fields),
    )


def _read_settings(fields: Fields) -> tuple[str, ...]:
    settings = fields.items("settings") or ["standard"]
    refined = "refinement" in fields
    for setting in settings:
        check_choice(setting, list(SETTINGS), fields.place("settings"))
        if refined != setting.startswith("transductive"):
            raise InputError(
                f"{fields.place('settings')} has {setting!r}: a system with a refinement is for the transductive "
                "settings, and one without for the others"
            )
    return tuple(settings)


def _read_grounds(fields: Fields) -> dict[str, dict[str, Any]]:
    known = {
        name: None
        for ground in shipped_grounds().values()
        for name in (ground.key, *(setting.name for setting in ground.settings.values()))
    }
    given = Fields(fields.mapping.get("grounds") or {}, fields.place("grounds"), known)
    return {
        name: dict(Fields(given.value(name), given.place(name), (*PARTS, "note")).mapping) for name in given.mapping
    }
