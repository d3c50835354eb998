"""Join folders with names read from files, refusing names that lead out of the folder."""

import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath

from unseen.utils.errors import InputError

# Unicode categories: control characters, bytes that are not UTF-8 (surrogates), ends of lines and of paragraphs.
_UNWRITABLE = ("Cc", "Cs", "Zl", "Zp")


def join_inside(folder: Path, name: object) -> Path:
    """Join a folder and a name that was read from a file; a name that leads out of the folder is refused.

    The file may come from anyone, so a name in it must not read or overwrite files elsewhere.

    Parameters
    ----------
    folder : Path
        Folder in which the path must stay after links are followed.
    name : object
        The name as the file gives it. It must be valid on every operating system, so that a file works on all of them.

    Examples
    --------
    >>> join_inside(Path("features"), "labels.txt").as_posix()
    'features/labels.txt'
    >>> join_inside(Path("features"), "../labels.txt")
    Traceback (most recent call last):
    unseen.utils.errors.InputError: the name '../labels.txt' leads out of the folder features: ...
    """
    if not isinstance(name, str) or not name or not is_writable(name):
        raise InputError(f"the name {name!r} in a file of {folder} is not the name of a file: correct or remove it")
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        if path.anchor or ".." in path.parts:
            raise _make_escape_error(folder, name)
    joined = folder / name
    try:
        end = joined.resolve()
        # From Python 3.13 on, links in a circle end in a link instead of an error.
        stays = end.is_relative_to(folder.resolve()) and not end.is_symlink()
    except (OSError, RuntimeError):
        stays = False
    if not stays:
        raise _make_escape_error(folder, name)
    return joined


def is_writable(name: str) -> bool:
    r"""Tell whether a name can be written on one line of a UTF-8 text.

    >>> is_writable("Žluva 1.jpg"), is_writable("two\nlines")
    (True, False)
    """
    return not any(unicodedata.category(character) in _UNWRITABLE for character in name)


def _make_escape_error(folder: Path, name: str) -> InputError:
    return InputError(f"the name {name!r} leads out of the folder {folder}: correct or remove it where it is written")
