"""Compute digests of files, which tell whether a file is still as it was written."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path


def digest_bytes(content: bytes) -> str:
    """Return the SHA-256 of some bytes in hexadecimal.

    >>> digest_bytes(b"")[:12]
    'e3b0c44298fc'
    """
    return hashlib.sha256(content).hexdigest()


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal, without reading it all into memory."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_digested(path: Path, parts: Iterable[bytes | memoryview]) -> str:
    """Write a file part by part, wait until it is on the disk, and return the digest of its content.

    The digest is computed from memory, not from the file, so that a disk error is noticed when the file is read.
    """
    found = hashlib.sha256()
    with open(path, "wb") as file:
        for part in parts:
            found.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    return found.hexdigest()
