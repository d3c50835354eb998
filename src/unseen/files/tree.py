"""Write a model as a tree of plain values and named arrays, and rebuild it from known classes only.

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

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from unseen.data import ClassTable
from unseen.files.kinds import (
    SKIPPED_PARAMETERS,
    Kinds,
    estimators,
    may_have,
    name_of,
    parts,
    restore,
    similarities,
    state_of,
)
from unseen.similarity import Similarity
from unseen.utils.arrays import is_foreign, to_numpy
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import explain_unregistered, is_qualified

Arrays = dict[str, NDArray[Any]]
_NUMBERS = "fiub"


class TreeWriter:
    """Turn values into a tree; arrays are collected in `arrays` under their path in the tree."""

    def __init__(self) -> None:
        self.arrays: Arrays = {}

    def write(self, value: Any, place: str) -> Any:
        """Return the tree of a value."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"number": str(value)}
        if isinstance(value, list):
            return [self.write(item, f"{place}.{at}") for at, item in enumerate(value)]
        if isinstance(value, tuple):
            return {"tuple": self.write(list(value), place)}
        if isinstance(value, Mapping):
            if all(isinstance(key, str) for key in value):
                return {"dict": self._write_mapping(value, place)}
            return {"pairs": [self.write(list(pair), f"{place}.{at}") for at, pair in enumerate(value.items())]}
        if isinstance(value, np.ndarray) or is_foreign(value):
            return self._write_array(to_numpy(value), place)
        return self._write_object(value, place)

    def _write_object(self, value: Any, place: str) -> dict[str, Any]:
        if isinstance(value, ClassTable):
            columns = {"vectors": value.vectors, "labels": value.labels, "attributes": value.attributes}
            return {"table": self._write_mapping(columns, place)}
        if isinstance(value, BaseEstimator) and (name := name_of(type(value), estimators())):
            return self._write_estimator(name, value, place)
        if name := name_of(type(value), parts()):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return {"part": name, "fields": self._write_mapping(fields, place)}
        if isinstance(value, Similarity) and (name := name_of(type(value), similarities())):
            return self._write_similarity(name, value, place)
        raise InputError(
            f"{place} is {value!r}, which a model file cannot hold: give plain values, arrays, objects of the classes "
            "of unseen or of those given to unseen.register, and a number for a random_state"
        )

    def _write_estimator(self, name: str, estimator: BaseEstimator, place: str) -> dict[str, Any]:
        parameters = {
            key: value for key, value in estimator.get_params(deep=False).items() if key not in SKIPPED_PARAMETERS
        }
        return {
            "estimator": name,
            "parameters": self._write_mapping(parameters, place),
            "state": self._write_mapping(state_of(estimator), place),
        }

    def _write_similarity(self, name: str, similarity: Similarity, place: str) -> dict[str, Any]:
        return {
            "similarity": name,
            "parameters": self._write_mapping(similarity.parameters(), place),
            "weights": self.write(similarity.W if similarity.has_weights else None, f"{place}.W"),
        }

    def _write_mapping(self, values: Mapping[str, Any], place: str) -> dict[str, Any]:
        return {name: self.write(value, f"{place}.{name}") for name, value in values.items()}

    def _write_array(self, array: NDArray[Any], place: str) -> dict[str, Any]:
        if array.dtype.kind == "U":
            return {"texts": array.tolist()}
        if array.dtype.kind == "O" and array.ndim == 1 and all(isinstance(item, str) for item in array):
            return {"texts": array.tolist(), "object": True}
        if array.dtype.kind not in _NUMBERS:
            raise InputError(
                f"{place} holds {array.dtype} values, which a model file cannot hold: use text or numbers for labels"
            )
        # Keep the memory order, so that products round as before.
        turned = array.flags.f_contiguous and not array.flags.c_contiguous
        self.arrays[place] = np.ascontiguousarray(array.T if turned else array)
        return {"array": place} | ({"order": "F"} if turned else {})


class TreeReader:
    """Rebuild the values of a tree; anything unknown raises an error."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays

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
        return self._read_mapping(tree["dict"])

    def _read_pairs(self, tree: dict[str, Any]) -> dict[Any, Any]:
        return {self.read(key): self.read(value) for key, value in tree["pairs"]}

    def _read_table(self, tree: dict[str, Any]) -> ClassTable:
        return ClassTable(**self._read_mapping(tree["table"]))

    def _read_estimator(self, tree: dict[str, Any]) -> Any:
        kind = _find_kind(estimators(), tree["estimator"], "kind of model or preparation")
        parameters, state = self._read_mapping(tree["parameters"]), self._read_mapping(tree["state"])
        if SKIPPED_PARAMETERS.intersection(parameters) or not all(may_have(kind, name) for name in state):
            raise InputError(f"it gives {kind.__name__} attributes that a {kind.__name__} does not have")
        estimator = kind(**parameters)
        restore(estimator, state)
        return estimator

    def _read_part(self, tree: dict[str, Any]) -> Any:
        return _find_kind(parts(), tree["part"], "part of a model")(**self._read_mapping(tree["fields"]))

    def _read_similarity(self, tree: dict[str, Any]) -> Similarity:
        kind = _find_kind(similarities(), tree["similarity"], "similarity")
        similarity: Similarity = kind(**self._read_mapping(tree["parameters"]))
        weights = self.read(tree["weights"])
        return similarity if weights is None else similarity.with_weights(weights)

    def _read_mapping(self, trees: dict[str, Any]) -> dict[str, Any]:
        return {name: self.read(tree) for name, tree in trees.items()}

    _MAKERS: ClassVar[dict[str, Callable[..., Any]]] = {
        "array": _read_array,
        "texts": _read_texts,
        "number": _read_number,
        "tuple": _read_tuple,
        "dict": _read_dict,
        "pairs": _read_pairs,
        "table": _read_table,
        "estimator": _read_estimator,
        "part": _read_part,
        "similarity": _read_similarity,
    }


class NotRegistered(InputError):
    """A file names a class from outside this package that is not registered."""


def _find_kind(kinds: Kinds, name: Any, what: str) -> type:
    if isinstance(name, str) and name in kinds:
        return kinds[name]
    if isinstance(name, str) and is_qualified(name):
        raise NotRegistered(f"names {name!r}, which {explain_unregistered(name)}")
    raise InputError(f"it names {name!r}, which is not a {what} that this version of unseen knows")
