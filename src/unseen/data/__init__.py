"""Load class descriptions and datasets with their zero-shot split."""

from typing import TYPE_CHECKING

from unseen.utils.importing import import_on_use

if TYPE_CHECKING:
    from unseen.data.benchmarks.digit_pairs import PICTURE_SHAPE, digit_pairs
    from unseen.data.benchmarks.fetch import fetch_dataset
    from unseen.data.benchmarks.synthetic import make_zero_shot
    from unseen.data.checking.check import check_dataset
    from unseen.data.class_files import ClassTableWarning, ReadClasses, read_class_table
    from unseen.data.class_table import ClassTable
    from unseen.data.dataset import ZeroShotDataset
    from unseen.data.load import DATASETS, load_dataset, load_rows, load_training
    from unseen.data.rows import FeatureRows, TrainingRows
    from unseen.data.splits import resplit

__all__ = [
    "DATASETS",
    "PICTURE_SHAPE",
    "ClassTable",
    "ClassTableWarning",
    "FeatureRows",
    "ReadClasses",
    "TrainingRows",
    "ZeroShotDataset",
    "check_dataset",
    "digit_pairs",
    "fetch_dataset",
    "load_dataset",
    "load_rows",
    "load_training",
    "make_zero_shot",
    "read_class_table",
    "resplit",
]

__getattr__, __dir__ = import_on_use(
    __name__,
    {
        "benchmarks.digit_pairs": ["PICTURE_SHAPE", "digit_pairs"],
        "benchmarks.fetch": ["fetch_dataset"],
        "benchmarks.synthetic": ["make_zero_shot"],
        "checking.check": ["check_dataset"],
        "class_files": ["ClassTableWarning", "ReadClasses", "read_class_table"],
        "class_table": ["ClassTable"],
        "dataset": ["ZeroShotDataset"],
        "load": ["DATASETS", "load_dataset", "load_rows", "load_training"],
        "rows": ["FeatureRows", "TrainingRows"],
        "splits": ["resplit"],
    },
)
