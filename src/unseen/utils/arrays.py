"""Work with arrays of any library that follows the array API standard.

Kernels are written once against the standard and run on NumPy, PyTorch (CPU and CUDA) and
array-api-strict. This module holds the few things that the standard leaves out.
"""

import math
import mmap
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj, is_dask_array, to_device
from numpy.typing import NDArray

from unseen.utils.errors import InputError

# An array of any library that follows the standard, for which there is no static type yet.
Array = Any

# The namespace of each kind of array that was met: to find it out takes longer than many a small kernel.
_namespaces: dict[type, Any] = {}

# The work arrays of one block of rows stay near this size, so that memory does not grow with the number of rows.
BLOCK_BYTES = 32 * 2**20

# On a device a block is larger: what it takes to start the work on one does not depend on its size.
DEVICE_BLOCK_BYTES = 2**29


def namespace(*arrays: Array) -> Any:
    """Return the array API namespace that all the arrays share."""
    kind = type(arrays[0])
    if any(type(array) is not kind for array in arrays[1:]):
        return _find_namespace(arrays)
    if kind not in _namespaces:
        _namespaces[kind] = _find_namespace(arrays)
    return _namespaces[kind]


def _find_namespace(arrays: Sequence[Array]) -> Any:
    try:
        return array_namespace(*arrays)
    except TypeError as error:
        kinds = ", ".join(sorted({type(a).__module__.split(".")[0] for a in arrays}))
        raise InputError(
            f"arrays of different libraries cannot be mixed (got {kinds}): convert them all to one library"
        ) from error


def to_float64(array: Array) -> Array:
    """Return the array in double precision, for the small solves that need it."""
    xp = namespace(array)
    return array if array.dtype == xp.float64 else xp.astype(array, xp.float64)


def convert_like(array: Array, model: Array) -> Array:
    """Convert `array` (anything NumPy understands, or an array) to the library, precision and device of `model`."""
    xp = namespace(model)
    if not is_array_api_obj(array) or namespace(array) is not xp:
        array = xp.asarray(to_numpy(array).astype(to_numpy_dtype(model.dtype)), device=device(model))
    return xp.astype(to_device(array, device(model)), model.dtype, copy=False)


