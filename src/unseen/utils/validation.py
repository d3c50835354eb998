"""Check numbers, matrices, row indices and seeds."""

import math
import operator
from typing import Any

import numpy as np
from array_api_compat import is_dask_array
from numpy.typing import NDArray

from unseen.utils.arrays import Array, cut_row_blocks, give_back_pages, is_floating, is_foreign, namespace, to_numpy
from unseen.utils.errors import InputError, shorten


def check_matrix(array: Any, name: str) -> NDArray[Any]:
    """Return `array` as a two-dimensional NumPy array of real numbers, without a copy if it is one already."""
    refuse_masked(array, name)
    if hasattr(array, "toarray"):
        raise InputError(f"{name} is a sparse {type(array).__name__}: make it dense with {name}.toarray()")
    try:
        # np.asarray would turn a memory map into a plain array.
        matrix = array if isinstance(array, np.ndarray) else to_numpy(array)
    except ValueError as error:
        raise InputError(f"{name} has rows of different lengths: give each row the same number of values") from error
    if matrix.ndim != 2:
        raise InputError(
            f"{name} must have two dimensions (rows, columns), got shape {matrix.shape}: "
            "reshape it, a single row with reshape(1, -1)"
        )
    return matrix if matrix.dtype.kind in "fiub" else _convert(matrix, name)


def check_feature_matrix(array: Any, name: str) -> Any:
    """Return features as `check_matrix` does, except that floats of a library other than NumPy stay where they are."""
    if not is_foreign(array) or is_dask_array(array) or array.ndim != 2 or not is_floating(array):
        return check_matrix(array, name)
    return array


def _convert(matrix: NDArray[Any], name: str) -> NDArray[np.float64]:
    """Convert a matrix of Python objects to numbers, or report the first that is not a number."""
    if matrix.dtype.kind == "O":
        try:
            return matrix.astype(np.float64)
        except (TypeError, ValueError):
            pass
    for (row, column), value in np.ndenumerate(matrix):
        if not is_real(value):
            raise InputError(
                f"{name} must hold real numbers, got {_to_plain(value)!r} at row {row}, column {column}: "
                "replace it by a number"
            )
    raise InputError(f"{name} must hold real numbers, got dtype {matrix.dtype}: convert it with {name}.astype(float)")


def refuse_masked(array: Any, name: str) -> None:
    """Refuse a masked array: below its mask lie values that were not meant to be used."""
    if isinstance(array, np.ma.MaskedArray):
        raise InputError(
            f"{name} is a masked array, whose masked values would count like the others: fill them with "
            f"{name}.filled(...), or drop these rows"
        )


def is_real(value: object) -> bool:
    """Tell whether a single value is a real number (text that spells a number is not)."""
    if isinstance(value, str | bytes | np.complexfloating | np.datetime64 | np.timedelta64):
        return False
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def find_not_finite(matrix: Array) -> tuple[int, int] | None:
    """Find the row and column of the first NaN or infinity, reading the matrix in blocks of rows.

    >>> find_not_finite(np.array([[0.0, 1.0], [2.0, np.inf]]))
    (1, 1)
    """
    if not is_floating(matrix):
        return None
    xp = namespace(matrix)
    for block in cut_row_blocks(matrix.shape[0], 8 * matrix.shape[1], matrix):
        finite = xp.isfinite(matrix[block, :])
        give_back_pages(matrix)
        if not bool(xp.all(finite)):
            row, column = np.argwhere(~to_numpy(finite))[0]
            return block.start + int(row), int(column)
    return None


