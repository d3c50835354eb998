"""Label axes with class names."""

from collections.abc import Sequence
from typing import Any

import numpy as np

# Width of an upright label in 8 points, in inches.
_ROOM = 0.14
# Longest name, because longer ones would leave no room for the figure.
_LONGEST = 24
# Up to this many characters, names stand upright beside each other.
_SHORT = 3


def label_classes(axis: Any, labels: Sequence[str], inches: float) -> None:
    """Label an axis with class names, leaving out some if all would not fit into these inches."""
    every = max(1, int(np.ceil(len(labels) * _ROOM / inches)))
    shown = range(0, len(labels), every)
    sideways = axis.axis_name == "x" and max(map(len, labels)) > _SHORT
    axis.set_ticks(list(shown), [shorten_name(labels[at]) for at in shown], fontsize=8, rotation=90 * sideways)
    axis.set_tick_params(length=0)


def shorten_name(name: str) -> str:
    """Shorten a long name.

    >>> shorten_name("014.Indigo_Bunting_of_the_Western_Hills")
    '014.Indigo_Bunting_of_t…'
    """
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
