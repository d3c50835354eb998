"""Read rows of features from the bytes of a `.npy` file; nothing in it is run."""

import io
import math

import numpy as np
from numpy.typing import NDArray

from unseen.server.errors import RequestError, refuse_more
from unseen.server.limits import Limits

MAGIC = np.lib.format.MAGIC_PREFIX
_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
# Bytes of a header; that of a matrix has about a hundred.
_LONGEST_HEADER = 1000


def read_npy(content: bytes, limits: Limits) -> NDArray[np.float64]:
    """Return the matrix in a `.npy` file; one row may also be a vector.

    Parameters
    ----------
    content : bytes
    limits : Limits
    """
    file = io.BytesIO(content)
    try:
        read = _READERS.get(np.lib.format.read_magic(file))
        if read is None:
            raise ValueError("its version is newer than 2.0")
        # The size is checked before anything is allocated: a header may claim any.
        shape, by_columns, dtype = read(file, max_header_size=_LONGEST_HEADER)
    except Exception as error:  # NumPy answers a damaged header with nearly every kind of exception
        raise _malformed(" ".join(str(error).split())[:200] or type(error).__name__) from error
    if dtype.kind not in "fiu":
        raise _malformed(f"it holds {dtype} in place of numbers")
    if len(shape) not in (1, 2) or any(size < 0 for size in shape):
        raise _malformed(f"its shape is {shape}")
    refuse_more(1 if len(shape) == 1 else shape[0], limits.rows, "rows")
    data = memoryview(content)[file.tell() :]
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise _malformed(f"{shape} of {dtype} are {math.prod(shape) * dtype.itemsize:,} bytes, not {len(data):,}")
    values = np.frombuffer(data, dtype).astype(np.float64)
    if len(shape) == 1:
        return values[None, :]
    return values.reshape(shape, order="F" if by_columns else "C")


def _malformed(reason: str) -> RequestError:
    return RequestError(
        400,
        "malformed",
        f"rows is not a .npy file of numbers ({reason}): write it with np.save from an array of numbers",
        argument="rows",
    )
