"""Which settings of a sweep are the same problem, so that they are solved once.

(kappa, beta, mu, w2) fix a problem (see `unseen.similarity.omega`). For descriptions of length 1 w2 drops out, and a
beta far below kappa does not matter: while H is positive definite, the class-only term
beta/2 psi^T (R - I) psi = beta/2 (What psi)^T (What R psi) is at most beta / (2 kappa) times the length of
kappa What R psi, whose products with features are the bilinear part of the scores.
"""

import math
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


@dataclass(frozen=True)
class DistinctProblems:
    """The distinct problems of a list of settings.

    Attributes
    ----------
    settings : ndarray of shape (k, 5)
        One setting for each problem, which is the one that is solved.
    of_setting : ndarray of shape (n,)
        The problem of every setting.
    spread : ndarray of shape (k, 3)
        The largest relative change of kappa, beta and mu from the setting that is solved to one merged with it.
    """

    settings: Floats
    of_setting: NDArray[np.int64]
    spread: Floats

    def __len__(self) -> int:
        return len(self.settings)


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
    _, of_setting = np.unique(np.round(coordinates / merge), axis=0, return_inverse=True)
    of_setting = of_setting.reshape(-1)
    count = int(of_setting.max()) + 1
    order = np.argsort(of_setting, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(of_setting, minlength=count))[:-1])
    solved = np.empty(count, dtype=np.int64)
    spread = np.zeros((count, 3))
    for problem, rows in enumerate(members):
        own = coordinates[rows]
        middle = (own.max(axis=0) + own.min(axis=0)) / 2
        solved[problem] = rows[np.abs(own - middle).max(axis=1).argmin()]
        ratios = 10 ** (exact[rows] - exact[solved[problem]])[:, :3]
        spread[problem] = np.abs(ratios - 1).max(axis=0)
    return DistinctProblems(settings[solved], of_setting, spread)


def _raise_negligible_beta(coordinates: Floats) -> Floats:
    log_kappa, log_beta, *others = coordinates.T
    return np.stack([log_kappa, np.maximum(log_beta, log_kappa + math.log10(NEGLIGIBLE_BETA)), *others], axis=1)
