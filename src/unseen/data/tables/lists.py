"""Read lists from text files with one entry on each line."""

import os
from pathlib import Path

from unseen.utils.errors import InputError


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """Read the entries of a UTF-8 text file, leaving out blank lines and those that begin with '#'.

    Parameters
    ----------
    path : path-like
        The file to read.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text ({error.reason}): save it as UTF-8") from error
    lines = [line.strip() for line in text.splitlines()]
    entries = [line for line in lines if line and not line.startswith("#")]
    if not entries:
        raise InputError(f"{path} is empty: write one entry on each line")
    return entries
