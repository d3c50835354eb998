"""Fetch datasets with downloads that can be resumed and are verified before use."""

import os
import re
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from unseen.data.home import data_home
from unseen.utils.errors import InputError, shorten
from unseen.utils.optional import import_optional
from unseen.utils.registry import did_you_mean, make_unknown_error

# Called with the bytes on disk and the bytes in all (None if the server does not say).
Progress = Callable[[int, int | None], None]

_CHUNK = 2**16
_PATIENCE = 30.0
_KEYS = ("url", "sha256", "file")
_PARTIAL, _NOTHING_LEFT = 206, 416


@dataclass(frozen=True)
class Download:
    """A file to fetch. `sha256` is None if no verified hash is known."""

    url: str
    sha256: str | None
    file: str


def fetch_dataset(
    name: str,
    *,
    url: str | None = None,
    sha256: str | None = None,
    registry: str | os.PathLike[str] | None = None,
    to: str | os.PathLike[str] | None = None,
    attempts: int = 5,
    progress: Progress | None = None,
) -> Path:
    """Fetch a dataset over HTTP, unless the verified file is already there.

    An interrupted download is resumed, within this call (`attempts`) and in the next. A file with the wrong hash is
    deleted, and an existing file is never overwritten.

    Parameters
    ----------
    name : str
        A name of the registry, or any name when `url` is given.
    url, sha256 : str, optional
        Address and SHA-256 hash of the file, which override the registry.
    registry : path-like, optional
        Your own TOML file, in the form of ``facts/downloads.toml``.
    to : path-like, optional
        Folder for the file, `data_home` by default.
    attempts : int, default=5
        Number of connections to try before giving up.
    progress : callable, optional
        Called with the number of bytes on disk and in all.

    Returns
    -------
    Path
        The verified file.
    """
    download = _choose_download(name, url, sha256, registry)
    folder = Path(data_home() if to is None else to).expanduser()
    target = folder / download.file
    pooch = import_optional("pooch", "fetch", "fetching a dataset")
    if target.exists() and pooch.file_hash(str(target)) != download.sha256:
        raise InputError(f"{target} is there already and has another SHA-256 hash: move it away, it is not overwritten")
    pooch.get_logger().setLevel("WARNING")
    part = folder / f"{download.file}.{str(download.sha256)[:12]}.part"
    downloader = _Resuming(part, attempts, progress or (lambda done, total: None))
    try:
        pooch.retrieve(
            download.url, f"sha256:{download.sha256}", fname=download.file, path=folder, downloader=downloader
        )
    except InputError:
        raise
    except ValueError as error:
        raise InputError(
            f"{download.url} gave a file whose SHA-256 hash is not sha256={download.sha256!r}, so it was deleted: "
            "correct the hash, or ask whoever published the file"
        ) from error
    return target


def read_registry(path: str | os.PathLike[str] | None = None) -> dict[str, Download]:
    """Read a registry of downloads, by name; without a path, the one that comes with the package."""
    place: Traversable = files("unseen.data.benchmarks") / "facts" / "downloads.toml" if path is None else Path(path)
    try:
        entries = tomllib.loads(place.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            f"registry={str(path)!r} cannot be read as a TOML file ({error}): correct it, or give another"
        ) from error
    return {name: _read_entry(name, entry) for name, entry in entries.items()}


def _read_entry(name: str, entry: Any) -> Download:
    keys = list(entry) if isinstance(entry, dict) else []
    wrong = [key for key in keys if key not in _KEYS]
    if wrong or "url" not in keys:
        raise InputError(
            f"registry: [{name}] has the keys {shorten(keys) or 'none'}{did_you_mean(wrong, _KEYS)}: it needs url, "
            "and may have sha256 and file"
        )
    return Download(entry["url"], entry.get("sha256"), entry.get("file") or _name_file(entry["url"]))


def _choose_download(
    name: str, url: str | None, sha256: str | None, registry: str | os.PathLike[str] | None
) -> Download:
    """Combine the registry with the arguments of the caller, and refuse a download that cannot be verified."""
    known = read_registry(registry)
    if url is None and name not in known:
        raise make_unknown_error(name, known, "name", "url and sha256")
    entry = known[name] if url is None else Download(url, None, _name_file(url))
    download = Download(entry.url, sha256 or entry.sha256, entry.file)
    if urlsplit(download.url).scheme not in ("http", "https"):
        raise InputError(f"url={download.url!r} is not a web address: give one that begins with https://")
    if download.file != os.path.basename(download.file) or download.file in ("", ".", ".."):
        raise InputError(f"file={download.file!r} is not a file name: give one without folders")
    if download.sha256 is None:
        raise InputError(
            f"sha256=None, but nobody has verified {download.url} yet, and nothing is fetched that cannot be "
            "verified: give the SHA-256 hash that its publisher states"
        )
    if not re.fullmatch("[0-9a-fA-F]{64}", download.sha256):
        raise InputError(f"sha256={download.sha256!r} is not a SHA-256 hash: give its 64 hexadecimal digits")
    return Download(download.url, download.sha256.lower(), download.file)


def _name_file(url: str) -> str:
    return os.path.basename(unquote(urlsplit(url).path))


class _Resuming:
    """A downloader for pooch that keeps a partial file and requests only the rest."""

    def __init__(self, part: Path, attempts: int, progress: Progress) -> None:
        self.part = part
        self.attempts = attempts
        self.progress = progress

    def __call__(self, url: str, output_file: str, pooch: Any) -> None:
        """Download `url`, then move the file to where pooch verifies it."""
        requests = import_optional("requests", "fetch", "fetching a dataset")
        for attempt in range(1, self.attempts + 1):
            try:
                self._go_on(url, requests)
                break
            except requests.HTTPError as error:
                raise InputError(f"url={url!r} cannot be fetched ({error}): correct it") from error
            except requests.RequestException as error:
                if attempt == self.attempts:
                    raise ConnectionError(self._explain_stop(url, error)) from error
                time.sleep(min(0.1 * 2**attempt, 10))
        os.replace(self.part, output_file)

    def _explain_stop(self, url: str, error: Exception) -> str:
        size = self.part.stat().st_size if self.part.exists() else 0
        return f"the download of {url} stopped after {size:,} bytes ({error}): run it again to resume"

    def _go_on(self, url: str, requests: Any) -> None:
        have = self.part.stat().st_size if self.part.exists() else 0
        # With compression, the bytes received could not be compared with the size of the file.
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with requests.get(url, headers=headers, stream=True, timeout=_PATIENCE) as response:
            if have and response.status_code == _NOTHING_LEFT:
                return
            response.raise_for_status()
            if response.status_code != _PARTIAL:
                have = 0
            length = response.headers.get("Content-Length")
            total = have + int(length) if length else None
            self._write(response, have, total)
        if total is not None and self.part.stat().st_size < total:
            raise requests.ConnectionError("the server closed the connection too early")

    def _write(self, response: Any, have: int, total: int | None) -> None:
        with open(self.part, "ab" if have else "wb") as file:
            for chunk in response.iter_content(_CHUNK):
                file.write(chunk)
                self.progress(file.tell(), total)