def check_row_indices(rows: Any, name: str, n_rows: int) -> NDArray[np.int64]:
    """Return row indices as a read-only int64 array after checking that they are in range and unique."""
    given = to_numpy(rows)
    if given.ndim != 1:
        raise InputError(f"{name} must be a one-dimensional array of row indices, got shape {given.shape}: flatten it")
    if given.dtype.kind == "b":
        raise InputError(f"{name} must hold row indices, got a boolean mask: pass np.flatnonzero({name})")
    if given.size and given.dtype.kind not in "iu":
        raise InputError(f"{name} must hold whole row indices, got dtype {given.dtype}: convert it to integers")
    indices = given.astype(np.int64)
    outside = indices[(indices < 0) | (indices >= n_rows)]
    if outside.size:
        raise InputError(
            f"{name} has row indices outside 0..{n_rows - 1}: {shorten(outside)}; "
            "remove them, or subtract 1 if they count from 1 as in MATLAB"
        )
    values, counts = np.unique(indices, return_counts=True)
    if values.size != indices.size:
        raise InputError(f"{name} repeats the row indices {shorten(values[counts > 1])}: name each row once")
    indices.flags.writeable = False
    return indices


def check_row_weights(weights: Any, name: str, n_rows: int) -> NDArray[np.float64]:
    """Return a float64 copy of the row weights after checking that none is negative and not all are zero."""
    given = to_numpy(weights)
    if given.shape != (n_rows,):
        raise InputError(f"{name} has shape {given.shape} for {n_rows} rows of X: give one number for each row")
    if given.dtype.kind not in "fiub":
        raise InputError(f"{name} must hold real numbers, got dtype {given.dtype}: convert them to floats")
    numbers = given.astype(np.float64)
    bad = numbers[~(np.isfinite(numbers) & (numbers >= 0))]
    if bad.size:
        raise InputError(f"{name} holds {bad[0]}: every weight must be finite and at least 0")
    if not numbers.any():
        raise InputError(f"{name} is zero for all rows: give some of them a weight")
    return numbers


def check_whole_number(value: object, name: str, minimum: int, maximum: float = math.inf) -> int:
    """Return `value` as an int after checking that it lies between the bounds (both included)."""
    allowed = f"a whole number of at least {minimum}" + (f" and at most {maximum}" if maximum < math.inf else "")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{name} must be {allowed}, got {_to_plain(value)!r}: pass an int") from None
    if isinstance(value, bool) or not minimum <= number <= maximum:
        raise InputError(f"{name} must be {allowed}, got {_to_plain(value)!r}: choose one in this range")
    return number


def check_non_negative(value: Any, name: str) -> float:
    """Return `value` as a float after checking that it is finite and at least 0."""
    if isinstance(value, bool) or not is_real(value) or not 0 <= float(value) < math.inf:
        raise InputError(
            f"{name} must be a finite number of at least 0, got {_to_plain(value)!r}: choose one, 0 for none of it"
        )
    return float(value)


def check_positive(value: Any, name: str) -> float:
    """Return `value` as a float after checking that it is finite and above 0."""
    if isinstance(value, bool) or not is_real(value) or not 0 < float(value) < math.inf:
        raise InputError(f"{name} must be a finite number above 0, got {_to_plain(value)!r}: choose one")
    return float(value)


def check_flag(value: object, name: str) -> bool:
    """Return `value` if it is True or False; any other value would silently count as one of them."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {_to_plain(value)!r}: choose one")
    return bool(value)


def make_random_stream(random_state: Any) -> np.random.RandomState:
    """Make the random stream for a `random_state`, which has the same meaning as in scikit-learn.

    This is NumPy's legacy stream: NumPy promises never to change it, so a seed gives the same data in every version.
    """
    from sklearn.utils import check_random_state

    try:
        stream: np.random.RandomState = check_random_state(random_state)
    except ValueError as error:
        raise InputError(
            f"random_state must be None, an int of 0..2**32 - 1 or a numpy RandomState, got {random_state!r}: "
            "pass an int to have the same data each time"
        ) from error
    return stream


def _to_plain(value: object) -> object:
    """Convert a NumPy scalar to a Python number, so that a message shows 3.5 and not np.float64(3.5)."""
    return value.item() if isinstance(value, np.generic) else value
