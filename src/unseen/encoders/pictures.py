"""Find the pictures of a folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unseen.utils.errors import InputError, shorten
from unseen.utils.storage.paths import is_writable

ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")
# Subfolder with the class folders, if the folder holds other files too, such as a class table.
_INSIDE = "images"


@dataclass(frozen=True)
class Pictures:
    """Pictures in a folder.

    Attributes
    ----------
    root : Path
        The folder that `paths` are relative to.
    paths : list of str
        Path of each picture, sorted, with "/" between folders.
    labels : list of str or None
        The class folder of each picture; None if all lie in one folder.
    empty : list of str
        Class folders without pictures.
    """

    root: Path
    paths: list[str]
    labels: list[str] | None
    empty: list[str]


def is_picture(path: Path) -> bool:
    """Tell by its name whether a file is a picture."""
    return path.suffix.casefold() in ENDINGS and not path.name.startswith(".")


def find_pictures(folder: Path) -> Pictures:
    """Find the pictures of a folder: one subfolder per class, or all in the folder itself.

    Parameters
    ----------
    folder : Path
        The folder. Class folders may also be in its subfolder `images`.
    """
    try:
        return _find(folder)
    except OSError as error:
        raise InputError(
            f"{error.filename} cannot be read ({error.strerror}): make it readable, or remove it"
        ) from error


def keep_labelled(pictures: Pictures, labels: Mapping[str, str]) -> Pictures:
    """Return the pictures that have a label, with these labels instead of their folders.

    Parameters
    ----------
    pictures : Pictures
    labels : mapping of str to str
        Labels by path, as in `pictures.paths`.
    """
    kept = [path for path in pictures.paths if path in labels]
    if not kept:
        raise InputError(
            f"none of the {len(pictures.paths)} pictures in {pictures.root} is among the labels: give the folder of "
            "the pictures that were labelled"
        )
    chosen = [labels[path] for path in kept]
    wrong = sorted({label for label in chosen if label != label.strip() or label.startswith("#") or not label})
    if wrong:
        raise InputError(
            f"the labels {shorten(wrong)} begin with '#' or have spaces around them, which a list of labels cannot "
            "hold: rename these classes"
        )
    return Pictures(pictures.root, kept, chosen, [])


def _find(folder: Path) -> Pictures:
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: give one with pictures, or with a subfolder of pictures per class")
    root = _find_root(folder)
    flat = sorted(entry.name for entry in root.iterdir() if _is_there(entry) and is_picture(entry))
    inside = {sub.name: _list_pictures(sub, root) for sub in _list_subfolders(root)}
    labelled = [(path, label) for label, paths in inside.items() for path in paths]
    if flat and labelled:
        raise InputError(
            f"{root} has pictures of its own ({shorten(flat, 2)}) beside class folders ({shorten(inside, 2)}): "
            "move them into the folder of their class"
        )
    if not flat and not labelled:
        raise InputError(f"{folder} has no pictures ({', '.join(ENDINGS)}), neither in it nor in its subfolders")
    _refuse_unwritable([*flat, *(path for path, _ in labelled)], root)
    if flat:
        return Pictures(root, flat, None, [])
    _refuse_labels([label for label in inside if inside[label]], root)
    labelled.sort()
    empty = [label for label, paths in inside.items() if not paths]
    return Pictures(root, [path for path, _ in labelled], [label for _, label in labelled], empty)


def _find_root(folder: Path) -> Path:
    inside = folder / _INSIDE
    return inside if [sub.name for sub in _list_subfolders(folder)] == [_INSIDE] else folder


def _list_subfolders(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))


def _list_pictures(folder: Path, root: Path) -> list[str]:
    """List the pictures of a class folder and its subfolders; links are followed, but circular ones refused."""
    found, real_root = [], root.resolve()
    left = [(folder, {real_root, *real_root.parents})]
    while left:
        here, above = left.pop()
        real = here.resolve()
        if real in above:
            raise InputError(f"{here} is a link to a folder that it lies in, so it has no end: remove the link")
        for entry in here.iterdir():
            if entry.is_dir():
                left.append((entry, above | {real}))
            elif _is_there(entry) and is_picture(entry):
                found.append(entry.relative_to(root).as_posix())
    return found


def _is_there(entry: Path) -> bool:
    """Tell whether an entry may be a picture: a file, or a broken link."""
    return entry.is_file() or not entry.exists()


def _refuse_unwritable(paths: list[str], root: Path) -> None:
    wrong = [path for path in paths if not is_writable(path)]
    if not is_writable(str(root.resolve())):
        wrong = [str(root.resolve())]
    if wrong:
        raise InputError(
            f"{str(root)!r} has names that a list of pictures cannot hold ({shorten(wrong, 2)}), because they "
            "have line breaks or are not UTF-8: rename them, or set PYTHONUTF8=1 where your system writes them in UTF-8"
        )


def _refuse_labels(labels: list[str], root: Path) -> None:
    wrong = [label for label in labels if label != label.strip() or label.startswith("#")]
    if wrong:
        raise InputError(
            f"{root} has class folders {shorten(wrong)}: rename them, because a list of labels cannot hold a "
            "name that begins with '#' or has spaces around it"
        )
