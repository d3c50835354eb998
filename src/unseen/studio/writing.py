"""Write a studio as a folder that works without a server."""

import os
from pathlib import Path

from unseen.studio.session import Studio
from unseen.utils.errors import InputError
from unseen.utils.storage.writing import create_file, refuse_existing

PAGE = "index.html"


def check_folder(out: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Return the folder to write, after checking, before the work begins, that it can be written."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: name a folder to write {PAGE} into")
    if folder.is_dir():
        refuse_existing(folder / PAGE, force)
    elif not folder.parent.is_dir():
        raise InputError(f"{folder.parent} is not a folder, so {folder.name} cannot be made there: make it first")
    return folder


def write_studio(studio: Studio, out: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write the page of a studio into a folder; return its path.

    Parameters
    ----------
    studio : Studio
    out : path-like
        The folder, which is made if it does not exist. The page is `index.html`, with everything in it.
    force : bool, default False
        Whether to replace a page that is there.
    """
    folder = check_folder(out, force=force)
    folder.mkdir(exist_ok=True)
    with create_file(folder / PAGE, force) as draft:
        draft.write_text(studio.page(), encoding="utf-8")
    return folder / PAGE
