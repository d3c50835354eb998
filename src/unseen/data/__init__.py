"""What comes in: class descriptions, datasets with their zero-shot split, and where to get them."""

from unseen.data.check import check_dataset
from unseen.data.class_table import ClassTable
from unseen.data.dataset import ZeroShotDataset
from unseen.data.digit_pairs import PICTURE_SHAPE, digit_pairs
from unseen.data.fetch import fetch_dataset
from unseen.data.registry import DATASETS, load_dataset
from unseen.data.synthetic import make_zero_shot

__all__ = [
    "DATASETS",
    "PICTURE_SHAPE",
    "ClassTable",
    "ZeroShotDataset",
    "check_dataset",
    "digit_pairs",
    "fetch_dataset",
    "load_dataset",
    "make_zero_shot",
]
