"""Run benchmark experiments described in YAML files (resumable), and compare with published numbers."""

from unseen.experiments.build import DataMissing, build_dataset, build_model, build_search, find_data
from unseen.experiments.catalogue import load_experiment, shipped_experiments
from unseen.experiments.literature import PublishedNumber, published
from unseen.experiments.report import BenchReport
from unseen.experiments.runner import Outcome, key_of, run_experiment
from unseen.experiments.spec import Experiment
from unseen.experiments.split_report import SplitReport
from unseen.experiments.split_runner import run_class_splits
from unseen.experiments.store import TrialStore

__all__ = [
    "BenchReport",
    "DataMissing",
    "Experiment",
    "Outcome",
    "PublishedNumber",
    "SplitReport",
    "TrialStore",
    "build_dataset",
    "build_model",
    "build_search",
    "find_data",
    "key_of",
    "load_experiment",
    "published",
    "run_class_splits",
    "run_experiment",
    "shipped_experiments",
]
