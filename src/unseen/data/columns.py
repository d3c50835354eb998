"""Columns are matched by their names, wherever a table has them; what has no names goes by position."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError, shorten


def match_columns(given: Sequence[str], wanted: Sequence[str], source: str, what: str, remedy: str) -> NDArray[np.intp]:
    """Return where each wanted column is among the given ones; refuse missing, unknown and repeated names.

    Parameters
    ----------
    given, wanted : sequence of str
        The names that a table has, and those that a model was fitted on, in its order.
    source, what : str
        What to call the table and one of its columns in a message.
    remedy : str
        What to do about it.

    Examples
    --------
    >>> match_columns(["tail", "ears"], ["ears", "tail"], "new.csv", "feature", "")
    array([1, 0])
    """
    places = {name: at for at, name in enumerate(given)}
    faults = {
        "lacks the": [name for name in wanted if name not in places],
        "has the unknown": sorted(set(given) - set(wanted), key=places.__getitem__),
        "repeats the": [name for name in places if list(given).count(name) > 1] if len(places) < len(given) else [],
    }
    said = [f"{verb} {what} {shorten(names)}" for verb, names in faults.items() if names]
    if said:
        raise InputError(f"{source} {' and '.join(said)}, compared with what the model was fitted on: {remedy}")
    return np.array([places[name] for name in wanted], dtype=np.intp)


def order_features(
    X: NDArray[Any], given: Sequence[str] | None, wanted: Sequence[str] | None, source: str
) -> NDArray[Any]:
    """Return features (n, d) with their columns in the order that a model was fitted on, where both have names."""
    if given is None or wanted is None or tuple(given) == tuple(wanted):
        return X
    remedy = "name the columns as then, or leave out one of labels with label= (--label on the command line)"
    return X[:, match_columns(given, wanted, source, "feature", remedy)]


def refuse_data_for_names(names: Sequence[str], source: str) -> None:
    """Refuse a header of numbers: a file without a header would lose its first row to it in silence."""
    if look_like_data(names):
        raise InputError(
            f"{source} has the numbers {shorten(names)} where the names of its columns belong, so that the first "
            "line looks like data: add a header line"
        )


def look_like_data(names: Sequence[str]) -> bool:
    """Tell whether the names of columns are numbers; those that just count the columns from 0 or 1 are names.

    >>> look_like_data(["0.5", "2"]), look_like_data(["0", "1"]), look_like_data(["f0", "1"])
    (True, False, False)
    """
    try:
        values = [float(name) for name in names]
    except ValueError:
        return False
    return bool(values) and values not in (list(range(len(names))), list(range(1, len(names) + 1)))
