"""Run an experiment: skip trials that are stored already, and store each new trial at once."""

import hashlib
import time
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import unseen
from unseen.data import ZeroShotDataset
from unseen.evaluation.measured import Measured
from unseen.evaluation.protocol import name_of
from unseen.evaluation.result import EvaluationResult
from unseen.evaluation.running import run_trial
from unseen.evaluation.seeding import declares_randomness, trial_seed, with_seed
from unseen.evaluation.settings.inductive import make_setting
from unseen.experiments.build import build_model, build_search, read_choice, write_choice
from unseen.experiments.spec import Experiment
from unseen.experiments.store import TrialStore
from unseen.utils.progress import OnProgress, Progress, ignore

Result = TypeVar("Result", bound=Measured, covariant=True)


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """The outcome of an experiment.

    Attributes
    ----------
    experiment : Experiment
    result : EvaluationResult or SplitResult
        Result over all trials, whenever they were run.
    ran : int
        Number of trials run now; the others were in the store.
    foreign : int
        Number of stored trials of this experiment that were not used, because they are of other data, parameters or
        versions.
    selection_seconds : float or None
        Wall-clock time of selecting parameters once for all trials; None if there was no such selection.
    """

    experiment: Experiment
    result: Result
    ran: int
    foreign: int
    selection_seconds: float | None = None


def key_of(experiment: Experiment, data: str, splits: str = "", version: str | None = None) -> str:
    """Return the key of an experiment's trials: a hash of its content, its data and the package version.

    Trials on random class splits are told apart by `splits`, which says how the classes were drawn. The version is this
    one unless another is named.
    """
    parts = [experiment.content, data, version or unseen.__version__, *([splits] if splits else [])]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def run_experiment(
    experiment: Experiment,
    dataset: ZeroShotDataset,
    store: TrialStore,
    *,
    trials: int | None = None,
    jobs: int = 1,
    watch: OnProgress = ignore,
) -> Outcome[EvaluationResult]:
    """Run the trials of an experiment that the store does not hold yet, and return all of them.

    Parameters
    ----------
    experiment : Experiment
    dataset : ZeroShotDataset
        Dataset loaded by `build_dataset`.
    store : TrialStore
        Store to which every trial is committed as soon as it is done.
    trials : int, optional
        Number of trials, instead of that in the experiment's file. A model without any `random_state` has one trial.
    jobs : int, default 1
        Number of processes for selecting parameters.
    watch : callable, optional
        Function called whenever a new task begins.
    """
    setting = make_setting(experiment.setting)
    candidates = setting.candidates(dataset)
    key = key_of(experiment, dataset.fingerprint())
    model = _choose_model(experiment, dataset, store, key, jobs, watch)
    random = declares_randomness(model)
    total = (trials or experiment.trials) if random else 1
    ran = 0
    for number in range(total):
        # Looked up for each trial, because another process may be using the same store.
        finished = store.finished(key)
        if number not in finished:
            watch(Progress(f"trial {number + 1}", len(finished & set(range(total))), total))
            trial = run_trial(model, dataset, setting, trial_seed(experiment.seed, number))
            store.add_trial(key, number, trial, experiment=experiment.name, version=unseen.__version__)
            ran += 1
    watch(Progress("done", total, total))
    stored = store.trials(key)
    result = EvaluationResult(
        name=name_of(model),
        model=repr(model),
        dataset=dataset.name,
        setting=setting.name,
        candidates=candidates,
        trials=tuple(stored[number] for number in range(total)),
        random=random,
    )
    foreign = store.others(experiment.name, key)
    return Outcome(experiment, result, ran, foreign, selection_seconds=store.selection_seconds(key))


def _choose_model(
    experiment: Experiment,
    dataset: ZeroShotDataset,
    store: TrialStore,
    key: str,
    jobs: int,
    watch: OnProgress,
) -> Any:
    """Return the model to fit in each trial: the file's model, a search, or what a search chose for all trials."""
    model = build_model(experiment)
    if experiment.selection is None:
        return model
    search = build_search(experiment, model, jobs)
    if experiment.selection.repeat == "each trial":
        return search
    parameters = store.selection(key)
    if parameters is None:
        watch(Progress("selecting parameters on seen classes", 0, experiment.trials))
        search = with_seed(search, trial_seed(experiment.seed, 0))
        started = time.perf_counter()
        search.fit(dataset.X_train, dataset.y_train, classes=dataset.seen_table)
        parameters = write_choice(search.grid, search.best_params_)
        seconds = time.perf_counter() - started
        store.add_selection(key, parameters, seconds=seconds, experiment=experiment.name, version=unseen.__version__)
    return model.set_params(**read_choice(search.grid, parameters))
