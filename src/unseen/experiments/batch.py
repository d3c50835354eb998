"""Run several experiments one after the other, so that one that fails leaves the others standing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.data import ZeroShotDataset
from unseen.experiments.build import DataMissing, build_dataset
from unseen.experiments.runner import Outcome
from unseen.experiments.spec import Data, Experiment
from unseen.utils.errors import InputError
from unseen.utils.storage.database import StoreError


@dataclass(frozen=True)
class Batch:
    """The outcomes of several experiments.

    Attributes
    ----------
    outcomes : list of Outcome
    skipped, failures : dict of str to str
        Experiments whose data are missing, and those that failed, each with the reason.
    """

    outcomes: list[Outcome[Any]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def run_each(
    experiments: Iterable[Experiment],
    run_one: Callable[[Experiment], Outcome[Any]],
    *,
    survive: type[Exception] = InputError,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Batch:
    """Run experiments in turn.

    Parameters
    ----------
    experiments : iterable of Experiment
    run_one : callable
        Function that loads the data of an experiment and runs it.
    survive : type of exception, default InputError
        What counts as a failure of one experiment; any other exception ends the run.
    tell : callable, optional
        Function called with a sentence when an experiment is skipped or fails.
    """
    batch = Batch()
    for experiment in experiments:
        try:
            batch.outcomes.append(run_one(experiment))
        except DataMissing as error:
            batch.skipped[experiment.name] = str(error)
            tell(f"Skipped: {error}")
        except StoreError:  # no other experiment could be kept either
            raise
        except survive as error:
            batch.failures[experiment.name] = describe_failure(error)
            tell(f"Failed: {experiment.name}: {batch.failures[experiment.name]}")
    return batch


def describe_failure(error: Exception) -> str:
    """Return what an exception says; of one that is not a sentence for users, its type too."""
    return str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {' '.join(str(error).split())}"


class DatasetLoader:
    """Load datasets of experiments, and keep the last one for the experiments that follow on the same data.

    Parameters
    ----------
    folder : Path, optional
        Folder of datasets, as for `build_dataset`.
    device : str, optional
        Device of PyTorch to which each dataset is sent once, as by `ZeroShotDataset.send_to`.
    """

    def __init__(self, folder: Path | None, device: str | None = None) -> None:
        self._folder, self._device = folder, device
        self._last: tuple[Data, ZeroShotDataset] | None = None

    def __call__(self, experiment: Experiment) -> ZeroShotDataset:
        """Return the dataset of an experiment."""
        if self._last is None or self._last[0] != experiment.data:
            self._last = None  # frees the memory of the one before
            self._last = experiment.data, build_dataset(experiment, self._folder).send_to(self._device)
        return self._last[1]
