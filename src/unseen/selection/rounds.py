"""Plan a search by successive halving: many points for a few steps, then fewer points for longer.

Most points of a grid are hopeless after a few steps of the solver on one split, and these tend to be the slowest to
converge. So a first round tries all points for `FIRST_STEPS` on one split, a second round those that are left for up to
`SECOND_STEPS` on another split, and only a few points are fitted to the end on all splits (Jamieson & Talwalkar, 2016).
Every fit starts anew, so that the last round has exactly the scores of a full search.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import joblib

from unseen.selection.grid import Estimator, Point, StopsEarly, clone_at_point, find_full_name
from unseen.utils.wrapping import unwrap

# The second round is long enough to find out those that are good only as long as they have not converged. The choice of
# omega was then that of the full search on eight of eight class splits of CUB, AwA and digit-pairs.
FIRST_STEPS, SECOND_STEPS = 4, 20

# Points that are left after each of the first two rounds, at least, and as a share of all.
FEWEST_LEFT = (5, 3)
SHARE = (3, 9)

# With fewer points nothing would be saved.
FEWEST_POINTS = 8

# A round takes so many splits that at least as many classes are held out, because fewer say too little.
FEWEST_HELD_OUT = 8


@dataclass(frozen=True)
class Round:
    """One round of a search.

    Attributes
    ----------
    size : int
        Number of points that take part.
    splits : range
        The splits on which they are tried.
    steps : int or None
        The most steps that the solver may take; None leaves them to the model.
    """

    size: int
    splits: Sequence[int]
    steps: int | None = None

    @property
    def n_fits(self) -> int:
        """Number of fits."""
        return self.size * len(self.splits)


def plan_rounds(n_points: int, held_out: Sequence[int]) -> list[Round]:
    """Plan the rounds of a search by halving, given the number of held-out classes of each split.

    >>> [(plan.size, plan.steps, list(plan.splits)) for plan in plan_rounds(60, [30, 30, 30])]
    [(60, 4, [0]), (20, 20, [1]), (7, None, [0, 1, 2])]
    """
    full = Round(n_points, range(len(held_out)))
    if n_points < FEWEST_POINTS:
        return [full]
    left = [max(fewest, -(-n_points // share)) for fewest, share in zip(FEWEST_LEFT, SHARE, strict=True)]
    first = _take_splits(held_out, 0)
    second = _take_splits(held_out, first[-1] + 1)
    return [
        Round(n_points, first, FIRST_STEPS),
        Round(left[0], second, SECOND_STEPS),
        Round(left[1], full.splits),
    ]


def _take_splits(held_out: Sequence[int], start: int) -> list[int]:
    """Take splits from the start on, and from the beginning again, until enough classes are held out."""
    order = [(start + at) % len(held_out) for at in range(len(held_out))]
    enough = next((at for at, n in enumerate(accumulate(held_out[k] for k in order), 1) if n >= FEWEST_HELD_OUT), None)
    return sorted(order[:enough])


def cut_short(estimator: Estimator, point: Point, steps: int) -> dict[str, Any] | None:
    """Return a point at which a fit ends after so many steps, or None if the model inside cannot be stopped early."""
    core = unwrap(clone_at_point(estimator, point))
    limits = core.cut_short(steps) if isinstance(core, StopsEarly) else None
    if not limits:
        return None
    named = {find_full_name(estimator, name): value for name, value in limits.items()}
    return {**point, **named} if named.keys() <= estimator.get_params(deep=True).keys() else None


def find_incumbents(estimator: Estimator, points: Sequence[Point]) -> list[int]:
    """Find the points that are what the estimator has already: they are tried to the end, as others must beat them."""
    own = estimator.get_params(deep=True)
    return [
        at
        for at, point in enumerate(points)
        if joblib.hash(dict(point)) == joblib.hash({name: own[name] for name in point})
    ]


def keep_best(scores: Mapping[int, float], size: int, always: Collection[int]) -> list[int]:
    """Keep so many points of the best scores, those of `always` among them; of equals the first.

    >>> keep_best({0: 0.1, 1: 0.5, 2: 0.5, 3: 0.4}, 2, always=[0])
    [0, 1]
    """
    order = sorted(scores, key=lambda at: (at not in always, -scores[at], at))
    return sorted(order[:size])
