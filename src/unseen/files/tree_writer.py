"""Write a model as a tree of plain values and named arrays; `tree_reader` says what stands for what."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from unseen.data import ClassTable
from unseen.files.container import Arrays
from unseen.files.kinds import SKIPPED_PARAMETERS, estimators, name_of, parts, similarities, state_of
from unseen.similarity import Similarity
from unseen.utils.arrays import is_foreign, to_numpy
from unseen.utils.errors import InputError

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