def to_numpy(array: Array) -> NDArray[Any]:
    """Return the array as NumPy, copied from its device where needed."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
    elif not is_on_cpu(array):
        return np.array(np.from_dlpack(array, device="cpu"))
    return np.asarray(array)


def is_on_cpu(array: Any) -> bool:
    """Tell whether the memory of this array, or anything else that NumPy understands, is that of the processor."""
    return not is_array_api_obj(array) or "cpu" in str(device(array)).casefold()


def to_cpu(array: Array, work: str) -> NDArray[Any]:
    """Return the array as NumPy for work that only the processor can do, with a warning if it is on a device.

    Parameters
    ----------
    array : array
    work : str
        The subject of the warning, such as "DAP learns its classifiers".
    """
    if not is_on_cpu(array):
        warnings.warn(
            f"{work} on the processor: {' x '.join(map(str, array.shape))} numbers are copied from {device(array)}, "
            "and the device does not make it faster",
            UserWarning,
            stacklevel=3,
        )
    return to_numpy(array)


def to_numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """Name the NumPy precision of an array's dtype.

    >>> to_numpy_dtype(np.dtype("float32"))
    dtype('float32')
    """
    return np.dtype(str(dtype).split(".")[-1])


def widen(X: Any) -> Any:
    """Convert half precision to single precision, which takes half the memory of double precision.

    Squares of activations above 255 overflow in half precision, and scikit-learn computes in the precision of its
    input: its `Normalizer` silently turns such rows into zeros.

    >>> widen(np.ones(2, dtype=np.float16)).dtype
    dtype('float32')
    """
    if is_foreign(X) and not is_dask_array(X):
        xp = namespace(X)
        half = xp.isdtype(X.dtype, "real floating") and xp.finfo(X.dtype).bits < 32
        return xp.astype(X, xp.float32) if half else X
    return X.astype(np.float32) if getattr(X, "dtype", None) == np.float16 else X


def is_floating(array: Array) -> bool:
    """Tell whether the array holds real floating-point numbers."""
    return bool(namespace(array).isdtype(array.dtype, "real floating"))


def cut_row_blocks(n_rows: int, bytes_per_row: int, rows: Any = None) -> list[slice]:
    """Cut rows into blocks whose work arrays stay near `BLOCK_BYTES`, or `DEVICE_BLOCK_BYTES` if they are on a device.

    >>> [len(range(*block.indices(10))) for block in cut_row_blocks(10, BLOCK_BYTES // 4)]
    [4, 4, 2]
    """
    size = max(1, (BLOCK_BYTES if is_on_cpu(rows) else DEVICE_BLOCK_BYTES) // max(1, bytes_per_row))
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def give_back_pages(array: Any) -> None:
    """Give the memory of a memory map that was read back to the system, which reads it again when it is needed.

    Otherwise all that was read of a large file counts as memory of this process.
    """
    pages = getattr(array, "_mmap", None)
    # Changes to a map of another mode are in its pages only.
    if pages is not None and array.mode == "r" and hasattr(mmap, "MADV_DONTNEED"):
        pages.madvise(mmap.MADV_DONTNEED)


def take_rows(array: Array, rows: Any) -> Array:
    """Return the rows of an array of any library that a slice or a NumPy array of numbers names."""
    if isinstance(array, np.ndarray) or isinstance(rows, slice):
        return array[rows, ...]
    xp, model = namespace(array), as_chunk(array)
    # The rows of a Dask array are named by an array of its chunks' kind, and PyTorch takes none that is read-only.
    return xp.take(array, namespace(model).asarray(np.array(rows), device=device(model)), axis=0)


def cut_rows(X: Any, rows: slice) -> Any:
    """Return consecutive rows of an array of any library, or of anything else that is sliced by rows."""
    return X[rows, ...] if is_foreign(X) else X[rows]


def as_float(value: Array) -> float:
    """Return a zero-dimensional array as a Python float."""
    return float(value)


def is_positive_definite(matrix: Array) -> bool:
    """Tell whether a symmetric matrix is positive definite, by trying its Cholesky factor."""
    # On a device a factor of so small a matrix costs no more than the first question.
    if is_on_cpu(matrix) and _is_dominated_by_diagonal(matrix):
        return True
    xp = namespace(matrix)
    try:
        factor = xp.linalg.cholesky(matrix)
    except (ValueError, RuntimeError):  # NumPy's and PyTorch's LinAlgError
        return False
    return math.isfinite(as_float(xp.sum(factor)))


def _is_dominated_by_diagonal(matrix: Array) -> bool:
    """Prove a matrix positive definite at a fraction of the cost; most matrices met in learning are."""
    xp = namespace(matrix)
    return bool(xp.all(2 * xp.linalg.diagonal(matrix) > xp.sum(xp.abs(matrix), axis=1)))


def decompose_symmetric(matrix: Array) -> tuple[Array, Array]:
    """Return eigenvalues, ascending, and eigenvectors of a small symmetric matrix or of each in a stack.

    Those of arrays on a device are computed on the processor: a GPU takes several times as long for them.
    """
    if is_on_cpu(matrix):
        values, vectors = namespace(matrix).linalg.eigh(matrix)
        return values, vectors
    values, vectors = np.linalg.eigh(to_numpy(matrix))
    return convert_like(values, matrix), convert_like(vectors, matrix)


def pick(matrix: Array, columns: Array) -> Array:
    """Return matrix[i, columns[i]] for every row i."""
    rows = namespace(matrix).arange(matrix.shape[0], device=device(matrix))
    return matrix[rows, columns]


def add_to_columns(matrix: Array, columns: Array, values: Array | float) -> Array:
    """Add `values` (one number, or one per row) to matrix[i, columns[i]] of every row i; may overwrite `matrix`."""
    xp = namespace(matrix)
    rows = xp.arange(matrix.shape[0], device=device(matrix))
    try:
        matrix[rows, columns] += values
    except IndexError:  # the standard has no assignment through integer arrays
        hit = columns[:, None] == xp.arange(matrix.shape[1], device=device(matrix))[None, :]
        column = values if isinstance(values, float) else values[:, None]
        matrix = matrix + xp.astype(hit, matrix.dtype) * column
    return matrix


def in_place(function: Callable[..., Array], array: Array, *others: Array) -> Array:
    """Return function(array, *others); overwrites `array` where the library allows it, which saves memory and time.

    >>> array = np.array([0.0, 1.0])
    >>> in_place(np.maximum, array, 0.5) is array
    True
    """
    try:
        return function(array, *others, out=array)
    except TypeError:  # the standard has no output argument
        return function(array, *others)


def unit_rows(vectors: Array) -> Array:
    """Scale rows to length 1; a row of zeros stays as it is.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    return vectors / lengths_or_one(vectors)


def lengths_or_one(vectors: Array) -> Array:
    """Return the lengths (n, 1) of rows, and 1 for rows of zeros, to divide by.

    >>> lengths_or_one(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[5.],
           [1.]])
    """
    xp = namespace(vectors)
    lengths = xp.linalg.vector_norm(vectors, axis=1, keepdims=True)
    return xp.where(lengths > 0, lengths, xp.ones_like(lengths))


def sum_rows(matrix: Array) -> Array:
    """Return the sum of each row (n,) of a matrix in memory row by row."""
    xp = namespace(matrix)
    if not isinstance(matrix, np.ndarray):
        return xp.sum(matrix, axis=1)
    # NumPy sums rows slowly, and a product with ones would spread them over the caches of all cores.
    return xp.vecdot(matrix, xp.ones((matrix.shape[1],), dtype=matrix.dtype))


def sum_products(A: Array, B: Array) -> Array:
    """Return the inner product of two matrices, sum_ij A_ij B_ij, as an array without dimensions."""
    return namespace(A, B).sum(A * B)


def inner(A: Array, B: Array) -> float:
    """Return the inner product of two matrices, sum_ij A_ij B_ij."""
    return as_float(sum_products(A, B))


def square_distances(one: Array, other: Array) -> Array:
    """Return the squared distances (n, m) between rows (n, d) and other rows (m, d)."""
    xp = namespace(one, other)
    squares = xp.sum(one * one, axis=1)[:, None] + xp.sum(other * other, axis=1)[None, :] - 2 * one @ other.T
    return xp.where(squares > 0, squares, xp.zeros_like(squares))


def is_foreign(array: Array) -> bool:
    """Tell whether this is an array of an array API library other than NumPy."""
    return bool(is_array_api_obj(array)) and not isinstance(array, np.ndarray | np.generic)


def as_backend(array: Array, model: Array) -> Array:
    """Bring `array` to the library and device of `model`, in double precision."""
    xp = namespace(model)
    if is_array_api_obj(array) and namespace(array) is xp:
        return to_device(to_float64(array), device(model))
    return xp.asarray(to_numpy(array).astype(np.float64), device=device(model))


def as_chunk(array: Array) -> Array:
    """Return the array, or an empty array of the kind that the chunks have if it is a Dask array."""
    return array._meta if is_dask_array(array) else array


def compute(array: Array) -> Array:
    """Return the array, or as NumPy what a Dask array stands for."""
    return to_numpy(array) if is_dask_array(array) else array
