"""What came of a sweep: the outcome of each problem, and one row for each setting and way of learning."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from unseen.evaluation.metrics import confusion_counts, recall_per_class
from unseen.similarity import Omega
from unseen.sweep.batched_objective import BatchedObjective, ProblemNumbers
from unseen.sweep.problems import DistinctProblems
from unseen.sweep.settings import Floats
from unseen.utils.arrays import Array, namespace, to_numpy
from unseen.utils.storage.csv_cells import write_rows
from unseen.utils.storage.writing import create_file
from unseen.utils.tables import Table

Way = Literal["free", "positive-definite"]
WAYS: tuple[Way, ...] = ("free", "positive-definite")

COLUMNS = (
    *(f"omega{k}" for k in range(1, 5)),
    *("lambda", "way", "per_class_accuracy", "per_image_accuracy", "objective", "converged", "iterations"),
    *("smallest_eigenvalue", "largest_eigenvalue", "global_optimum", "problem", "merge_error_bound"),
)


@dataclass(frozen=True)
class Outcome:
    """The end of one problem, learned one way.

    Attributes
    ----------
    problem : int
        The number of the problem, or of the part of one.
    way : "free" or "positive-definite"
    per_class, per_image : float
        Accuracy on the test rows among their classes: mean over classes, and over rows.
    objective : float
    converged : bool
    iterations : int
    sigma : float
        sigma_max(W) as a share of its limit, sqrt(omega_13 omega_24): H is positive definite exactly below 1.
    merge_error : float
        By how much at the most the objective at this W differs for any of the settings merged into this problem.
    """

    problem: int
    way: Way
    per_class: float
    per_image: float
    objective: float
    converged: bool
    iterations: int
    sigma: float
    merge_error: float

    @property
    def inside(self) -> bool:
        """Whether H is positive definite at the end."""
        return self.sigma < 1

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for a store."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Self:
        """Return what `to_dict` was made of."""
        return cls(**fields)


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
    parts : int
        How many parts of them were learned freely by themselves, see `find_parts`.
    seconds : float
        How long solving took in this run (0 if all was stored before).
    solved_now : int
        How many problems and parts were solved in this run.
    """

    columns: dict[str, NDArray[Any]]
    dataset: str
    scored_on: str
    problems: int
    parts: int = 0
    seconds: float = 0.0
    solved_now: int = 0

    @classmethod
    def gather(cls, settings: Floats, problems: DistinctProblems, outcomes: list[Outcome], **facts: Any) -> Self:
        """Spread the outcomes of the problems over the settings that share them."""
        found = {(outcome.problem, outcome.way): outcome for outcome in outcomes}
        ways = [_columns(settings, find_numbers(problems, outcomes, way), found, way) for way in WAYS]
        columns = {name: np.concatenate([of_way[name] for of_way in ways]) for name in COLUMNS}
        return cls(columns, problems=len(problems), parts=len(find_parts(problems, outcomes)), **facts)

    def __len__(self) -> int:
        return len(self.columns["problem"])

    @property
    def solved(self) -> str:
        """What was solved, in words."""
        parts = f" and {self.parts:,} parts of them" if self.parts else ""
        return f"{self.problems:,} distinct problems{parts}"

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

    def _repr_html_(self) -> str:
        names = ("way", *COLUMNS[:5], "per_class_accuracy", "smallest_eigenvalue", "largest_eigenvalue")
        best = [self.best(way) for way in WAYS if len(self.rows(way))]
        rows = [tuple(f"{row[name]:.4g}" if name != "way" else row[name] for name in names) for row in best]
        where = (
            "unseen classes, so that nothing may be chosen by it" if self.scored_on == "unseen" else "held-out classes"
        )
        notes = (f"{len(self):,} rows of {self.solved}. The accuracy is on {where}.",)
        return Table(f"Sweep of omega on {self.dataset}, the best of each way", names, tuple(rows), notes).to_html()

    def to_csv(self, path: Path) -> None:
        """Write all rows; the file is either the old or the whole new one."""
        with create_file(path, force=True) as draft, draft.open("w", encoding="utf-8", newline="") as file:
            columns = (map(_written, self.columns[name].tolist()) for name in COLUMNS)
            write_rows(file, [COLUMNS, *zip(*columns, strict=True)], end="\r\n")


