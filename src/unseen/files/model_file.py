"""Save a fitted model to one file, and load it."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from unseen.files.container import read_container, write_container
from unseen.files.tree import NotRegistered, TreeReader, TreeWriter
from unseen.models.state import KeepsState
from unseen.selection import ClassDisjointSearch, Selection
from unseen.utils.errors import InputError
from unseen.utils.storage.writing import create_file
from unseen.utils.versions import list_versions
from unseen.utils.wrapping import unwrap

_PACKAGES = ("unseen", "numpy", "scikit-learn", "safetensors")


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The content of a model file.

    Attributes
    ----------
    model : estimator
        The fitted model: any of `unseen.models` (including `Prepared` and `Calibrated`) or `unseen.transduction`.
    encoder : dict or None
        Description of the encoder that made the features, as plain values.
    selection : dict or None
        Record of how the parameters were chosen: `grid` (the points tried), `scores` and `std` of each point on
        held-out seen classes, `chosen` (the index of the best point) and `score` (its score).
    choice : dict or None
        Record of an automatic choice of preparation and model, as `unseen.workflows.fit` makes it, as plain values.
    versions : dict
        Versions of Python and of the packages that wrote the file.
    feature_names : tuple of str or None
        Names of the feature columns that the model was fitted on, if they had names.
    path : Path or None
        The file that it was read from; None for a model that was fitted in this process.
    """

    model: Any
    encoder: dict[str, Any] | None = None
    selection: dict[str, Any] | None = None
    choice: dict[str, Any] | None = None
    versions: dict[str, str] = field(default_factory=dict)
    feature_names: tuple[str, ...] | None = None
    path: Path | None = None


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
    check_fitted(model)
    writer = TreeWriter()
    tree = writer.write(model, "model")
    header = {
        "kind": tree["estimator"],
        "model": tree,
        "encoder": _to_plain(encoder, "encoder"),
        "selection": _record(model, selection),
        "choice": _to_plain(choice, "choice"),
        "feature_names": _list_names(find_feature_names(model) if feature_names is None else feature_names),
        "versions": list_versions(_PACKAGES),
    }
    with create_file(path, force) as draft:
        write_container(draft, header, writer.arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Read the fitted model in a file that `save` wrote.

    Nothing in the file is run or imported. The file names classes of a fixed list, or classes given to
    `unseen.register`, with their parameters and arrays. A file that is truncated, changed, of another kind or of a
    newer format raises an `InputError`.

    Parameters
    ----------
    path : path-like
        The model file.
    """
    return read_model_file(path).model


def read_model_file(path: str | os.PathLike[str]) -> ModelFile:
    """Read the whole content of a model file; see `load`."""
    header, arrays = read_container(Path(path))
    try:
        model = TreeReader(arrays).read(header["model"])
        check_fitted(model)
        # Files of before automatic choices do not hold one.
        encoder, selection, choice = (_mapping_or_none(header.get(key)) for key in ("encoder", "selection", "choice"))
        names = header["feature_names"]
        return ModelFile(
            model,
            encoder,
            selection,
            choice,
            dict(header["versions"]),
            None if names is None else tuple(map(str, names)),
            Path(path),
        )
    except NotRegistered as error:
        raise InputError(f"{path} {error}") from error
    except InputError as error:
        raise InputError(
            f"{path} cannot be used, because {error}: make it again with this version of unseen"
        ) from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # The checksum is right, so the file was written like this: by another version, or by someone else.
        raise InputError(
            f"{path} holds an inconsistent model ({type(error).__name__}: {error}): make it again with "
            "this version of unseen"
        ) from error


def find_feature_names(model: Any) -> tuple[str, ...] | None:
    """Return the column names of the data frame that a model was fitted on, or None if it was not a data frame."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(map(str, names))


def check_fitted(model: Any) -> None:
    """Raise an error unless this is a fitted model."""
    if not isinstance(model, KeepsState):
        raise InputError(
            f"model is a {type(model).__name__}: give a fitted estimator of unseen.models or unseen.transduction "
            "(Prepared combines a preparation with a model)"
        )
    try:
        check_is_fitted(model, "classes_")
    except NotFittedError as error:
        raise InputError(f"model={model!r} is not a fitted model: call fit(X, y, classes=...) first") from error


def _list_names(names: Iterable[str] | None) -> list[str] | None:
    return None if names is None else list(map(str, names))


def _mapping_or_none(value: Any) -> dict[str, Any] | None:
    return None if value is None else dict(value)


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
