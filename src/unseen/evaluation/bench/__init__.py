"""Experiments: described in YAML files, run with every trial stored at once, set beside the published numbers."""

from unseen.evaluation.bench.build import DataMissing, build_dataset, build_model, build_search, find_data
from unseen.evaluation.bench.experiment import Experiment, load_experiment, shipped_experiments
from unseen.evaluation.bench.report import BenchReport
from unseen.evaluation.bench.runner import Outcome, Progress, key_of, run_experiment
from unseen.evaluation.bench.store import TrialStore

__all__ = [
    "BenchReport",
    "DataMissing",
    "Experiment",
    "Outcome",
    "Progress",
    "TrialStore",
    "build_dataset",
    "build_model",
    "build_search",
    "find_data",
    "key_of",
    "load_experiment",
    "run_experiment",
    "shipped_experiments",
]
