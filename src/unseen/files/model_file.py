"""What a model file holds, and how it is told that it cannot be used."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.files.tree_reader import NotRegistered
from unseen.utils.errors import InputError


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


def make_model_file(header: dict[str, Any], model: Any, path: Path) -> ModelFile:
    """Put a model and what the header of its file says of it together."""
    # Files of before automatic choices do not hold one.
    encoder, selection, choice = (_mapping_or_none(header.get(key)) for key in ("encoder", "selection", "choice"))
    names = header["feature_names"]
    feature_names = None if names is None else tuple(map(str, names))
    return ModelFile(model, encoder, selection, choice, dict(header["versions"]), feature_names, path)


@contextmanager
def explain_contents(path: Path) -> Iterator[None]:
    """Turn errors about what a file holds into a sentence."""
    try:
        yield
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


def _mapping_or_none(value: Any) -> dict[str, Any] | None:
    return None if value is None else dict(value)
