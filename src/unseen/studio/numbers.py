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


def share_arrays(value: Any) -> tuple[Any, list[dict[str, Any]]]:
    """Return plain values in which each array is a place in a list, and the list, where equal arrays stand once.

    >>> one = write_array([1.0])
    >>> share_arrays({"a": one, "b": [one]})
    ({'a': {'array': 0}, 'b': [{'array': 0}]}, [{'shape': [1], 'type': 'f8', 'data': 'AAAAAAAA8D8='}])
    """
    places: dict[tuple[Any, ...], int] = {}
    arrays: list[dict[str, Any]] = []

    def visit(part: Any) -> Any:
        if isinstance(part, list):
            return [visit(item) for item in part]
        if not isinstance(part, dict):
            return part
        if part.keys() != {"shape", "type", "data"}:
            return {name: visit(item) for name, item in part.items()}
        key = (*part["shape"], part["type"], part["data"])
        if key not in places:
            places[key] = len(arrays)
            arrays.append(part)
        return {"array": places[key]}

    return visit(value), arrays
