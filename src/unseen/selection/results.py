"""Keep what a search has found: the scores of every point, and which one was chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from unseen.selection.grid import Point
from unseen.selection.views import view_selection

Results = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Outcome:
    """What one point did on one split: its score, the seconds it took, and what was recorded of it."""

    score: float
    seconds: float
    noted: Mapping[str, float]


@dataclass(frozen=True)
class Course:
    """How a point did in the last round that it took part in: its outcome on each split, by the split's number."""

    round: int
    outcomes: Mapping[int, Outcome]

    @property
    def score(self) -> float:
        """The mean score over the splits."""
        return float(np.mean([outcome.score for outcome in self.outcomes.values()]))


@dataclass(frozen=True, eq=False)
class Selection:
    """Result of a search.

    Attributes
    ----------
    results : dict of ndarray of shape (n_points,)
        `params` and a `param_<name>` for each parameter, `split<k>_test_score`, `mean_test_score`, `std_test_score`,
        `rank_test_score` (as in scikit-learn's `cv_results_`), `mean_time` (seconds to fit and score on one split),
        and `mean_<name>` of each recorded number. A data frame can be made from it directly.

        After a search by halving there is also `round`, the last round that the point took part in, from 0. Scores
        are those of that round. Only the points of the last round were fitted to the end and tried on all splits, and
        they rank first; for the others the scores of splits that they were not tried on are NaN.
    best_index : int
        Index of the chosen point, by default the first with the best mean score among those of the last round.
    """

    results: Results
    best_index: int

    @property
    def best_params(self) -> dict[str, Any]:
        """The parameters of the chosen point."""
        params: dict[str, Any] = self.results["params"][self.best_index]
        return params

    @property
    def best_score(self) -> float:
        """The mean score of the chosen point on held-out classes."""
        return float(self.results["mean_test_score"][self.best_index])

    def _repr_html_(self) -> str:
        return view_selection(self).to_html()

    @property
    def finished(self) -> NDArray[np.int64]:
        """Indices of the points that were fitted to the end and tried on all splits."""
        return find_finished(self.results)


def find_finished(results: Results) -> NDArray[np.int64]:
    """Return the indices of the points of the last round."""
    rounds = results.get("round", np.zeros(len(results["params"])))
    return np.flatnonzero(rounds == rounds.max())


def tabulate(points: Sequence[Point], courses: Sequence[Course], n_splits: int, n_rounds: int) -> Results:
    """Collect how all points did in one table."""
    rounds = np.array([course.round for course in courses])
    scores = np.full((n_splits, len(points)), np.nan)
    for at, course in enumerate(courses):
        for split, outcome in course.outcomes.items():
            scores[split, at] = outcome.score
    names = dict.fromkeys(name for point in points for name in point)
    results = {"params": _make_object_array(points)}
    results |= {f"param_{name}": _make_object_array([point.get(name) for point in points]) for name in names}
    results |= {f"split{split}_test_score": row for split, row in enumerate(scores)}
    results |= {"mean_test_score": np.nanmean(scores, axis=0), "std_test_score": np.nanstd(scores, axis=0)}
    results["rank_test_score"] = _rank(results["mean_test_score"], rounds)
    results["mean_time"] = np.array([np.mean([o.seconds for o in course.outcomes.values()]) for course in courses])
    if n_rounds > 1:
        results["round"] = rounds
    for name in next(iter(courses[0].outcomes.values())).noted:
        results[f"mean_{name}"] = np.array(
            [np.mean([o.noted[name] for o in course.outcomes.values()]) for course in courses]
        )
    return results


def _rank(scores: NDArray[np.float64], rounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rank by round first, because scores of different rounds cannot be compared.

    >>> _rank(np.array([0.5, 0.9, 0.6]), np.array([1, 0, 1])).tolist()
    [2, 3, 1]
    """
    ranks = np.zeros(len(scores), dtype=np.int64)
    before = 0
    for last in np.unique(rounds)[::-1]:
        here = rounds == last
        ranks[here] = before + rankdata(-scores[here], method="min").astype(np.int64)
        before += int(here.sum())
    return ranks


def _make_object_array(values: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
