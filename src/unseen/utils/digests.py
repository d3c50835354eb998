"""Digests of files, to tell whether what is read is what was written."""

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
    """Return the SHA-256 of a file in hexadecimal, reading a little at a time."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_digested(path: Path, parts: Iterable[bytes | memoryview]) -> str:
    """Write a file part by part until it is on the disk, and return the digest of what was meant to be written.

    Taken from memory, not from the file, so that a fault of the disk shows when the file is read.
    """
    found = hashlib.sha256()
    with open(path, "wb") as file:
        for part in parts:
            found.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    return found.hexdigest()
