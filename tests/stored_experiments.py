"""A store of experiments for the tests of what is read from it: filled once, in about a second."""

from pathlib import Path

from unseen.experiments import TrialStore, build_dataset, key_of, load_experiment, run_class_splits, run_experiment

OWN = """
title: An experiment of one's own
dataset: {name: synthetic, options: {random_state: 0, n_seen: 7, n_unseen: 3, n_per_class: 8}}
model: {name: ESZSL}
"""


def fill_store(folder: Path) -> Path:
    """Store trials and class splits of two experiments, one of which also ran in an older version; return the file."""
    path = folder / "trials.sqlite"
    (folder / "own.yaml").write_text(OWN)
    own = load_experiment(str(folder / "own.yaml"))
    eszsl, jfa = (load_experiment(f"digit-pairs-{name}") for name in ("eszsl", "jfa"))
    data = build_dataset(eszsl, None)
    with TrialStore(path) as store:
        run_experiment(own, build_dataset(own, None), store)
        first = run_experiment(eszsl, data, store)
        key = key_of(eszsl, data.fingerprint(), version="0.0.1")
        store.add_trial(key, 0, first.result.trials[0], experiment=eszsl.name, version="0.0.1")
        store.add_trial("of other data", 0, first.result.trials[0], experiment=eszsl.name, version="0.0.1")
        run_experiment(jfa, data, store, trials=2)
        run_class_splits(eszsl, data, store, class_splits=3, n_unseen=20)
        run_class_splits(jfa, data, store, class_splits=3, n_unseen=20)
        run_class_splits(jfa, data, store, class_splits=2, split_seed=7)
    return path
