"""Find datasets by name in the data folder."""

import os
from pathlib import Path

# Endings that are tried in turn after a name.
_ENDINGS = ("", ".npz", ".h5", ".hdf5", ".parquet", ".csv")


def data_home() -> Path:
    """Return the folder of datasets: the environment variable UNSEEN_DATA, or ~/unseen_data."""
    return Path(os.environ.get("UNSEEN_DATA") or Path.home() / "unseen_data")


def find_dataset(name: str | os.PathLike[str]) -> Path | None:
    """Find a file or folder by its path, or by its name (with or without ending) in `data_home`.

    Parameters
    ----------
    name : path-like
        A path, or the name of a dataset.

    Returns
    -------
    Path or None
        Its path, or None if it does not exist.
    """
    given = Path(name).expanduser()
    if os.fspath(name) and given.exists():
        return given
    if given.is_absolute() or not given.parts:
        return None
    at_home = [data_home() / given.with_name(given.name + ending) for ending in _ENDINGS]
    return next((path for path in at_home if path.exists()), None)
