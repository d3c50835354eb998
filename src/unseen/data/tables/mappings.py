"""Read class tables from mappings of class labels to descriptions."""

from collections.abc import Hashable, Mapping
from typing import Any

from unseen.utils.errors import InputError, shorten
from unseen.utils.validation import is_real


def read_mapping(mapping: Mapping[Hashable, Any]) -> tuple[list[list[float]], list[Hashable], tuple[str, ...] | None]:
    """Read the vectors, the labels and (if descriptions are mappings too) the attribute names from a mapping."""
    if not isinstance(mapping, Mapping):
        raise InputError(f"mapping must map labels to descriptions, got {type(mapping).__name__}: pass a dict")
    if not mapping:
        raise InputError("mapping is empty: describe at least one class")
    named = [isinstance(description, Mapping) for description in mapping.values()]
    if any(named) and not all(named):
        raise InputError("mapping has both vectors and {attribute: value} descriptions: use one kind for all classes")
    attributes = list(next(iter(mapping.values()))) if all(named) else None
    vectors = [_read_vector(label, description, attributes) for label, description in mapping.items()]
    _check_lengths(list(mapping), vectors)
    return vectors, list(mapping), None if attributes is None else tuple(str(name) for name in attributes)


def _read_vector(label: Hashable, description: Any, attributes: list[Any] | None) -> list[float]:
    if attributes is not None:
        _check_names(label, description, attributes)
        description = [description[name] for name in attributes]
    if isinstance(description, str) or not hasattr(description, "__iter__"):
        raise InputError(f"mapping describes class {label!r} by {description!r}: give a vector or {{attribute: value}}")
    vector = list(description)
    for at, value in enumerate(vector):
        if not is_real(value):
            attribute = at if attributes is None else repr(attributes[at])
            raise InputError(f"mapping has {value!r} for class {label!r}, attribute {attribute}: give a number")
    return vector


def _check_names(label: Hashable, description: Mapping[Any, Any], attributes: list[Any]) -> None:
    missing = [name for name in attributes if name not in description]
    if missing:
        raise InputError(f"mapping lacks the attribute {shorten(missing)} of class {label!r}: give its value")
    extra = [name for name in description if name not in attributes]
    if extra:
        raise InputError(
            f"mapping gives class {label!r} the attribute {shorten(extra)}, which the first class lacks: "
            "give it to all classes or to none"
        )


def _check_lengths(labels: list[Hashable], vectors: list[list[float]]) -> None:
    for label, vector in zip(labels, vectors, strict=True):
        if len(vector) != len(vectors[0]):
            raise InputError(
                f"mapping describes class {label!r} by {len(vector)} values, but {labels[0]!r} by {len(vectors[0])}: "
                "give each class the same number"
            )
