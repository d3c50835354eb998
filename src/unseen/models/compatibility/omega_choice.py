"""Choose omega on held-out seen classes, with the paper's screening by the eigenvalues of H (Sec. 3.1)."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from unseen.data.candidates import as_table
from unseen.selection import HoldOutClasses, Selection, select
from unseen.similarity import Omega
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError

# The paper's grid for each of the four weights.
GRID = [float(f"1e{exponent}") for exponent in range(-5, 6)]

# The paper's guidance: the best settings have their smallest and largest eigenvalue of H in these ranges.
SMALLEST = (0.0, 1.0)
LARGEST = (1e3, 1e4)

# A W that fills more than this share of the positive-definite region is constrained by its boundary.
ROOM = 0.9

# An omega that scales W down by more than this makes the regulariser a hundred times as strong.
FAINT = 0.1

# Number of omegas tried: enough to span the plausible region, few enough for a minute on a benchmark.
N_TRIED = 16
START = (1000.0, 10.0, 0.0, 1.0)


def select_omega(model: Any, X: Any, y: Any, classes: Any, sample_weight: Any = None) -> Selection:
    """Try omegas on held-out seen classes and choose one.

    A first fit shows how large the learned W is. Of the paper's 14,641 settings, those remain for which a W of that
    effect leaves H positive definite. From these, a few that lie far apart are tried: most of them have eigenvalues
    that the paper recommends, the others do not. The default omega is tried to the end in any case: all others have to
    beat it.

    Parameters
    ----------
    model : JFA
        Model that gives all parameters but omega; it is not changed.
    X, y, classes, sample_weight
        Training rows and classes, as for `fit`.
    """
    if classes is None:
        raise InputError(
            "omega='auto' chooses on held-out classes, which are known only by their descriptions: "
            "give classes to fit, or four numbers as omega"
        )
    start = clone(model).set_params(omega=START)
    first = clone(start).fit(X, y, classes, sample_weight=sample_weight)
    strength = float(to_numpy(first.similarity_.singular_values)[0]) * Omega(*START).gain
    grid = {"omega": [START, *list_candidates(strength)]}
    return select(
        start,
        grid,
        X,
        y,
        as_table(classes),
        splitter=HoldOutClasses(random_state=model.random_state),
        halving=model.halving,
        record=_measure_eigenvalues,
        choose=choose,
        verbose=model.verbose,
        sample_weight=sample_weight,
    )


def list_candidates(strength: float, count: int = N_TRIED) -> list[tuple[float, ...]]:
    """List omegas worth trying for a compatibility matrix of this largest singular value.

    For three quarters of them the paper recommends the eigenvalues; the others only leave H positive definite. Within
    each group, the omegas lie as far apart as possible in their effects on the learning problem.

    >>> omegas = list_candidates(10.0)
    >>> len(omegas) == len(set(omegas)) == N_TRIED
    True
    """
    omegas = np.array(list(product(GRID, repeat=4)))
    effects = _compute_effects(omegas, strength)
    usable = (effects.fill < ROOM) & (effects.gain > FAINT)
    good = usable & _is_recommended(effects.smallest, effects.largest)
    n_good = min(3 * count // 4, int(good.sum()))
    picked = [*_pick_apart(effects, good, n_good), *_pick_apart(effects, usable & ~good, count - n_good)]
    return [tuple(map(float, omega)) for omega in omegas[picked]]


def choose(results: dict[str, NDArray[Any]]) -> int:
    """Choose the best omega; among those as good, prefer one whose eigenvalues the paper recommends.

    An omega is as good as the best if it trails it by no more than the standard error of their difference over the
    splits. An omega whose H was not positive definite on every split is chosen only if there is no other.
    """
    score, smallest = results["mean_test_score"], results["mean_smallest"]
    # Recorded as -inf if H was not positive definite, so that the mean shows it even for a single split.
    definite = smallest > 0
    best = int(np.argmax(np.where(definite, score, -np.inf) if definite.any() else score))
    by_split = np.array([scores for name, scores in results.items() if name.startswith("split")])
    behind = by_split[:, [best]] - by_split
    as_good = behind.mean(axis=0) <= behind.std(axis=0) / np.sqrt(len(behind))
    preferred = as_good & definite & _is_recommended(smallest, results["mean_largest"])
    return int(np.argmax(np.where(preferred, score, -np.inf))) if preferred.any() else best


def _measure_eigenvalues(model: Any) -> dict[str, float]:
    spectrum = to_numpy(model.similarity_.spectrum())
    return {"smallest": float(spectrum[0]) if spectrum[0] > 0 else -np.inf, "largest": float(spectrum[-1])}


def _is_recommended(smallest: Any, largest: Any) -> Any:
    return (smallest > SMALLEST[0]) & (smallest <= SMALLEST[1]) & (largest > LARGEST[0]) & (largest <= LARGEST[1])


class _Effects(NamedTuple):
    """Effects of omegas on a compatibility matrix of given strength; arrays with one number for each omega.

    The score's matrix is M = gain * W for small W, so a W of size strength / gain is needed. It costs the regulariser 1
    / gain^2 as much, fills a share of the positive-definite region (near 0 the model is bilinear), and prefers some
    classes to others by up to `offset`.
    """

    gain: Any
    fill: Any
    offset: Any
    smallest: Any
    largest: Any


def _compute_effects(omegas: NDArray[np.float64], strength: float) -> _Effects:
    omega = Omega.from_rows(omegas)
    sigma = strength / omega.gain
    # The root of the product rather than `limit`: their last bits differ, and decide ties between the omegas of a grid.
    fill = sigma / np.sqrt(omega.product)
    return _Effects(omega.gain, fill, omega.beta * sigma**2 / omega.product, *omega.eigenvalues(sigma))


def _pick_apart(effects: _Effects, eligible: NDArray[np.bool_], count: int) -> list[int]:
    """Pick omegas whose effects lie far apart, beginning with the most central one."""
    index = np.flatnonzero(eligible)
    # An effect below a hundredth is negligible, and one above ten dominates all others.
    problems = np.log10(np.clip([effects.gain, effects.fill, effects.offset], 0.01, 10.0)).T[index]
    picked: list[int] = []
    distance = np.linalg.norm(problems - np.median(problems, axis=0), axis=1) if index.size else np.empty(0)
    while len(picked) < min(count, len(index)):
        picked.append(int(np.argmax(distance) if picked else np.argmin(distance)))
        to_last = np.linalg.norm(problems - problems[picked[-1]], axis=1)
        distance = to_last if len(picked) == 1 else np.minimum(distance, to_last)
    return [int(index[at]) for at in picked]
