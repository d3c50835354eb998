"""What came of a sweep: one row for each setting and way of learning."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unseen.similarity import Omega
from unseen.sweep.outcome import WAYS, Outcome, Way
from unseen.sweep.problems import Floats, Problems
from unseen.utils.writing import new_file

COLUMNS = (
    *(f"omega{k}" for k in range(1, 5)),
    *("lambda", "way", "per_class_accuracy", "per_image_accuracy", "objective", "converged", "iterations"),
    *("smallest_eigenvalue", "largest_eigenvalue", "global_optimum", "problem", "merge_error_bound"),
)


@dataclass(frozen=True, eq=False)
class SweepResult:
    """Accuracies, eigenvalues and the rest over all settings.

    Attributes
    ----------
    columns : dict of str to ndarray
        The columns `COLUMNS`, two rows for each setting: learned freely, and inside the positive-definite set.
    dataset : str
    scored_on : str
        "unseen" or "held-out" classes.
    problems : int
        How many distinct problems were solved.
    seconds : float
        How long solving took in this run (0 if all was stored before).
    solved_now : int
        How many problems were solved in this run.
    """

    columns: dict[str, NDArray[Any]]
    dataset: str
    scored_on: str
    problems: int
    seconds: float = 0.0
    solved_now: int = 0

    @classmethod
    def gather(cls, settings: Floats, problems: Problems, outcomes: list[Outcome], **facts: Any) -> Self:
        """Spread the outcomes of the problems over the settings that share them."""
        found = {(outcome.problem, outcome.way): outcome for outcome in outcomes}
        parts = [_columns(settings, problems, [found[at, way] for at in range(len(problems))], way) for way in WAYS]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}
        return cls(columns, problems=len(problems), **facts)

    def __len__(self) -> int:
        return len(self.columns["problem"])

    def rows(self, way: Way) -> NDArray[np.int64]:
        """Return the rows of one way of learning, best mean per-class accuracy first."""
        own = np.flatnonzero(self.columns["way"] == way)
        return np.asarray(own[np.argsort(-self.columns["per_class_accuracy"][own], kind="stable")])

    def best(self, way: Way) -> dict[str, Any]:
        """Return the best row of one way.

        On unseen classes this looks at the test labels: a fact about the study, not a way to choose omega.
        """
        at = self.rows(way)[0]
        return {name: column[at].item() for name, column in self.columns.items()}

    def to_csv(self, path: Path) -> None:
        """Write all rows; the file is either the old or the whole new one."""
        with new_file(path, force=True) as draft, draft.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(zip(*(map(_written, self.columns[name].tolist()) for name in COLUMNS), strict=True))


def _columns(settings: Floats, problems: Problems, solved: list[Outcome], way: Way) -> dict[str, NDArray[Any]]:
    own = [solved[problem] for problem in problems.of_setting]
    sigma = np.array([outcome.sigma for outcome in own])
    smallest, largest = Omega.from_rows(settings).eigenvalues_at(sigma)
    values = (
        *(*settings.T, np.full(len(own), way)),
        *(np.array([getattr(outcome, name) for outcome in own]) for name in _OUTCOME_FIELDS),
        *(smallest, largest, sigma < 1, problems.of_setting),
        np.array([outcome.merge_error for outcome in own]),
    )
    return dict(zip(COLUMNS, values, strict=True))


_OUTCOME_FIELDS = ("per_class", "per_image", "objective", "converged", "iterations")


def _written(value: Any) -> Any:
    return f"{value:.9g}" if isinstance(value, float) else value
