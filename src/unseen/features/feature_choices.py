"""List the preparations of features that are worth trying for some rows."""

from typing import Any

from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from unseen.features.rowwise import SquareRoot, UnitNorm
from unseen.features.whitening import Whitening
from unseen.utils.arrays import namespace

# Wider features are reduced to so many principal components, the best number for held-out seen classes of CUB.
WIDE = 600
COMPONENTS = 500

# Rounds of the randomised decomposition, where scikit-learn has 4 for so many components. On CUB they keep 90.8% of the
# variance instead of 91.2% in two thirds of the time.
POWER = 2


def list_feature_choices(
    X: Any, most_components: int = COMPONENTS, *, thorough: bool = False, random_state: Any = None
) -> list[Any]:
    """List the preparations of features to choose from, for the parameter `features` of `Prepared`.

    Any features may be taken as they are, scaled to length 1, or whitened and then scaled to length 1. For features
    without negative values, such as counts and activations, square roots are listed too. Wide features are reduced to
    principal components in all of these.

    Parameters
    ----------
    X : array of shape (n, d)
        Some rows of seen classes.
    most_components : int, default 500
        The most principal components that there are rows for.
    thorough : bool, default False
        Whether to list rarer combinations too.
    random_state : int, RandomState or None
        Seed of the randomised decomposition of large data.

    Returns
    -------
    list of transformer or None
        The plainest comes first: None, which stands for no preparation, or principal components alone.

    Examples
    --------
    >>> import numpy as np
    >>> list_feature_choices(np.array([[-1.0, 2.0]]))[:2]
    [None, UnitNorm()]
    >>> len(list_feature_choices(np.array([[1.0, 2.0]])))
    5
    """
    count = min(COMPONENTS, most_components)
    reduced = [PCA(count, iterated_power=POWER, random_state=random_state)] if X.shape[1] > WIDE else []
    before: list[list[Any]] = [[], [SquareRoot()]] if bool(namespace(X).min(X) >= 0) else [[]]
    if thorough:
        before.insert(1, [UnitNorm()])
    after: list[list[Any]] = [[], [UnitNorm()], [Whitening(), UnitNorm()]]
    # A root has a length of its own, so that the plain one is not tried: length 1 does not make it much different.
    chains = [
        [*first, *reduced, *last]
        for first in before
        for last in after
        if last or not any(isinstance(step, SquareRoot) for step in first)
    ]
    return [_join(steps) for steps in chains]


def _join(steps: list[Any]) -> Any:
    if not steps:
        return None
    return steps[0] if len(steps) == 1 else make_pipeline(*steps)
