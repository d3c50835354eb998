"""Run benchmark experiments described in YAML files (resumable), and compare with published numbers."""

from unseen.experiments.batch import Batch, DatasetLoader, run_each
from unseen.experiments.build import DataMissing, build_dataset, build_model, build_search, find_data
from unseen.experiments.catalogue.lookup import load_experiment, shipped_experiments
from unseen.experiments.literature import PublishedNumber, published
from unseen.experiments.paper_tables.plan import TablePlan, plan_table
from unseen.experiments.paper_tables.report import TableReport
from unseen.experiments.paper_tables.runner import run_table
from unseen.experiments.paper_tables.table import PaperTable, is_table, load_table, shipped_tables
from unseen.experiments.report import BenchReport
from unseen.experiments.runner import Outcome, key_of, run_experiment
from unseen.experiments.spec import Experiment
from unseen.experiments.split_report import SplitReport
from unseen.experiments.split_runner import run_class_splits
from unseen.experiments.store import TrialStore
from unseen.experiments.stored import StoredRun, read_store

__all__ = [
    "Batch",
    "BenchReport",
    "DataMissing",
    "DatasetLoader",
    "Experiment",
    "Outcome",
    "PaperTable",
    "PublishedNumber",
    "SplitReport",
    "StoredRun",
    "TablePlan",
    "TableReport",
    "TrialStore",
    "build_dataset",
    "build_model",
    "build_search",
    "find_data",
    "is_table",
    "key_of",
    "load_experiment",
    "load_table",
    "plan_table",
    "published",
    "read_store",
    "run_class_splits",
    "run_each",
    "run_experiment",
    "run_table",
    "shipped_experiments",
    "shipped_tables",
]
