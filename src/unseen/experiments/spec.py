"""Read an experiment from a YAML file: data, preparation, model, selection, setting and published numbers."""

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from unseen.data import DATASETS
from unseen.evaluation.settings.inductive import SETTINGS
from unseen.experiments.fields import Fields, check_plain
from unseen.experiments.literature import published
from unseen.experiments.yaml_file import read_yaml
from unseen.selection.trials import SCORINGS
from unseen.utils.errors import InputError, shorten

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from pathlib import Path

# Keys that do not affect the outcome of a trial, so that they may change without running it again.
INCONSEQUENTIAL = ("title", "trials", "published")

# What can be prepared, by a list of steps.
SIDES = ("features", "descriptions")


@dataclass(frozen=True)
class Data:
    """The dataset for `load_dataset`: a name of `DATASETS`, or a file or folder in the folder of datasets."""

    name: str | None
    path: str | None
    options: dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A part given by name and parameters: a model, a preparation step or a splitter."""

    name: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Selection:
    """A parameter selection on seen classes: grid, splitter, score, whether to stop hopeless points, and how often.

    The values of "features" and "descriptions" in the grid are preparations to choose from, each a tuple of steps.
    """

    grid: dict[str, list[Any]]
    splitter: Part | None
    scoring: Literal["per-class", "per-image"]
    halving: bool
    repeat: Literal["once", "each trial"]


@dataclass(frozen=True)
class ExperimentReference:
    """A published number that an experiment is compared with, in per cent.

    Attributes
    ----------
    method, metric : str
    mean : float
    std : float or None
    spread : "trials" or "classes"
        Over what `std` is taken.
    source : str
        Publication that has the number.
    note : str
        Caveat for the comparison, e.g. that the features differ.
    recalled : bool
        Whether the number was recalled from memory and not checked against a copy of the paper.
    """

    method: str
    metric: str
    mean: float
    std: float | None
    spread: Literal["trials", "classes"]
    source: str
    note: str
    recalled: bool


@dataclass(frozen=True)
class Experiment:
    """The content of an experiment file.

    Attributes
    ----------
    name : str
        Name of the file without its extension.
    title : str
    data : Data
    setting : str
    features, descriptions : tuples of Part
        Preparation steps of the features and of the descriptions, first to last.
    model : Part
    refinement : Part or None
        Refinement of the model on a whole batch, for the transductive settings.
    selection : Selection or None
    trials, seed : int
    published : tuple of ExperimentReference
    content : str
        Digest of all that the outcome of a trial depends on.
    """

    name: str
    title: str
    data: Data
    setting: str
    features: tuple[Part, ...]
    descriptions: tuple[Part, ...]
    model: Part
    refinement: Part | None
    selection: Selection | None
    trials: int
    seed: int
    published: tuple[ExperimentReference, ...]
    content: str


def read_experiment(path: "Path | Traversable", name: str) -> Experiment:
    """Read and check an experiment file; nothing in it is executed."""
    return make_experiment(read_yaml(path), str(path), name)


def make_experiment(raw: dict[str, Any], where: str, name: str) -> Experiment:
    """Check the keys and values of an experiment and return it; `where` names their place in error messages."""
    known = (*INCONSEQUENTIAL, "dataset", "setting", "preparation", "model", "refinement", "selection", "seed")
    fields = Fields(raw, where, known)
    preparation = Fields(raw.get("preparation") or {}, fields.place("preparation"), SIDES)
    setting = fields.choice("setting", SETTINGS, "standard")
    return Experiment(
        name=name,
        title=fields.text("title"),
        data=_read_data(fields),
        setting=setting,
        features=_read_steps(preparation.items("features"), preparation.place("features")),
        descriptions=_read_steps(preparation.items("descriptions"), preparation.place("descriptions")),
        model=_read_part(fields, "model"),
        refinement=_read_part(fields, "refinement") if "refinement" in fields else None,
        selection=_read_selection(fields) if "selection" in fields else None,
        trials=fields.whole("trials", 10, 1),
        seed=fields.whole("seed", 0, 0),
        published=tuple(
            _read_reference(item, f"{fields.place('published')}, entry {at}", SETTINGS[setting].metrics)
            for at, item in enumerate(fields.items("published"), start=1)
        ),
        content=_digest(raw, where),
    )


def _read_data(fields: Fields) -> Data:
    given = Fields(fields.value("dataset"), fields.place("dataset"), ("name", "path", "split", "features", "options"))
    if ("name" in given) == ("path" in given):
        raise InputError(f"{given.where} needs either 'name' (of a dataset without a file) or 'path': give one of them")
    options = given.options("options") | {
        key: check_plain(given.value(key), given.place(key)) for key in ("split", "features") if key in given
    }
    if "name" in given:
        return Data(given.choice("name", DATASETS), None, options)
    return Data(None, given.text("path"), options)


def _read_part(fields: Fields, key: str) -> Part:
    given = Fields(fields.value(key), fields.place(key), ("name", "parameters"))
    return Part(given.text("name"), given.options("parameters"))


def _read_steps(items: list[Any], where: str) -> tuple[Part, ...]:
    """Read steps like [l2, {pca: {n_components: 300}}]."""
    steps = []
    for item in items:
        if isinstance(item, str):
            steps.append(Part(item, {}))
        elif isinstance(item, dict) and len(item) == 1:
            [name] = item
            steps.append(Part(str(name), Fields(item, where, [name]).options(name)))
        else:
            raise InputError(
                f"{where} has the step {item!r}: write a name, or a name with parameters like "
                "{pca: {n_components: 300}}"
            )
    return tuple(steps)


def _read_preparation(steps: Any, where: str) -> tuple[Part, ...]:
    """Read one of the preparations to choose from: a list of steps, empty for none."""
    if not isinstance(steps, list):
        raise InputError(
            f"{where} has {steps!r} to choose from: write each preparation as a list of steps, [] for none"
        )
    return _read_steps(steps, where)


def _read_selection(fields: Fields) -> Selection:
    given = Fields(
        fields.value("selection"), fields.place("selection"), ("grid", "splitter", "scoring", "halving", "repeat")
    )
    grid = given.options("grid")
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise InputError(f"{given.place('grid')}, {name} is {values!r}: write a list of values to choose from")
        if name in SIDES:
            grid[name] = [_read_preparation(value, f"{given.place('grid')}, {name}") for value in values]
    if not grid:
        raise InputError(f"{given.place('grid')} is empty: name at least one parameter and its values")
    return Selection(
        grid=grid,
        splitter=_read_part(given, "splitter") if "splitter" in given else None,
        scoring="per-class" if given.choice("scoring", SCORINGS, "per-class") == "per-class" else "per-image",
        halving=given.flag("halving", True),
        repeat="once" if given.choice("repeat", ("once", "each trial"), "once") == "once" else "each trial",
    )


def _read_reference(item: Any, where: str, metrics: tuple[str, ...]) -> ExperimentReference:
    known = ("method", "metric", "mean", "std", "table", "dataset", "split", "features", "source", "note")
    given = Fields(item, where, known)
    metric = given.choice("metric", metrics)
    mean, std = given.number("mean"), given.number("std") if "std" in given else None
    note = given.text("note") if "note" in given else ""
    if "table" not in given:
        source = given.text("source")
        return ExperimentReference(given.text("method"), metric, mean, std, "trials", source, note, False)
    wanted = {key: given.text(key) for key in ("table", "method", "dataset", "split", "features") if key in given}
    found = published(metric=metric, **wanted)
    if len(found) != 1 or (found[0].mean, found[0].std) != (mean, std):
        numbers = shorten([str(number.measure) for number in found]) or "none"
        raise InputError(f"{where} says {mean}, std {std}, but the published table has {numbers}: correct either")
    number = found[0]
    return ExperimentReference(number.method, metric, mean, std, number.spread, number.source, note, number.recalled)


def _digest(raw: dict[str, Any], where: str) -> str:
    content = {key: check_plain(value, where) for key, value in raw.items() if key not in INCONSEQUENTIAL}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
