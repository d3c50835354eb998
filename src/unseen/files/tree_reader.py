"""Rebuild a model from a tree of plain values and named arrays, and from known classes only.

Text, numbers, true, false, null and lists stand for themselves. Everything else is a mapping with one of these keys:

==============  =======================================================================================
``array``       the name of an array; ``"order": "F"`` if it is stored transposed
``texts``       an array of text; ``"object": true`` if NumPy holds it as Python objects
``number``      ``"nan"``, ``"inf"`` or ``"-inf"``, which JSON does not have
``tuple``       its members
``dict``        a mapping from text
``pairs``       any other mapping, as a list of its keys and values
``table``       a class table: ``vectors``, ``labels``, ``attributes``
``estimator``   the name of its class, with ``parameters`` and fitted ``state``
``part``        the name of a dataclass, with its ``fields``
``similarity``  the name of its class, with ``parameters`` and ``weights`` (null if it has none)
==============  =======================================================================================
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.files.container import Arrays
from unseen.similarity import Similarity
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import explain_unregistered, is_qualified

# Classes by their names in a file.
Kinds = Mapping[str, type]


class TreeReader(ABC):
    """Rebuild the values of a tree; anything unknown raises an error.

    Parameters
    ----------
    arrays : dict of str to ndarray
        The arrays that the tree names.
    parts, similarities : mappings of str to class
        The dataclasses and similarities that it may name.
    """

    def __init__(self, arrays: Arrays, parts: Kinds, similarities: Kinds) -> None:
        self._arrays, self._parts, self._similarities = arrays, parts, similarities

    def read(self, tree: Any) -> Any:
        """Return the value of a tree."""
        if tree is None or isinstance(tree, bool | int | float | str):
            return tree
        if isinstance(tree, list):
            return [self.read(item) for item in tree]
        for tag, make in self._MAKERS.items():
            if tag in tree:
                return make(self, tree)
        raise InputError(f"it holds a value of an unknown kind ({shorten(tree)})")

    def _read_array(self, tree: dict[str, Any]) -> NDArray[Any]:
        array = self._arrays[tree["array"]]
        return array.T if tree.get("order") == "F" else array

    def _read_texts(self, tree: dict[str, Any]) -> NDArray[Any]:
        texts = tree["texts"]
        if not all(isinstance(text, str) for text in texts):
            raise InputError("it holds an array of text that contains something else")
        return np.array(texts, dtype=object if tree.get("object") is True else np.str_)

    def _read_number(self, tree: dict[str, Any]) -> float:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[tree["number"]]

    def _read_tuple(self, tree: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(self.read(item) for item in tree["tuple"])

    def _read_dict(self, tree: dict[str, Any]) -> dict[str, Any]:
        return self.read_mapping(tree["dict"])

    def _read_pairs(self, tree: dict[str, Any]) -> dict[Any, Any]:
        return {self.read(key): self.read(value) for key, value in tree["pairs"]}

    def _read_table(self, tree: dict[str, Any]) -> ClassTable:
        return ClassTable(**self.read_mapping(tree["table"]))

    @abstractmethod
    def _read_estimator(self, tree: dict[str, Any]) -> Any:
        """Return the value of an estimator."""

    def _read_part(self, tree: dict[str, Any]) -> Any:
        return find_kind(self._parts, tree["part"], "part of a model")(**self.read_mapping(tree["fields"]))

    def _read_similarity(self, tree: dict[str, Any]) -> Similarity:
        kind = find_kind(self._similarities, tree["similarity"], "similarity")
        similarity: Similarity = kind(**self.read_mapping(tree["parameters"]))
        weights = self.read(tree["weights"])
        return similarity if weights is None else similarity.with_weights(weights)

    def read_mapping(self, trees: dict[str, Any]) -> dict[str, Any]:
        """Return the values of a mapping of trees."""
        return {name: self.read(tree) for name, tree in trees.items()}

    _MAKERS: ClassVar[dict[str, Callable[..., Any]]] = {
        "array": _read_array,
        "texts": _read_texts,
        "number": _read_number,
        "tuple": _read_tuple,
        "dict": _read_dict,
        "pairs": _read_pairs,
        "table": _read_table,
        "estimator": lambda self, tree: self._read_estimator(tree),
        "part": _read_part,
        "similarity": _read_similarity,
    }


class NotRegistered(InputError):
    """A file names a class from outside this package that is not registered."""


def find_kind(kinds: Kinds, name: Any, what: str) -> type:
    """Return the class of a name in a file, or refuse it."""
    if isinstance(name, str) and name in kinds:
        return kinds[name]
    if isinstance(name, str) and is_qualified(name):
        raise NotRegistered(f"names {name!r}, which {explain_unregistered(name)}")
    raise InputError(f"it names {name!r}, which is not a {what} that this version of unseen knows")
