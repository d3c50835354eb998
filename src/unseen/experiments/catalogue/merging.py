"""Lay one description over another."""

from collections.abc import Mapping
from typing import Any


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return two mappings merged: nested mappings key by key, any other value of `above` in place of that below.

    An empty value (null in YAML) takes away what is below, except in `parameters`, where it may be the value meant. A
    part with another name replaces the part below as a whole, because the parameters of the two have nothing in common.

    >>> merge({"lam": [1], "splitter": {"name": "a", "n": 3}}, {"lam": None, "splitter": {"n": 5}})
    {'splitter': {'name': 'a', 'n': 5}}
    >>> merge({"model": {"name": "jfa", "parameters": {"lam": 1.0}}}, {"model": {"name": "eszsl"}})
    {'model': {'name': 'eszsl'}}
    >>> merge({"parameters": {"lam": 1.0}}, {"parameters": {"scaling": None}})
    {'parameters': {'lam': 1.0, 'scaling': None}}
    """
    merged = {
        key: _merge_value(key, below.get(key), above[key]) if key in above else below[key] for key in {**below, **above}
    }
    return {key: value for key, value in merged.items() if value is not None}


def _merge_value(key: str, below: Any, above: Any) -> Any:
    if not isinstance(below, Mapping) or not isinstance(above, Mapping):
        return above
    if "name" in above and "name" in below and above["name"] != below["name"]:
        return above
    return {**below, **above} if key == "parameters" else merge(below, above)
