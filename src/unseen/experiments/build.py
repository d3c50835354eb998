"""Making the dataset and the estimator that an experiment names."""

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sklearn.base import MetaEstimatorMixin
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unseen import models
from unseen.data import ZeroShotDataset, load_dataset
from unseen.data.home import data_home, find_dataset
from unseen.experiments.spec import Experiment, Part
from unseen.features.rowwise import SquareRoot, UnitNorm
from unseen.features.simplex_coder import SimplexCoder
from unseen.features.whitening import Whitening
from unseen.models.wrappers.prepared import Prepared
from unseen.selection import ClassDisjointSearch, ClassKFold, HoldOutClasses
from unseen.transduction import PST, SMS, SPZSR, TMVHLP, UDA
from unseen.utils.errors import InputError, shortened
from unseen.utils.registry import did_you_mean

# What a file may name; a new step of preparation or splitter is one more name.
STEPS = {
    kind.__name__: kind for kind in (UnitNorm, SquareRoot, StandardScaler, PCA, TruncatedSVD, Whitening, SimplexCoder)
}
REFINEMENTS = {kind.__name__: kind for kind in (SPZSR, PST, UDA, SMS, TMVHLP)}
SPLITTERS = {kind.__name__: kind for kind in (HoldOutClasses, ClassKFold)}


class DataMissing(InputError):
    """The file of an experiment's dataset is not there."""


def find_data(experiment: Experiment, folder: Path | None) -> str | Path:
    """Return what to give to `load_dataset`: a name, or the path of a file that is there."""
    if experiment.data.path is None:
        return str(experiment.data.name)
    found = find_dataset(experiment.data.path if folder is None else folder.absolute() / experiment.data.path)
    if found is None:
        raise DataMissing(
            f"{experiment.name} needs {experiment.data.path}, which is not in {folder or data_home()}: "
            "name its folder with --data or in the environment as UNSEEN_DATA"
        )
    return found


def build_dataset(experiment: Experiment, folder: Path | None) -> ZeroShotDataset:
    """Load the dataset of an experiment, from this folder or else from where datasets lie (`unseen.data.home`)."""
    return load_dataset(find_data(experiment, folder), **experiment.data.options)


def build_model(experiment: Experiment) -> Any:
    """Make the model of an experiment, with its preparation and refinement, without selection."""
    model = make_part(experiment.model, known_models(), f"{experiment.name}, model")
    sides = {
        side: make_preparation(steps, f"{experiment.name}, preparation, {side}")
        for side, steps in (("features", experiment.features), ("descriptions", experiment.descriptions))
        if steps
    }
    model = Prepared(model, **sides) if sides else model
    if experiment.refinement is None:
        return model
    return make_part(experiment.refinement, REFINEMENTS, f"{experiment.name}, refinement", model=model)


def build_search(experiment: Experiment, model: Any, jobs: int) -> Any:
    """Make the search over the grid of an experiment that has one."""
    chosen = experiment.selection
    assert chosen is not None
    known = model.get_params(deep=True)
    grid = {_parameter(name, known, experiment.name): values for name, values in chosen.grid.items()}
    options: dict[str, Any] = {"scoring": chosen.scoring, "n_jobs": jobs, "random_state": experiment.seed}
    if chosen.splitter is not None:
        where = f"{experiment.name}, selection, splitter"
        options["splitter"] = make_part(chosen.splitter, SPLITTERS, where, random_state=experiment.seed)
    return ClassDisjointSearch(model, grid, **options)


def _parameter(name: str, known: Mapping[str, Any], experiment: str) -> str:
    """Return the full name of a parameter; one of the model inside all else may leave its prefix out."""
    for full in (f"model__model__{name}", f"model__{name}", name):
        if full in known:
            return full
    names = [full.removeprefix("model__") for full in known]
    raise InputError(
        f"{experiment}, selection, grid has {name!r}, which is no parameter{did_you_mean([name], names)}: "
        f"choose among {shortened(sorted(names), limit=len(names))}"
    )


def make_preparation(steps: Iterable[Part], where: str) -> Any:
    """Make the transformer of some steps of `STEPS`."""
    made = [make_part(step, STEPS, where) for step in steps]
    return made[0] if len(made) == 1 else make_pipeline(*made)


def make_part(part: Part, known: Mapping[str, Any], where: str, **defaults: Any) -> Any:
    """Make an object of a known class, once its name and the names of its parameters are checked."""
    if part.name not in known:
        raise InputError(
            f"{where} names {part.name!r}, which is not known{did_you_mean([part.name], list(known))}: choose one of "
            f"{shortened(known, limit=len(known))}"
        )
    allowed = list(inspect.signature(known[part.name]).parameters)
    wrong = [name for name in part.parameters if name not in allowed]
    if wrong:
        raise InputError(
            f"{where}: {part.name} has no parameter {shortened(wrong)}{did_you_mean(wrong, allowed)}: choose among "
            f"{shortened(allowed, limit=len(allowed))}"
        )
    usable = {name: value for name, value in defaults.items() if name in allowed}
    return known[part.name](**(usable | part.parameters))


def known_models() -> dict[str, Any]:
    """Return the models by name, without those that wrap another and so cannot be made from plain values."""
    found = {name: getattr(models, name) for name in models.__all__}
    return {
        name: value
        for name, value in found.items()
        if issubclass(value, models.ZeroShotClassifier)
        and not issubclass(value, MetaEstimatorMixin)
        and value is not models.ZeroShotClassifier
    }
