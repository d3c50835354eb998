"""The settings of a sweep: every combination of the grid for each omega, and of the lambdas."""

import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError

Floats = NDArray[np.float64]

# Beyond this many settings a grid is more likely a slip than a wish.
MOST_SETTINGS = 2_000_000


def parse_values(text: str, name: str, *, exponents: bool = True) -> list[float]:
    """Read "-5:5", "-5:5:2" (from, to, step: exponents of 10) or "0.1,1,10" (the values themselves).

    Parameters
    ----------
    text : str
    name : str
        What to call it in a message.
    exponents : bool, default True
        Whether a single number, too, is an exponent.

    Examples
    --------
    >>> parse_values("-1:1", "grid")
    [0.1, 1.0, 10.0]
    >>> parse_values("0.5,2", "grid")
    [0.5, 2.0]
    >>> parse_values("1", "lambda", exponents=False)
    [1.0]
    """
    try:
        if ":" in text:
            numbers = [float(part) for part in text.split(":")]
            if len(numbers) not in (2, 3) or (len(numbers) == 3 and numbers[2] <= 0) or numbers[1] < numbers[0]:
                raise ValueError
            step = numbers[2] if len(numbers) == 3 else 1.0
            return [float(10.0**e) for e in np.arange(numbers[0], numbers[1] + 1e-9 * step, step)]
        values = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"{name}={text!r} is not a range of exponents nor a list of values: give e.g. -5:5, -4:4:2 or 0.1,1,10"
        ) from None
    return [10.0 ** values[0]] if exponents and len(values) == 1 else values


def make_settings(grid: Iterable[float], lambdas: Iterable[float]) -> Floats:
    """Return all settings, shape (n, 5): omega_1 to omega_4 and lambda.

    >>> make_settings([0.1, 1.0], [1.0]).shape
    (16, 5)
    """
    grid, lambdas = _positive(grid, "grid"), _positive(lambdas, "lambda")
    count = len(grid) ** 4 * len(lambdas)
    if count > MOST_SETTINGS:
        raise InputError(f"grid and lambda make {count:,} settings, more than {MOST_SETTINGS:,}: give fewer values")
    return np.array([(*omega, lam) for lam in lambdas for omega in itertools.product(grid, repeat=4)])


def _positive(values: Iterable[float], name: str) -> list[float]:
    kept = sorted({float(value) for value in values})
    bad = [value for value in kept if not (np.isfinite(value) and value > 0)]
    if bad or not kept:
        raise InputError(f"{name} holds {bad[0] if bad else 'nothing'}: give values that are positive and finite")
    return kept
