"""Save a fitted model to one file."""

import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from unseen.files.checking import check_fitted, find_feature_names
from unseen.files.container import Arrays, pack_container, write_container
from unseen.files.model_file import ModelFile
from unseen.files.tree_writer import TreeWriter
from unseen.selection import ClassDisjointSearch, Selection
from unseen.utils.errors import InputError
from unseen.utils.storage.writing import create_file
from unseen.utils.versions import list_versions
from unseen.utils.wrapping import unwrap

_PACKAGES = ("unseen", "numpy", "scikit-learn", "safetensors")


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    encoder: dict[str, Any] | None = None,
    selection: ClassDisjointSearch | Selection | None = None,
    choice: dict[str, Any] | None = None,
    feature_names: Iterable[str] | None = None,
    force: bool = False,
) -> None:
    """Write a fitted model to one file, completely or not at all.

    The file is safetensors with a JSON header; loading it does not run any code from it. A model fitted on PyTorch
    tensors is loaded as a NumPy model, which accepts tensors too.

    Parameters
    ----------
    model : estimator
        Any fitted model of this package, or one of your own whose class was given to `unseen.register`. For a
        `ClassDisjointSearch`, the chosen estimator is written, together with how it was chosen.
    path : path-like
        The file to write; `.unseen` is the usual ending.
    encoder : dict, optional
        Description of the encoder that made the features, as plain values.
    selection : ClassDisjointSearch or Selection, optional
        The search that chose the parameters of `model`, or its result.
    choice : dict, optional
        Record of an automatic choice of preparation and model, as plain values.
    feature_names : iterable of str, optional
        Names of the feature columns; by default those of the data frame given to `fit`, if it was
        one.
    force : bool, default False
        Whether to replace an existing file.

    Examples
    --------
    >>> import tempfile, unseen
    >>> data = unseen.load_dataset("digit-pairs")
    >>> model = unseen.JFA().fit(data.X_train, data.y_train, classes=data.classes)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     unseen.save(model, f"{folder}/digits.unseen")
    ...     again = unseen.load(f"{folder}/digits.unseen")
    >>> again
    JFA()
    """
    if isinstance(model, ClassDisjointSearch) and hasattr(model, "best_estimator_"):
        model, selection = model.inner, model
    header, arrays = _make_content(model, encoder, _record(model, selection), choice, feature_names)
    with create_file(path, force) as draft:
        write_container(draft, header, arrays)


def to_bytes(file: ModelFile) -> bytes:
    """Return a model as the content of a model file, without writing one.

    Parameters
    ----------
    file : ModelFile
        The model, and what belongs to it; how its parameters were chosen is kept as it is.
    """
    return pack_container(*_make_content(file.model, file.encoder, file.selection, file.choice, file.feature_names))


def _make_content(
    model: Any,
    encoder: dict[str, Any] | None,
    selection: dict[str, Any] | None,
    choice: dict[str, Any] | None,
    feature_names: Iterable[str] | None,
) -> tuple[dict[str, Any], Arrays]:
    check_fitted(model)
    writer = TreeWriter()
    tree = writer.write(model, "model")
    header = {
        "kind": tree["estimator"],
        "model": tree,
        "encoder": _to_plain(encoder, "encoder"),
        "selection": selection,
        "choice": _to_plain(choice, "choice"),
        "feature_names": _list_names(find_feature_names(model) if feature_names is None else feature_names),
        "versions": list_versions(_PACKAGES),
    }
    return header, writer.arrays


def _list_names(names: Iterable[str] | None) -> list[str] | None:
    return None if names is None else list(map(str, names))


def _record(model: Any, search: ClassDisjointSearch | Selection | None) -> dict[str, Any] | None:
    """Record a search, or the choice that a model made itself, as `JFA(omega="auto")` does."""
    found = getattr(unwrap(model), "selection_", None) if search is None else search
    if isinstance(found, ClassDisjointSearch):
        found = Selection(found.cv_results_, found.best_index_)
    if found is None:
        return None
    record = {
        "grid": list(found.results["params"]),
        "scores": found.results["mean_test_score"],
        "std": found.results["std_test_score"],
        # Scores of different rounds cannot be compared.
        **({"round": found.results["round"]} if "round" in found.results else {}),
        "chosen": found.best_index,
        "score": found.best_score,
    }
    return dict(_to_plain(record, "selection"))


def _to_plain(value: Any, name: str) -> Any:
    """Convert a value to what JSON can hold."""

    def write_other(item: Any) -> Any:
        return item.tolist() if isinstance(item, np.ndarray | np.generic) else repr(item)

    try:
        return json.loads(json.dumps(value, default=write_other, allow_nan=False))
    except ValueError as error:
        raise InputError(
            f"{name}={value!r} is not a plain value ({error}): give text, numbers, lists and dicts"
        ) from error
