"""Write arrays into JSON as base64, which a browser reads into typed arrays."""

import base64
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Precision = Literal["f4", "f8"]


def write_array(values: Any, precision: Precision = "f8") -> dict[str, Any]:
    """Return an array as plain values: its shape, its precision, and its little-endian bytes in base64.

    >>> write_array([[1.0, 2.0]], "f4")
    {'shape': [1, 2], 'type': 'f4', 'data': 'AACAPwAAAEA='}
    """
    array: NDArray[Any] = np.ascontiguousarray(values, dtype=f"<{precision}")
    return {
        "shape": list(array.shape),
        "type": precision,
        "data": base64.b64encode(array.tobytes()).decode("ascii"),
    }
