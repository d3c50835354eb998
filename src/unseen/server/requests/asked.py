"""Read what a request asks, from any of the bodies that the server takes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import FeatureRows
from unseen.server.errors import RequestError, explain_input, refuse_more
from unseen.server.limits import Limits
from unseen.server.requests.multipart import Part, read_content_type, split_multipart
from unseen.server.requests.npy import MAGIC, read_npy
from unseen.server.requests.options import Options, make_options, read_json, read_query
from unseen.utils.errors import InputError

JSON, NPY, BYTES, MULTIPART = "application/json", "application/x-npy", "application/octet-stream", "multipart/form-data"
_ROWS = ("rows", "features", "names")


@dataclass(frozen=True, eq=False)
class Asked:
    """What a request asks.

    Attributes
    ----------
    options : Options
    rows : FeatureRows or None
        Rows of features, if it has any.
    pictures : dict of str to bytes
        Files of pictures by name, if it has any.
    """

    options: Options
    rows: FeatureRows | None = None
    pictures: Mapping[str, bytes] = field(default_factory=dict)


def read_asked(
    content_type: str, body: bytes, query: Sequence[tuple[str, str]], allowed: Collection[str], limits: Limits
) -> Asked:
    """Return what a request asks.

    Parameters
    ----------
    content_type : str
        The header, which tells how to read the body.
    body : bytes
    query : sequence of pairs
        Options in the address.
    allowed : collection of str
        Names of the options that this address knows.
    limits : Limits
    """
    kind = read_content_type(content_type).get_content_type()
    with explain_input():
        given = read_query(query)
        if kind == JSON:
            return _read_json_asked(body, given, allowed, limits)
        if kind == MULTIPART:
            return _read_parts(split_multipart(body, content_type, limits.pictures + 2), given, allowed, limits)
        if kind.startswith("image/"):
            return Asked(make_options(given, allowed), pictures={"picture": body})
        if kind == NPY or (kind == BYTES and body.startswith(MAGIC)):
            return Asked(make_options(given, allowed), FeatureRows.from_matrix(read_npy(body, limits)))
    raise RequestError(
        415,
        "unsupported_media_type",
        f"Content-Type {content_type!r} is not taken: send {JSON}, {NPY}, a picture (image/...) or {MULTIPART}",
    )


def _read_json_asked(body: bytes, given: dict[str, Any], allowed: Collection[str], limits: Limits) -> Asked:
    value = read_json(body)
    if not isinstance(value, dict):
        raise InputError(f"the body is a {type(value).__name__}: send an object with the field rows")
    rows = _read_rows(value, limits)
    rest = {name: found for name, found in value.items() if name not in _ROWS}
    return Asked(make_options(given | rest, [*allowed, *_ROWS]), rows)


def _read_rows(value: Mapping[str, Any], limits: Limits) -> FeatureRows:
    listed = value.get("rows")
    if not isinstance(listed, list) or not listed:
        raise InputError("rows is missing or empty: give a list of rows, each a list of numbers")
    refuse_more(len(listed), limits.rows, "rows")
    X = make_matrix(listed)
    names, features = (_read_names(value.get(field), field) for field in ("names", "features"))
    if names is not None and len(names) != len(X):
        raise InputError(f"names has {len(names)} names for {len(X)} rows: give one for each row, or none")
    if features is not None and len(features) != X.shape[1]:
        raise InputError(f"features has {len(features)} names for {X.shape[1]} columns: name each of them, or none")
    return FeatureRows(X, range(len(X)) if names is None else names, None if features is None else tuple(features))


def make_matrix(listed: list[Any], name: str = "rows") -> NDArray[np.float64]:
    """Return a list of rows, each a list of numbers, as a matrix.

    Parameters
    ----------
    listed : list
        As JSON gives it, not empty.
    name : str, default "rows"
        What messages call it.
    """
    for at, row in enumerate(listed):
        if not isinstance(row, list):
            raise InputError(f"{name} has a {type(row).__name__} at {at}: give a list of rows, each a list of numbers")
        # Text, truth values and null would become numbers in silence.
        if not {*map(type, row)} <= {int, float}:
            column, wrong = next((at, item) for at, item in enumerate(row) if type(item) not in (int, float))
            raise InputError(
                f"{name} must hold real numbers, got {wrong!r} at row {at}, column {column}: give a number"
            )
        if len(row) != len(listed[0]):
            raise InputError(f"{name} has rows of different lengths: give each row the same number of values")
    try:
        return np.array(listed, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{name} has a number that is too large for double precision: give a smaller one") from None


def _read_names(value: Any, name: str) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{name} is not a list of texts: give one")
    return value


def _read_parts(parts: Sequence[Part], given: dict[str, Any], allowed: Collection[str], limits: Limits) -> Asked:
    """Read a form: `options` (JSON), `rows` (a .npy file), and any number of pictures."""
    rows: FeatureRows | None = None
    pictures: dict[str, bytes] = {}
    for part in parts:
        if part.name == "options":
            value = read_json(part.content, "options")
            if not isinstance(value, dict):
                raise InputError(f"options is a {type(value).__name__}: send an object")
            given = given | value
        elif part.name == "rows":
            rows = FeatureRows.from_matrix(read_npy(part.content, limits))
        elif part.name in ("picture", "pictures"):
            pictures[_name_apart(part.filename or "picture", pictures)] = part.content
        else:
            raise InputError(f"the form has a part {part.name!r}: send options, rows or pictures")
    if (rows is None) == (not pictures):
        raise InputError("the form has to hold either rows or pictures: send one of them")
    refuse_more(len(pictures), limits.pictures, "pictures")
    return Asked(make_options(given, allowed), rows, pictures)


def _name_apart(name: str, taken: Collection[str]) -> str:
    """Return a name that no other picture has.

    >>> _name_apart("a.png", ["a.png"])
    'a.png (2)'
    """
    count = 2
    found = name
    while found in taken:
        found = f"{name} ({count})"
        count += 1
    return found
