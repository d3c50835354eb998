"""Datasets by name."""

import inspect
from collections.abc import Callable
from typing import Any

from unseen.data.dataset import ZeroShotDataset
from unseen.data.digit_pairs import digit_pairs
from unseen.data.labels import did_you_mean
from unseen.data.synthetic import make_zero_shot
from unseen.errors import InputError, shortened

# A new dataset is one more line: a name and the function that makes or loads it.
DATASETS: dict[str, Callable[..., ZeroShotDataset]] = {
    "digit-pairs": digit_pairs,
    "synthetic": make_zero_shot,
}


def load_dataset(name: str, **options: Any) -> ZeroShotDataset:
    """Make or load the dataset of this name.

    Parameters
    ----------
    name : str
        One of `DATASETS`.
    **options
        Passed to the function that makes it.

    Examples
    --------
    >>> load_dataset("digit-pairs", random_state=0).name
    'digit-pairs'
    """
    if name not in DATASETS:
        raise InputError(
            f"name={name!r} is no dataset{did_you_mean([name], list(DATASETS))}: choose one of "
            f"{shortened(DATASETS, limit=len(DATASETS))}"
        )
    known = list(inspect.signature(DATASETS[name]).parameters)
    unknown = [option for option in options if option not in known]
    if unknown:
        raise InputError(
            f"dataset {name!r} has no option {shortened(unknown)}{did_you_mean(unknown, known)}: "
            f"choose among {shortened(known, limit=len(known))}"
        )
    return DATASETS[name](**options)
