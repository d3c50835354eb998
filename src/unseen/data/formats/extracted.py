"""Check the files that `unseen extract` wrote against the digests in their manifest."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from unseen.utils.errors import InputError
from unseen.utils.storage.digests import digest_bytes, digest_file

MANIFEST = "manifest.json"
_FORMAT = 2
_KEYS = {"format", "folder", "encoder", "pictures", "unreadable", "files", "digest"}
# A file of another program may share some of our keys, and a damaged file of ours may have lost some.
_ENOUGH = 4


def refuse_changed(folder: Path, names: Iterable[str]) -> None:
    """Refuse files that changed after `unseen extract` wrote them; a folder without a manifest is not checked.

    Parameters
    ----------
    folder : Path
        Folder of the files.
    names : iterable of str
        The files that are about to be read. Files that the manifest does not list are the user's own.
    """
    content = read_signed(folder / MANIFEST)
    digests = {} if content is None else content["files"]
    for name in names:
        if name in digests and not is_as_written(folder / name, digests[name]):
            raise InputError(
                f"{folder / name} is not as `unseen extract` wrote it, because it was damaged or changed: "
                f"extract again with --force, or, if you changed it on purpose, remove {MANIFEST}"
            )


def is_as_written(path: Path, digest: str) -> bool:
    """Tell whether a file exists, can be read, and has this digest."""
    try:
        return digest_file(path) == digest
    except OSError:
        return False


def read_signed(path: Path) -> dict[str, Any] | None:
    """Read a manifest; return None if there is none, or if it is a file of another program."""
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict) or len(_KEYS & found.keys()) < _ENOUGH:
            return None
        digest = found.pop("digest", None)
        if found.get("format") == _FORMAT and digest == _digest_content(found) and isinstance(found.get("files"), dict):
            return found
        reason = "its digest does not fit"
    except (OSError, ValueError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"
    raise InputError(
        f"{path} is damaged, or was written by another version of unseen ({reason}): extract again with --force"
    )


def sign(content: dict[str, Any]) -> str:
    """Return the text of a manifest, with a digest of its content."""
    whole = {"format": _FORMAT} | content
    return json.dumps(whole | {"digest": _digest_content(whole)}, indent=1)


def _digest_content(content: dict[str, Any]) -> str:
    # Keys are not sorted, because the order of the pictures is the order of the rows.
    return digest_bytes(json.dumps(content).encode())
