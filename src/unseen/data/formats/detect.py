"""Detect the format of a file or folder by its contents, and read it."""

import codecs
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unseen.data.formats.authors_vgg import is_authors_vgg, read_authors_vgg
from unseen.data.formats.contents import Contents
from unseen.data.formats.feature_table import read_table, read_table_rows
from unseen.data.formats.folder import FEATURES, is_folder, read_folder, read_folder_rows
from unseen.data.formats.hdf5 import HDF5, SIGNATURE
from unseen.data.formats.mat import is_mat
from unseen.data.formats.numpy_file import ARCHIVE, ARRAY, NPZ, read_npy_rows, refuse_npy
from unseen.data.formats.table_file import is_parquet
from unseen.data.formats.xlsa17 import is_xlsa17, read_xlsa17
from unseen.data.rows import FeatureRows
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import Registry, check_parameters

_SAMPLE = 4096


@dataclass(frozen=True)
class Format:
    """A format of datasets: how to recognise it and how to read it.

    Attributes
    ----------
    name, made_of : str
        Name of the format, and a short description of its parts.
    recognises : callable
        Function that tells whether a path has this format.
    read : callable
        Function of a path, the choice of features and named options, which returns the whole contents.
    rows : callable, optional
        Function that reads the features alone, without labels or class descriptions; by default `read` is used.
    """

    name: str
    made_of: str
    recognises: Callable[[Path], bool]
    read: Callable[..., Contents]
    rows: Callable[..., FeatureRows] | None = None

    @property
    def options(self) -> list[str]:
        """The options of `read`, except `features`."""
        return _list_options(self.read)

    @property
    def row_options(self) -> list[str]:
        """The options for reading the features alone."""
        return _list_options(self.rows or self.read)

    def read_rows(self, path: Path, features: Any = None, **options: Any) -> FeatureRows:
        """Read the features alone."""
        if self.rows is not None:
            return self.rows(path, features, **options)
        contents = self.read(path, features, **options)
        return FeatureRows.from_matrix(contents.X, contents.feature_names)


def _list_options(reader: Callable[..., Any]) -> list[str]:
    kinds = inspect.signature(reader).parameters
    return [name for name, parameter in kinds.items() if parameter.kind is parameter.KEYWORD_ONLY]


# A new format is one more entry. The first format that recognises a path reads it.
_KNOWN = (
    Format("xlsa17", "a folder with res101.mat and att_splits.mat", is_xlsa17, read_xlsa17),
    Format("authors' VGG-19", "a folder with *-vgg-verydeep-19.mat", is_authors_vgg, read_authors_vgg),
    Format("folder", "features.npy, labels.txt, classes.csv, unseen.txt", is_folder, read_folder, read_folder_rows),
    Format("npz", "X, y, classes, attributes", lambda path: _begins_with(path, *ARCHIVE), NPZ.read, NPZ.read_rows),
    Format("HDF5", "X, y, classes, attributes", lambda path: _begins_with(path, SIGNATURE), HDF5.read, HDF5.read_rows),
    Format(
        "Parquet",
        "a table of features, with classes=",
        lambda path: path.is_file() and is_parquet(path),
        read_table,
        read_table_rows,
    ),
    Format("CSV", "a table of features, with classes=", lambda path: _is_text(path), read_table, read_table_rows),
    Format(
        "npy", "features alone, to be recognised", lambda path: _begins_with(path, ARRAY), refuse_npy, read_npy_rows
    ),
)
FORMATS = Registry("format", {known.name: known for known in _KNOWN})


def recognise_format(path: Path) -> Format:
    """Return the format of a file or folder, or refuse one of an unknown format."""
    found = next((known for known in FORMATS.values() if known.recognises(path)), None)
    if found is not None:
        return found
    if path.is_file() and is_mat(path):
        what = "a MATLAB file with no att_splits.mat beside it"
    elif path.is_file() and not path.stat().st_size:
        raise InputError(f"{path} is empty: make or fetch it again")
    elif path.is_dir():
        what = f"a folder with {shorten(sorted(entry.name for entry in path.iterdir())) or 'nothing in it'}"
    else:
        what = "a file of an unknown kind"
    kinds = "; ".join(f"{known.name}: {known.made_of}" for known in FORMATS.values())
    raise InputError(f"{path} is not a dataset, but {what}. What can be read: {kinds}")


def read_contents(path: Path, features: Any = None, **options: Any) -> Contents:
    """Read a file or folder of any known format.

    Parameters
    ----------
    path : Path
        The file or folder.
    features : str or sequence of str, optional
        The features to read: a file of a folder, an array of an `.npz` or HDF5 file, or the columns of a table.
    **options
        Further options of the format.
    """
    known = recognise_format(path)
    check_parameters(options, known.options, f"a dataset of the format {known.name!r}")
    return known.read(path, features, **options)


def read_rows(path: Path, features: Any = None, **options: Any) -> FeatureRows:
    """Read the features of a file or folder of any known format, whether or not it has labels.

    Parameters
    ----------
    path, features
        As for `read_contents`.
    **options
        Further options of the format: ``label`` (a column to leave out) and ``delimiter`` of a table.
    """
    known = recognise_format(path)
    check_parameters(options, known.row_options, f"features of the format {known.name!r}")
    return known.read_rows(path, features, **options).check(str(path))


def holds_features(path: Path) -> bool:
    """Tell whether a path has features; a folder of pictures may have only a class table."""
    known = next((known for known in FORMATS.values() if known.recognises(path)), None)
    return known is not None and (known.read is not read_folder or any((path / name).is_file() for name in FEATURES))


def _begins_with(path: Path, *signatures: bytes) -> bool:
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(_SAMPLE).startswith(signatures)


def _is_text(path: Path) -> bool:
    """Tell whether a file begins with lines of text."""
    if not path.is_file() or is_mat(path):
        return False
    with open(path, "rb") as file:
        sample = file.read(_SAMPLE)
    try:
        # An incremental decoder, because the sample may end within a character.
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(sample, final=len(sample) < _SAMPLE)
    except UnicodeDecodeError:
        return False
    return bool(text) and "\0" not in text
