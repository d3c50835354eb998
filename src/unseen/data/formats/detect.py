"""Which kind of dataset a file or folder is, told by what is in it."""

import codecs
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unseen.data.formats.authors_vgg import is_authors_vgg, read_authors_vgg
from unseen.data.formats.contents import Contents
from unseen.data.formats.feature_table import is_parquet, read_table
from unseen.data.formats.folder import is_folder, read_folder
from unseen.data.formats.hdf5 import SIGNATURE, read_hdf5
from unseen.data.formats.mat import is_mat
from unseen.data.formats.npz import read_npz
from unseen.data.formats.xlsa17 import is_xlsa17, read_xlsa17
from unseen.utils.errors import InputError, shortened
from unseen.utils.registry import Registry, check_parameters

# How `.npz` files begin, and what is taken for one by mistake: single arrays and pickles.
_NPZ = (b"PK\x03\x04", b"PK\x05\x06", b"\x93NUMPY", b"\x80")
_SAMPLE = 4096


@dataclass(frozen=True)
class Format:
    """A kind of dataset: what it is made of, how to tell it, and how to read it."""

    name: str
    made_of: str
    recognises: Callable[[Path], bool]
    read: Callable[..., Contents]

    @property
    def options(self) -> list[str]:
        """The options of its reader, beside `features`."""
        kinds = inspect.signature(self.read).parameters
        return [name for name, parameter in kinds.items() if parameter.kind is parameter.KEYWORD_ONLY]


# A new format is one more entry; the first that recognises a path reads it.
_KNOWN = (
    Format("xlsa17", "a folder with res101.mat and att_splits.mat", is_xlsa17, read_xlsa17),
    Format("authors' VGG-19", "a folder with *-vgg-verydeep-19.mat", is_authors_vgg, read_authors_vgg),
    Format("folder", "features.npy, labels.txt, classes.csv, unseen.txt", is_folder, read_folder),
    Format("npz", "X, y, classes, attributes", lambda path: _begins(path, *_NPZ), read_npz),
    Format("HDF5", "X, y, classes, attributes", lambda path: _begins(path, SIGNATURE), read_hdf5),
    Format(
        "Parquet", "a table of features, with classes=", lambda path: path.is_file() and is_parquet(path), read_table
    ),
    Format("CSV", "a table of features, with classes=", lambda path: _is_text(path), read_table),
)
FORMATS = Registry("format", {known.name: known for known in _KNOWN})


def recognised(path: Path) -> Format:
    """Tell which format a file or folder has, or say what it is instead."""
    found = next((known for known in FORMATS.values() if known.recognises(path)), None)
    if found is not None:
        return found
    if path.is_file() and is_mat(path):
        what = "a MATLAB file with no att_splits.mat beside it"
    elif path.is_dir():
        what = f"a folder with {shortened(sorted(entry.name for entry in path.iterdir())) or 'nothing in it'}"
    else:
        what = "a file of no known kind"
    kinds = "; ".join(f"{known.name}: {known.made_of}" for known in FORMATS.values())
    raise InputError(f"{path} is no dataset, but {what}. What can be read: {kinds}")


def read_contents(path: Path, features: Any = None, **options: Any) -> Contents:
    """Read a file or folder of any known format.

    Parameters
    ----------
    path : Path
        The file or folder.
    features : str or sequence of str, optional
        Which features: a file of a folder, an array of an `.npz` or HDF5 file, the columns of a table.
    **options
        What the reader of the format offers beside.
    """
    known = recognised(path)
    check_parameters(options, known.options, f"a dataset of the format {known.name!r}")
    return known.read(path, features, **options)


def _begins(path: Path, *signatures: bytes) -> bool:
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
        # An incremental decoder, for the sample may end within a character.
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(sample, final=len(sample) < _SAMPLE)
    except UnicodeDecodeError:
        return False
    return bool(text) and "\0" not in text
