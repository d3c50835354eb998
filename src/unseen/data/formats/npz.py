"""Datasets in NumPy's `.npz` files."""

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.formats.contents import Contents
from unseen.data.formats.keyed import keyed_contents, needed_keys
from unseen.utils.errors import InputError


def read_npz(
    path: Path, features: str | None = None, *, attributes: str = "attributes", missing: str = "zero"
) -> Contents:
    """Read a dataset from an `.npz` file in the layout of `unseen.data.formats.keyed`.

    Parameters
    ----------
    path : Path
        The file. Pickled objects in it are refused, for loading them may run code.
    features, attributes : str, optional
        The names of the arrays to take as features and as class descriptions.
    missing : {"zero", "mean", "keep"}, default="zero"
        What to put where Animals with Attributes marks an attribute as missing; see `fill_missing`.
    """
    features = features or "X"
    try:
        arrays = _arrays(path, features, attributes)
    except InputError:
        raise
    except ValueError as error:
        if "pickle" not in str(error):
            raise InputError(f"{path} is damaged ({error}): make or fetch it again") from error
        raise InputError(
            f"{path} holds pickled Python objects, which are not read because that may run code: "
            "save plain arrays of numbers and text (no dtype=object)"
        ) from error
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path} is truncated or damaged ({error}): make or fetch it again") from error
    return keyed_contents(arrays, features, attributes, missing, path.stem, str(path))


def _arrays(path: Path, features: str, attributes: str) -> dict[str, NDArray[Any]]:
    file = np.load(path, allow_pickle=False)
    if isinstance(file, np.ndarray):
        raise InputError(f"{path} holds a single array, not a dataset: save its parts with np.savez")
    with file:
        return {key: file[key] for key in needed_keys(file.files, features, attributes, str(path))}
