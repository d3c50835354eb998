"""Run the trials of an evaluation: on one split or on many, in this process or in several."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from typing import Any

from unseen.data import ZeroShotDataset, resplit
from unseen.evaluation.seeding import trial_seed, with_seed
from unseen.evaluation.settings.inductive import Setting
from unseen.evaluation.trial import Trial
from unseen.utils.cluster import count_threads, find_client, run_on_cluster
from unseen.utils.devices import refuse_processes
from unseen.utils.workers import Task as WorkerTask
from unseen.utils.workers import explain_lost_worker, limit_jobs

# Called with the number of a trial and its outcome.
OnTrial = Callable[[int, Trial], None]


@dataclass(frozen=True)
class Task:
    """A trial to run.

    Attributes
    ----------
    number : int
        Number of the trial, from 0.
    seed : int
        The `random_state` of the model and, if there is one, of the random class split.
    n_unseen : int or None
        Number of unseen classes of a random class split; None for the dataset's own split.
    """

    number: int
    seed: int
    n_unseen: int | None = None

    def split(self, dataset: ZeroShotDataset) -> ZeroShotDataset:
        """Return the dataset with the split of this trial."""
        return dataset if self.n_unseen is None else resplit(dataset, self.seed, self.n_unseen)


def draw_tasks(random_state: int, total: int, n_unseen: int | None = None) -> list[Task]:
    """List so many trials; the first ones are the same however many there are."""
    return [Task(number, trial_seed(random_state, number), n_unseen) for number in range(total)]


def run_tasks(
    model: Any,
    dataset: ZeroShotDataset,
    setting: Setting,
    tasks: Sequence[Task],
    finished: Mapping[int, Trial],
    on_trial: OnTrial | None,
    n_jobs: int | None,
) -> list[Trial]:
    """Run the trials that are not finished yet; return all of them in order."""
    done = dict(finished)
    left = [task for task in tasks if task.number not in done]
    for number, trial in _carry_out(_Run(model, setting), dataset, left, n_jobs):
        done[number] = trial
        if on_trial is not None:
            on_trial(number, trial)
    return [done[task.number] for task in tasks]


def run_trial(model: Any, dataset: ZeroShotDataset, setting: Setting, seed: int) -> Trial:
    """Fit a copy of the model with this seed and measure it."""
    fitted = with_seed(model, seed)
    started = time.perf_counter()
    fitted.fit(dataset.X_train, dataset.y_train, classes=dataset.seen_table)
    learned = time.perf_counter()
    measurement = setting.measure(fitted, dataset, seed)
    finished = time.perf_counter()
    return Trial(
        **vars(measurement),
        seed=seed,
        fit_seconds=learned - started,
        predict_seconds=finished - learned,
        parameters=_find_choice(fitted),
    )


@dataclass(frozen=True, eq=False)
class _Run:
    """What all trials of a model share, except the data."""

    model: Any
    setting: Setting

    def on(self, dataset: ZeroShotDataset, task: Task) -> tuple[int, Trial]:
        """Run a trial."""
        return task.number, run_trial(self.model, task.split(dataset), self.setting, task.seed)


def _carry_out(
    run: _Run, dataset: ZeroShotDataset, tasks: Sequence[Task], n_jobs: int | None
) -> Iterator[tuple[int, Trial]]:
    """Yield the outcomes of tasks as they are done, in any order."""
    jobs, client = limit_jobs(n_jobs, len(tasks)), find_client()
    refuse_processes(dataset.X, jobs, cluster=client is not None)
    if client is not None:
        yield from _carry_out_there(client, run, dataset, tasks)
        return
    if jobs in (None, 1):
        yield from (run.on(dataset, task) for task in tasks)
        return
    from joblib import Parallel, delayed, parallel_config

    with explain_lost_worker("an evaluation"), parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
        parallel = Parallel(return_as="generator_unordered", batch_size=1)
        # Closing ends the processes when this one is interrupted.
        with closing(parallel(delayed(WorkerTask(run.on))(dataset, task) for task in tasks)) as done:
            yield from done


def _carry_out_there(
    client: Any, run: _Run, dataset: ZeroShotDataset, tasks: Sequence[Task]
) -> Iterator[tuple[int, Trial]]:
    """Yield the outcomes of tasks that run on a Dask cluster, which gets the dataset once."""
    # With a task for each worker all are busy, and to spread out the searches inside tasks would only send more rows.
    spread = len(tasks) < count_threads(client)
    given = {task.number: (run, task, spread) for task in tasks}
    # Closing takes back what is not begun when this process is interrupted.
    with closing(run_on_cluster(client, dataset, _run_there, given, "an evaluation")) as done:
        yield from (outcome for _, outcome in done)


def _run_there(dataset: ZeroShotDataset, run: _Run, task: Task, spread: bool) -> tuple[int, Trial]:
    from joblib import parallel_config

    with parallel_config("dask") if spread else nullcontext():
        return run.on(dataset, task)


def _find_choice(fitted: Any) -> dict[str, Any] | None:
    """Return the parameters that a search chose, as values that JSON can hold."""
    chosen = getattr(fitted, "best_params_", None)
    return None if chosen is None else dict(json.loads(json.dumps(dict(chosen), default=repr)))
