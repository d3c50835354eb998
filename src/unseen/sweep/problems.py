"""Find the settings that are one and the same learning problem: those of equal kappa, beta, mu and w2.

`unseen.similarity.omega` says why these four numbers fix the problem.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.similarity import Omega

# Settings whose log10 of every number above rounds to the same multiple of this count as one problem.
MERGE = 0.02

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Problems:
    """The distinct problems of a list of settings.

    Attributes
    ----------
    settings : ndarray of shape (k, 5)
        One setting for each problem, which is the one that is solved.
    of_setting : ndarray of shape (n,)
        The problem of every setting.
    spread : ndarray of shape (k, 3)
        The largest |ln| of the ratio of kappa, beta and mu between a merged setting and the one solved.
    """

    settings: Floats
    of_setting: NDArray[np.int64]
    spread: Floats

    def __len__(self) -> int:
        return len(self.settings)


def coordinates(settings: Floats) -> Floats:
    """Return log10 of kappa, beta, mu and w2 of settings (n, 5): shape (n, 4).

    >>> coordinates(np.array([[10.0, 100.0, 90.0, 0.0001, 1.0]])).round(3)
    array([[1., 2., 4., 2.]])
    """
    return np.stack(Omega.from_rows(settings).log10_problem(settings[:, 4]), axis=1)


def find_distinct(settings: Floats, *, unit_length: bool = True, merge: float = MERGE) -> Problems:
    """Find the distinct problems; of those merged, the setting nearest to their middle is solved.

    Parameters
    ----------
    settings : ndarray of shape (n, 5)
    unit_length : bool, default True
        Whether all descriptions have length 1, so that w2 does not matter.
    merge : float, default 0.02
        The width, in log10, of what counts as equal.
    """
    place = coordinates(settings)[:, : 3 if unit_length else 4]
    _, of_setting = np.unique(np.round(place / merge), axis=0, return_inverse=True)
    of_setting = of_setting.reshape(-1)
    count = int(of_setting.max()) + 1
    order = np.argsort(of_setting, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(of_setting, minlength=count))[:-1])
    solved = np.empty(count, dtype=np.int64)
    spread = np.zeros((count, 3))
    for problem, rows in enumerate(members):
        own = place[rows]
        middle = (own.max(axis=0) + own.min(axis=0)) / 2
        solved[problem] = rows[np.abs(own - middle).max(axis=1).argmin()]
        spread[problem] = np.log(10) * np.abs(own - place[solved[problem]]).max(axis=0)[:3]
    return Problems(settings[solved], of_setting, spread)
