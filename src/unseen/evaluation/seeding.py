"""Draw the random seeds of trials and set them in estimators."""

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone


def trial_seed(random_state: int, trial: int) -> int:
    """Return the seed of a trial, the same however many trials there are.

    >>> trial_seed(0, 3) == trial_seed(0, 3) != trial_seed(0, 4)
    True
    """
    return int(np.random.SeedSequence((random_state, trial)).generate_state(1)[0])


def with_seed(model: Any, seed: int) -> Any:
    """Return an unfitted copy of an estimator in which every part that has a `random_state` uses this seed."""
    copied = clone(model)
    for name, value in _find_random_parts(copied).items():
        if name.split("__")[-1] == "random_state":
            copied.set_params(**{name: seed})
        else:
            reseeded = copy(value)
            reseeded.random_state = seed
            copied.set_params(**{name: reseeded})
    return copied


def declares_randomness(model: Any) -> bool:
    """Tell whether an estimator or a part of it has a `random_state`.

    >>> from unseen.models import ESZSL, JFA
    >>> declares_randomness(ESZSL()), declares_randomness(JFA())
    (False, True)
    """
    return bool(_find_random_parts(model))


def _find_random_parts(model: Any) -> dict[str, Any]:
    """Find the parameters named `random_state`, and splitters, which have one without being estimators."""
    return {
        name: value
        for name, value in model.get_params(deep=True).items()
        if name.split("__")[-1] == "random_state"
        or (hasattr(value, "random_state") and not hasattr(value, "get_params"))
    }
