"""Read a mapping strictly: unknown keys and wrong types raise errors that name the place."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import Registry, check_choice, did_you_mean

# YAML 1.1 reads these numbers as text.
EXPONENT_WITHOUT_POINT = re.compile(r"[-+]?\d+[eE][-+]?\d+")


class Fields:
    """A mapping from a file, checked against its known keys.

    Parameters
    ----------
    mapping : Any
        The value in the file at this place.
    where : str
        Name of the place in error messages, e.g. "mine.yaml, model".
    known : iterable of str
        Allowed keys; any other key raises an error.
    """

    def __init__(self, mapping: Any, where: str, known: Iterable[str]) -> None:
        self.where, keys = where, list(known)
        if not isinstance(mapping, Mapping):
            raise InputError(f"{where} is {mapping!r}: write a mapping with the keys {shorten(keys, limit=20)}")
        unknown = [key for key in mapping if key not in keys]
        if unknown:
            raise InputError(
                f"{where} has the unknown key {shorten(unknown)}{did_you_mean(unknown, keys)}: "
                f"choose from {shorten(keys, limit=20)}"
            )
        self.mapping = mapping

    def __contains__(self, key: str) -> bool:
        return self.mapping.get(key) is not None

    def place(self, key: str) -> str:
        """Name the place of a key."""
        return f"{self.where}, {key}"

    def value(self, key: str) -> Any:
        """Return the value of a required key."""
        if key not in self:
            raise InputError(f"{self.where} does not have the key {key!r}: add it")
        return self.mapping[key]

    def text(self, key: str, default: str | None = None) -> str:
        """Return the text at a key."""
        value = default if default is not None and key not in self else self.value(key)
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{self.place(key)} is {value!r}: write text")
        return value.strip()

    def number(self, key: str) -> float:
        """Return the number at a key."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{self.place(key)} is {value!r}: write a number")
        return float(value)

    def whole(self, key: str, default: int, minimum: int) -> int:
        """Return the whole number at a key."""
        value = self.value(key) if key in self else default
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise InputError(f"{self.place(key)} is {value!r}: write a whole number of at least {minimum}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false at a key."""
        value = self.value(key) if key in self else default
        if not isinstance(value, bool):
            raise InputError(f"{self.place(key)} is {value!r}: write true or false")
        return value

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        """Return the text at a key, which has to be one of the choices; a registry accepts any spelling."""
        if isinstance(choices, Registry):
            return choices.find_key(self.text(key, default), self.place(key))
        return check_choice(self.text(key, default), list(choices), self.place(key))

    def items(self, key: str) -> list[Any]:
        """Return the list at a key, or an empty list."""
        value = self.value(key) if key in self else []
        if not isinstance(value, list):
            raise InputError(f"{self.place(key)} is {value!r}: write a list, [...]")
        return value

    def options(self, key: str, known: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the plain values by name at a key, or an empty mapping."""
        value = self.value(key) if key in self else {}
        if known is not None:
            value = Fields(value, self.place(key), known).mapping
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise InputError(f"{self.place(key)} is {value!r}: write a mapping of names to values")
        return {name: check_plain(option, f"{self.place(key)}, {name}") for name, option in value.items()}


def check_plain(value: Any, where: str) -> Any:
    """Return a value of text, numbers, true, false, null, lists and mappings; raise an error for any other."""
    if isinstance(value, list):
        return [check_plain(item, where) for item in value]
    if isinstance(value, dict):
        return {str(key): check_plain(item, where) for key, item in value.items()}
    if isinstance(value, str) and EXPONENT_WITHOUT_POINT.fullmatch(value):
        mantissa, exponent = re.split("[eE]", value)
        raise InputError(f"{where} is the text {value!r}, because YAML needs a point: write {mantissa}.0e{exponent}")
    if value is None or isinstance(value, str | int | float):
        return value
    raise InputError(f"{where} is a {type(value).__name__} ({value!r}): write text or a number")