def find_numbers(problems: DistinctProblems, outcomes: Iterable[Outcome], way: Way) -> NDArray[np.int64]:
    """Return for every setting the number of the problem, or of the part, whose outcome is its own.

    What is merged may be merged while H is positive definite. Where a free descent left that set on its way, each part
    has its own outcome.
    """
    return problems.take_apart(() if way == "positive-definite" else _find_left(outcomes))


def _find_left(outcomes: Iterable[Outcome]) -> list[int]:
    """Return the problems whose free W left the set for good, or came back and settled.

    The two ways take the very same steps until the set holds the one back. Those that came back and are still on their
    way at the limit of steps have no end that their parts could differ from.
    """
    ends = {(outcome.problem, outcome.way): outcome for outcome in outcomes}
    both = [(free, ends.get((free.problem, "positive-definite"))) for free in ends.values() if free.way == "free"]
    return [
        free.problem
        for free, kept in both
        if kept is not None and free.objective != kept.objective and (free.converged or not free.inside)
    ]


def find_parts(problems: DistinctProblems, outcomes: Iterable[Outcome]) -> NDArray[np.int64]:
    """Return the numbers of the parts that have to be learned freely by themselves, once the problems are solved."""
    numbers = np.unique(find_numbers(problems, outcomes, "free"))
    return numbers[numbers >= len(problems)]


def _columns(
    settings: Floats, numbers: NDArray[np.int64], found: dict[tuple[int, Way], Outcome], way: Way
) -> dict[str, NDArray[Any]]:
    own = [found[number, way] for number in numbers.tolist()]
    sigma = np.array([outcome.sigma for outcome in own])
    smallest, largest = Omega.from_rows(settings).eigenvalues_at(sigma)
    values = (
        *(*settings.T, np.full(len(own), way)),
        *(np.array([getattr(outcome, name) for outcome in own]) for name in _OUTCOME_FIELDS),
        *(smallest, largest, np.array([outcome.inside for outcome in own]), numbers),
        np.array([outcome.merge_error for outcome in own]),
    )
    return dict(zip(COLUMNS, values, strict=True))


_OUTCOME_FIELDS = ("per_class", "per_image", "objective", "converged", "iterations")


def _written(value: Any) -> Any:
    return f"{value:.9g}" if isinstance(value, float) else value


# Measuring a solution


def accuracies(objective: BatchedObjective, setting: Floats, W: Array) -> tuple[float, float]:
    """Return the mean per-class and the per-image accuracy on the test rows."""
    test = objective.data.test
    confusion = confusion_counts(np.asarray(objective.true_classes), objective.answers(setting, W), test.psi.shape[0])
    return float(recall_per_class(confusion).mean()), float(np.trace(confusion) / confusion.sum())


def largest_singular_value(setting: Floats, W: Array) -> float:
    """Return sigma_max(W) as a share of its limit, sqrt(omega_13 omega_24)."""
    hat = W / Omega(*setting[:4]).limit
    # On the processor, which is quicker at small matrices than a GPU.
    return math.sqrt(max(0.0, float(np.linalg.eigvalsh(to_numpy(hat.T @ hat))[-1])))


def merge_error(objective: BatchedObjective, setting: Floats, W: Array, spread: Floats) -> float:
    """Bound the change of the objective at What when kappa, beta and mu change by up to these shares of themselves.

    Scores change by at most these shares of their two parts, and the loss of a row by at most the range of
    the changes over classes; |phi_i^T E_c| is bounded by the product of the lengths.
    """
    if not spread.any():
        return 0.0
    xp = namespace(W)
    forms = objective.score_forms(ProblemNumbers.of(setting[None, :], W), W[None, :, :], objective.data.train)
    of_kappa = 2 * float(xp.max(xp.linalg.vector_norm(forms.E[0, :, :], axis=0))) * objective.total_length
    of_beta = float(xp.max(forms.b) - xp.min(forms.b)) * objective.data.train.phi.shape[0]
    of_mu = 0.5 * float(setting[4]) * float(xp.sum(W * W))
    return float(spread @ [of_kappa, of_beta, of_mu])
