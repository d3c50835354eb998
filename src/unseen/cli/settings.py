"""Read parameters (name=value) and grids from the command line."""

import ast
import json
from collections.abc import Iterable
from typing import Any

from unseen.utils.errors import InputError


def read_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Read "name=value" for each parameter; the value is JSON or Python, or else text.

    >>> read_settings(["omega=[1000, 10, 0, 1]", "init=random"])
    {'omega': [1000, 10, 0, 1], 'init': 'random'}
    """
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{text!r} does not set a parameter: write name=value, e.g. lam=0.3")
        settings[name.strip()] = _read_value(value.strip())
    return settings


def read_grid(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Read "name=value,value,..." for each parameter of a grid.

    >>> read_grid(["lam=0.1,1", "omega=[1,1,0,0],[9,9,0,0]"])
    {'lam': [0.1, 1], 'omega': [[1, 1, 0, 0], [9, 9, 0, 0]]}
    """
    grid = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.strip() or not values.strip():
            raise InputError(f"{text!r} is not a part of a grid: write name=value,value, e.g. lam=0.1,1,10")
        listed = _read_value(f"[{values}]")
        grid[name.strip()] = listed if isinstance(listed, list) else [_read_value(part) for part in values.split(",")]
    return grid


def _read_value(text: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError):
            continue
    return text
