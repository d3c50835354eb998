"""Load a model from its file."""

import os
from pathlib import Path
from typing import Any

from unseen.files.checking import check_fitted
from unseen.files.container import Arrays, read_container
from unseen.files.kinds import SKIPPED_PARAMETERS, estimators, may_have, parts, restore, similarities
from unseen.files.model_file import ModelFile, explain_contents, make_model_file
from unseen.files.tree_reader import TreeReader, find_kind
from unseen.utils.errors import InputError


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
    return make_model(*read_container(Path(path)), Path(path))


def make_model(header: dict[str, Any], arrays: Arrays, path: Path) -> ModelFile:
    """Make the model of a file from its header and its arrays."""
    with explain_contents(path):
        model = _ModelReader(arrays).read(header["model"])
        check_fitted(model)
        return make_model_file(header, model, path)


class _ModelReader(TreeReader):
    """Rebuild estimators."""

    def __init__(self, arrays: Arrays) -> None:
        super().__init__(arrays, parts(), similarities())

    def _read_estimator(self, tree: dict[str, Any]) -> Any:
        kind = find_kind(estimators(), tree["estimator"], "kind of model or preparation")
        parameters, state = self.read_mapping(tree["parameters"]), self.read_mapping(tree["state"])
        if SKIPPED_PARAMETERS.intersection(parameters) or not all(may_have(kind, name) for name in state):
            raise InputError(f"it gives {kind.__name__} attributes that a {kind.__name__} does not have")
        estimator = kind(**parameters)
        restore(estimator, state)
        return estimator
