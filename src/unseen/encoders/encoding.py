"""Encode pictures in batches, reading the next pictures at the same time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.encoders.decoding import decode_picture
from unseen.encoders.protocol import ImageEncoder
from unseen.utils.errors import InputError
from unseen.utils.storage.digests import digest_bytes
from unseen.utils.workers import count_cores

# One core is left for the network, and more threads than this would wait for each other.
_MOST_READERS = 8


@dataclass(frozen=True)
class _Read:
    """A picture that was read: the input of the network, or the reason why it cannot be read."""

    path: str
    hash: str = ""
    pixels: NDArray[np.float32] | None = None
    reason: str = ""


@dataclass
class Log:
    """The hash of each picture, or the reason why it could not be read."""

    hashes: dict[str, str] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)


def encode_in_batches(
    encoder: ImageEncoder,
    root: Path,
    paths: Sequence[str],
    log: Log,
    *,
    known: set[str] | None = None,
    batch: int = 8,
    on_picture: Callable[[], None] = lambda: None,
) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    """Encode pictures in batches; pictures with the same content are encoded once.

    Parameters
    ----------
    encoder : ImageEncoder
        The encoder.
    root, paths : Path and sequence of str
        The folder, and the paths of the pictures in it.
    log : Log
        Receives the hash, or the reason, of each picture.
    known : set of str, optional
        Hashes of pictures that need no encoding. Those of encoded pictures are added to it.
    batch : int, default 8
        Number of pictures to encode at once. Small batches are faster on a CPU, because they fit into its caches.
    on_picture : callable, optional
        Called after each picture.

    Yields
    ------
    hashes : list of str
        SHA-256 hashes of the files of a batch.
    rows : ndarray of shape (len(hashes), encoder.width)
        Their features.
    """
    known = set() if known is None else known
    yield from _encode_reads(
        encoder, _read_ahead(encoder, root, paths, known, 2 * batch), log, known, batch, on_picture
    )


def encode_contents(
    encoder: ImageEncoder, contents: Mapping[str, bytes], log: Log, *, most_pixels: int, batch: int = 8
) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    """Encode pictures that are in memory, and that a stranger may have made; otherwise like `encode_in_batches`.

    Parameters
    ----------
    encoder, log, batch
        As for `encode_in_batches`.
    contents : mapping of str to bytes
        Content of the file of each picture, by its name.
    most_pixels : int
        As for `decode_picture`.
    """
    known: set[str] = set()
    reads = (_prepare(encoder, name, content, known, most_pixels) for name, content in contents.items())
    yield from _encode_reads(encoder, reads, log, known, batch, lambda: None)


def _encode_reads(
    encoder: ImageEncoder,
    reads: Iterable[_Read],
    log: Log,
    known: set[str],
    batch: int,
    on_picture: Callable[[], None],
) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    waiting: list[_Read] = []
    for read in reads:
        if read.reason:
            log.unreadable[read.path] = read.reason
        else:
            log.hashes[read.path] = read.hash
        if read.pixels is None or read.hash in known:
            on_picture()
            continue
        known.add(read.hash)
        waiting.append(read)
        if len(waiting) == batch:
            yield _encode_batch(encoder, waiting)
            for _ in waiting:
                on_picture()
            waiting = []
    if waiting:
        yield _encode_batch(encoder, waiting)
        for _ in waiting:
            on_picture()


def _encode_batch(encoder: ImageEncoder, waiting: list[_Read]) -> tuple[list[str], NDArray[np.float32]]:
    rows = encoder.encode(np.stack([read.pixels for read in waiting if read.pixels is not None]))
    wrong = ~np.isfinite(rows).all(axis=1)
    if wrong.any():
        path = waiting[int(wrong.argmax())].path
        raise InputError(f"encoder {encoder.name} gives {path} features that are not finite: its weights are damaged")
    return [read.hash for read in waiting], rows


def _read_ahead(
    encoder: ImageEncoder, root: Path, paths: Sequence[str], known: set[str], ahead: int
) -> Iterator[_Read]:
    """Read pictures in order, some of them in advance."""
    readers = min(_MOST_READERS, max(1, count_cores() - 1))
    with ThreadPoolExecutor(readers) as pool:
        underway: deque[Future[_Read]] = deque()
        try:
            for path in paths:
                underway.append(pool.submit(_read, encoder, root, path, known))
                if len(underway) > ahead:
                    yield underway.popleft().result()
            while underway:
                yield underway.popleft().result()
        finally:
            for future in underway:
                future.cancel()


def _read(encoder: ImageEncoder, root: Path, path: str, known: set[str]) -> _Read:
    try:
        content = (root / path).read_bytes()
    except Exception as error:
        return _explain_unreadable(path, error)
    return _prepare(encoder, path, content, known)


def _prepare(
    encoder: ImageEncoder, name: str, content: bytes, known: set[str], most_pixels: int | None = None
) -> _Read:
    try:
        hash_ = digest_bytes(content)
        pixels = None if hash_ in known else encoder.preprocess(decode_picture(content, most_pixels))
        return _Read(name, hash_, pixels)
    except InputError:
        raise
    except Exception as error:  # a damaged picture may raise any exception
        return _explain_unreadable(name, error)


def _explain_unreadable(name: str, error: Exception) -> _Read:
    # Pillow names the buffer that it reads from, which does not help the user.
    reason = str(error) if "BytesIO" not in str(error) else "not a picture of a known kind"
    return _Read(name, reason=" ".join(reason.split()) or type(error).__name__)
