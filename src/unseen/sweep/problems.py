"""Which settings of a sweep are the same problem, so that they are solved once.

(kappa, beta, mu, w2) fix a problem (see `unseen.similarity.omega`). For descriptions of length 1 w2 drops out, and a
beta far below kappa does not matter: while H is positive definite, the class-only term
beta/2 psi^T (R - I) psi = beta/2 (What psi)^T (What R psi) is at most beta / (2 kappa) times the length of
kappa What R psi, whose products with features are the bilinear part of the scores.

Where H is not positive definite nothing bounds that term, and a descent that jumps over poles of H ends elsewhere if
kappa changes by half a per cent. So problems also know the parts that they fall into when little differences count, for
those whose W left the set on its way.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.similarity import Omega
from unseen.sweep.settings import Floats

# Settings whose log10 of kappa, beta, mu and w2 round to the same multiples of this count as one problem.
MERGE = 0.02

# All beta below this share of kappa count as equal: the class-only term is then a few hundredths where the bilinear
# part fills margins of 1.
NEGLIGIBLE_BETA = 0.01

# The same width for the parts of problems, among which every beta counts.
MERGE_PARTS = 0.001


@dataclass(frozen=True)
class DistinctProblems:
    """The distinct problems of a list of settings, and the parts that are merged into them.

    The k problems are numbered from 0. The part of a problem that holds the setting which is solved has the number of
    the problem, for it is solved with it; the f other parts have numbers from k on.

    Attributes
    ----------
    settings : ndarray of shape (k + f, 5)
        One setting for each problem and part, which is the one that is solved.
    of_setting : ndarray of shape (n,)
        The problem of every setting.
    part_of_setting : ndarray of shape (n,)
        The part of every setting.
    spread : ndarray of shape (k + f, 3)
        The largest relative change of kappa, beta and mu from the setting that is solved to one merged with it.
    """

    settings: Floats
    of_setting: NDArray[np.int64]
    part_of_setting: NDArray[np.int64]
    spread: Floats

    def __len__(self) -> int:
        """Return how many problems there are, without their parts."""
        return int(self.of_setting.max()) + 1

    def take_apart(self, problems: Iterable[int]) -> NDArray[np.int64]:
        """Return for every setting the number of its part in these problems, and of its problem elsewhere."""
        return np.where(np.isin(self.of_setting, list(problems)), self.part_of_setting, self.of_setting)


def problem_coordinates(settings: Floats) -> Floats:
    """Return log10 of kappa, beta, mu and w2 of settings (n, 5): shape (n, 4).

    >>> problem_coordinates(np.array([[10.0, 100.0, 90.0, 0.0001, 1.0]])).round(3)
    array([[1., 2., 4., 2.]])
    """
    return np.stack(Omega.from_rows(settings).log10_problem(settings[:, 4]), axis=1)


def find_distinct_problems(settings: Floats, *, unit_length: bool = True, merge: float = MERGE) -> DistinctProblems:
    """Find the distinct problems; of those merged, the setting nearest to their middle is solved.

    Parameters
    ----------
    settings : ndarray of shape (n, 5)
    unit_length : bool, default True
        Whether all descriptions have length 1, so that w2 does not matter.
    merge : float, default 0.02
        The width, in log10, of what counts as equal.
    """
    exact = problem_coordinates(settings)[:, : 3 if unit_length else 4]
    coordinates = _raise_negligible_beta(exact) if unit_length else exact
    of_setting = _number(np.round(coordinates / merge))
    solved = _nearest_to_middle(coordinates, of_setting)
    part_of_setting, solved_of_parts = _find_parts(exact, of_setting, solved)
    solved = np.concatenate([solved, solved_of_parts])
    spread = np.zeros((len(solved), 3))
    for labels in (of_setting, part_of_setting):
        np.maximum.at(spread, labels, np.abs(10 ** (exact - exact[solved[labels]])[:, :3] - 1))
    return DistinctProblems(settings[solved], of_setting, part_of_setting, spread)


def _find_parts(
    exact: Floats, of_setting: NDArray[np.int64], solved: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the part of every setting, and the rows to be solved for parts that are not solved with their problem."""
    # Near an edge of rounding a part might lie in two problems: each then has its own.
    parts = _number(np.column_stack([of_setting, np.round(exact / MERGE_PARTS)]))
    nearest = _nearest_to_middle(exact, parts)
    others = np.setdiff1d(parts, parts[solved])
    numbers = np.empty(len(nearest), dtype=np.int64)
    numbers[parts[solved]] = np.arange(len(solved))
    numbers[others] = len(solved) + np.arange(len(others))
    return numbers[parts], nearest[others]


def _number(keys: Floats) -> NDArray[np.int64]:
    """Return a number from 0 for every row, the same for equal rows."""
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)


def _nearest_to_middle(coordinates: Floats, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each label the row nearest to the middle of those that have it."""
    order = np.argsort(labels, kind="stable")
    nearest = []
    for rows in np.split(order, np.cumsum(np.bincount(labels))[:-1]):
        own = coordinates[rows]
        middle = (own.max(axis=0) + own.min(axis=0)) / 2
        nearest.append(rows[np.abs(own - middle).max(axis=1).argmin()])
    return np.array(nearest)


def _raise_negligible_beta(coordinates: Floats) -> Floats:
    log_kappa, log_beta, *others = coordinates.T
    return np.stack([log_kappa, np.maximum(log_beta, log_kappa + math.log10(NEGLIGIBLE_BETA)), *others], axis=1)
