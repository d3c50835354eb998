"""Make the dataset and the estimator of an experiment."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unseen.data import ZeroShotDataset, load_dataset
from unseen.data.home import data_home, find_dataset
from unseen.experiments.spec import SIDES, Experiment, Part
from unseen.features import make_preparation
from unseen.models import Prepared
from unseen.models.registry import make_by_name
from unseen.selection import SPLITTERS, ClassDisjointSearch
from unseen.selection.grid import find_full_name
from unseen.transduction import REFINEMENTS
from unseen.utils.errors import InputError
from unseen.utils.registry import Registry, make_parameter_error


class DataMissing(InputError):
    """The dataset file of an experiment does not exist."""


def find_data(experiment: Experiment, folder: Path | None) -> str | Path:
    """Return the dataset as `load_dataset` takes it: a name, or the path of an existing file."""
    if experiment.data.path is None:
        return str(experiment.data.name)
    found = find_file(experiment.data.path, folder)
    if found is None:
        raise DataMissing(
            f"{experiment.name} needs {experiment.data.path}, which is not in {folder or data_home()}: "
            "give its folder by --data or the environment variable UNSEEN_DATA"
        )
    return found


def find_file(path: str, folder: Path | None) -> Path | None:
    """Find a file of data in the given folder or the default one; None if it is not there."""
    return find_dataset(path if folder is None else folder.absolute() / path)


def build_dataset(experiment: Experiment, folder: Path | None) -> ZeroShotDataset:
    """Load the dataset of an experiment, from the given folder or the default one (`unseen.data.home`)."""
    return load_dataset(find_data(experiment, folder), **experiment.data.options)


def build_model(experiment: Experiment) -> Any:
    """Make the model of an experiment, with its preparation and refinement, but without selection."""
    model = make_by_name(experiment.model.name, experiment.model.parameters, f"{experiment.name}, model")
    varied = () if experiment.selection is None else experiment.selection.grid
    sides = {
        side: _make_preparation(steps, f"{experiment.name}, preparation, {side}")
        for side, steps in (("features", experiment.features), ("descriptions", experiment.descriptions))
        if steps or side in varied
    }
    model = Prepared(model, **sides) if sides else model
    if experiment.refinement is None:
        return model
    return _make_part(experiment.refinement, REFINEMENTS, f"{experiment.name}, refinement", model=model)


def build_search(experiment: Experiment, model: Any, jobs: int) -> Any:
    """Make the parameter search of an experiment that has a grid."""
    chosen = experiment.selection
    assert chosen is not None
    grid = {
        _find_parameter(name, model, experiment.name): (
            [_make_preparation(steps, f"{experiment.name}, selection, grid, {name}") for steps in values]
            if name in SIDES
            else values
        )
        for name, values in chosen.grid.items()
    }
    options: dict[str, Any] = {"scoring": chosen.scoring, "halving": chosen.halving, "n_jobs": jobs}
    options["random_state"] = experiment.seed
    if chosen.splitter is not None:
        where = f"{experiment.name}, selection, splitter"
        options["splitter"] = _make_part(chosen.splitter, SPLITTERS, where, random_state=experiment.seed)
    return ClassDisjointSearch(model, grid, **options)


def write_choice(grid: Mapping[str, Sequence[Any]], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a search chose from a grid as plain values: of preparations, their places in the grid."""
    return {name: list(grid[name]).index(value) if _is_side(name) else value for name, value in chosen.items()}


def read_choice(grid: Mapping[str, Sequence[Any]], written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that `write_choice` wrote."""
    return {name: grid[name][value] if _is_side(name) else value for name, value in written.items()}


def _is_side(name: str) -> bool:
    return name.split("__")[-1] in SIDES


def _make_preparation(steps: tuple[Part, ...], where: str) -> Any:
    return make_preparation([(step.name, step.parameters) for step in steps], where) if steps else None


def _find_parameter(name: str, model: Any, experiment: str) -> str:
    known = model.get_params(deep=True)
    full = find_full_name(model, name)
    if full not in known:
        names = sorted(known_name.removeprefix("model__") for known_name in known)
        raise make_parameter_error([name], names, f"{experiment}, selection, grid")
    return full


def _make_part(part: Part, known: Registry[Any], where: str, **defaults: Any) -> Any:
    return known.make(part.name, part.parameters, where, **defaults)
