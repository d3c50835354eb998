"""Check rows of features where scikit-learn does not."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import widen
from unseen.utils.errors import InputError


def check_rows(X: NDArray[Any], *, finite: bool = True) -> NDArray[Any]:
    """Return rows in single or double precision, as scikit-learn's checks do, and refuse NaN and infinite values.

    >>> check_rows(np.eye(2, dtype=np.int8)).dtype, check_rows(np.eye(2, dtype=np.float16)).dtype
    (dtype('float64'), dtype('float32'))
    """
    rows = np.asarray(widen(X))
    rows = rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)
    if finite and not np.isfinite(rows).all():
        raise InputError("X holds NaN or infinite values: remove or impute those rows")
    return rows
