"""Run an experiment on random class splits: skip those that are stored already, and store each new one at once."""

import unseen
from unseen.data import ZeroShotDataset
from unseen.evaluation.protocol import evaluate
from unseen.evaluation.splits.result import SplitResult
from unseen.evaluation.trial import Trial
from unseen.experiments.build import build_model, build_search
from unseen.experiments.runner import Outcome, key_of
from unseen.experiments.spec import Experiment
from unseen.experiments.store import TrialStore
from unseen.utils.progress import Counter, OnProgress, ignore

# Between the name of an experiment and the seed of its class splits, in the store.
NAMED = ", class splits of seed "


def describe_splits(split_seed: int, n_unseen: int) -> str:
    """Return how classes were drawn, for the key of trials on class splits."""
    return f"class splits of seed {split_seed}, {n_unseen} unseen"


def run_class_splits(
    experiment: Experiment,
    dataset: ZeroShotDataset,
    store: TrialStore,
    *,
    class_splits: int,
    split_seed: int = 0,
    n_unseen: int | None = None,
    jobs: int = 1,
    watch: OnProgress = ignore,
) -> Outcome[SplitResult]:
    """Run an experiment on the random class splits that the store does not hold yet, and return all of them.

    Everything is chosen anew on the seen classes of each split, even what the experiment would select once for all its
    trials. The experiment's own seed and split play no part, except that the splits are like its own (see
    `unseen.data.resplit`).

    Parameters
    ----------
    experiment : Experiment
    dataset : ZeroShotDataset
        Dataset loaded by `build_dataset`.
    store : TrialStore
        Store to which every split is committed as soon as it is done. With the same seed, a larger number of splits
        goes on where a smaller one ended.
    class_splits, n_unseen
        As for `evaluate`.
    split_seed : int, default 0
        Random seed, from which the seeds of all splits are drawn.
    jobs : int, default 1
        Number of processes, each of which runs one split at a time.
    watch : callable, optional
        Function called whenever a split is done.
    """
    n = len(dataset.unseen_classes) if n_unseen is None else n_unseen
    key = key_of(experiment, dataset.fingerprint(), describe_splits(split_seed, n))
    # Under a name of its own: trials on the experiment's split, or on splits of another seed, are not out of date.
    name = f"{experiment.name}{NAMED}{split_seed}"
    model = build_model(experiment)
    finished = {number: trial for number, trial in store.trials(key).items() if number < class_splits}
    count = Counter("class splits", class_splits, watch)
    count(len(finished))

    def keep(number: int, trial: Trial) -> None:
        store.add_trial(key, number, trial, experiment=name, version=unseen.__version__)
        count()

    result = evaluate(
        model if experiment.selection is None else build_search(experiment, model, jobs=1),
        dataset,
        experiment.setting,
        class_splits=class_splits,
        n_unseen=n_unseen,
        random_state=split_seed,
        name=experiment.name,
        on_trial=keep,
        finished=finished,
        n_jobs=jobs,
    )
    return Outcome(experiment, result, class_splits - len(finished), foreign=store.others(name, key))
