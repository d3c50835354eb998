"""Read what a store of finished trials holds, without running anything."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unseen.data import ZeroShotDataset
from unseen.evaluation.measured import Measured
from unseen.evaluation.protocol import evaluate
from unseen.evaluation.result import EvaluationResult
from unseen.evaluation.seeding import declares_randomness
from unseen.evaluation.splits.result import SplitResult
from unseen.evaluation.trial import Trial
from unseen.experiments.batch import DatasetLoader
from unseen.experiments.build import DataMissing, build_model, build_search, read_choice
from unseen.experiments.catalogue.lookup import load_experiment, shipped_experiments
from unseen.experiments.runner import Outcome, key_of
from unseen.experiments.spec import Experiment
from unseen.experiments.split_runner import NAMED, describe_splits
from unseen.experiments.store import StoredKey, TrialStore
from unseen.utils.errors import InputError


@dataclass(frozen=True, eq=False)
class StoredRun:
    """The finished trials of one experiment.

    Attributes
    ----------
    name : str
        Name of the experiment in the store.
    version, finished : str
        Version of the package that ran them, and when the last one ended.
    trials : tuple of Trial
    outcome : Outcome or None
        Their result, if the experiment and its data are at hand and are those of the trials.
    reason : str
        Why there is no outcome.
    """

    name: str
    version: str
    finished: str
    trials: tuple[Trial, ...]
    outcome: Outcome[Measured] | None = None
    reason: str = ""


def read_store(
    path: Path, folder: Path | None = None, *, watch: Callable[[str], None] = lambda doing: None
) -> list[StoredRun]:
    """Return all that a store holds, in the order in which it was finished.

    Experiments are recognised if they come with the package, their data are found, and the key of their trials is that
    of this experiment on these data.

    Parameters
    ----------
    path : Path
        The store of `unseen bench`.
    folder : Path, optional
        Folder of datasets; by default that of UNSEEN_DATA.
    watch : callable, optional
        Function called with what is being done.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist: name the store of `unseen bench`, by default unseen-bench.sqlite")
    load = DatasetLoader(folder)
    with TrialStore(path) as store:
        runs = []
        # In the order of their data, so that each dataset is loaded once.
        for stored in sorted(store.runs(), key=_find_data):
            watch(f"reading {stored.experiment}")
            runs.append(_read_run(store, stored, load))
    return sorted(runs, key=lambda run: run.finished)


def _find_data(stored: StoredKey) -> str:
    name = stored.experiment.partition(NAMED)[0]
    return repr(load_experiment(name).data) if name in shipped_experiments() else ""


def _read_run(store: TrialStore, stored: StoredKey, load: DatasetLoader) -> StoredRun:
    trials = store.trials(stored.key)
    outcome, reason = None, ""
    try:
        outcome = _recognise(store, stored, trials, load)
    except DataMissing:
        reason = "its data are not found"
    except InputError as error:
        reason = str(error)
    about = (stored.experiment, stored.version, stored.finished, tuple(trials.values()))
    return StoredRun(*about, outcome, reason)


def _recognise(
    store: TrialStore, stored: StoredKey, trials: dict[int, Trial], load: DatasetLoader
) -> Outcome[Measured]:
    name, over_splits, seed = stored.experiment.partition(NAMED)
    # Only names of the package: a name in a store must not make us read a file.
    if name not in shipped_experiments():
        raise InputError("the package has no experiment of this name")
    experiment = load_experiment(name)
    dataset = load(experiment)
    # After an interruption of several processes, numbers may be missing in between.
    finished = {number: trials[number] for number in range(len(trials)) if number in trials}
    if over_splits:
        n_unseen = _find_n_unseen(experiment, dataset, stored, int(seed))
        return _gather_splits(experiment, dataset, finished, int(seed), n_unseen)
    if key_of(experiment, dataset.fingerprint(), version=stored.version) != stored.key:
        raise InputError("run on other data, or with other parameters than the experiment has now")
    return _gather_trials(experiment, dataset, finished, store, stored.key)


def _find_n_unseen(experiment: Experiment, dataset: ZeroShotDataset, stored: StoredKey, seed: int) -> int:
    """Return the number of unseen classes in each split, which only the key knows."""
    data = dataset.fingerprint()
    for n in range(1, len(dataset.classes)):
        if key_of(experiment, data, describe_splits(seed, n), stored.version) == stored.key:
            return n
    raise InputError("run on other data, or with other parameters than the experiment has now")


def _gather_splits(
    experiment: Experiment, dataset: ZeroShotDataset, finished: dict[int, Trial], seed: int, n_unseen: int
) -> Outcome[SplitResult]:
    if len(finished) < 2:
        raise InputError("only one class split is finished")
    model = build_model(experiment)
    result = evaluate(
        model if experiment.selection is None else build_search(experiment, model, jobs=1),
        dataset,
        experiment.setting,
        class_splits=len(finished),
        n_unseen=n_unseen,
        random_state=seed,
        name=experiment.name,
        finished=finished,
    )
    return Outcome(experiment, result, ran=0, foreign=0)


def _gather_trials(
    experiment: Experiment, dataset: ZeroShotDataset, finished: dict[int, Trial], store: TrialStore, key: str
) -> Outcome[EvaluationResult]:
    model = _restore_model(experiment, store, key)
    result = evaluate(
        model,
        dataset,
        experiment.setting,
        trials=len(finished) if declares_randomness(model) else 1,
        random_state=experiment.seed,
        name=experiment.name,
        finished=finished,
    )
    return Outcome(experiment, result, ran=0, foreign=0, selection_seconds=store.selection_seconds(key))


def _restore_model(experiment: Experiment, store: TrialStore, key: str) -> Any:
    """Return the model of an experiment, with the parameters that were chosen once for all trials."""
    model = build_model(experiment)
    if experiment.selection is None:
        return model
    search = build_search(experiment, model, jobs=1)
    chosen = store.selection(key)
    return search if chosen is None else model.set_params(**read_choice(search.grid, chosen))
