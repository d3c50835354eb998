"""Write and read the container of a model file: safetensors, a JSON header, and a checksum over both."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError

Arrays = dict[str, NDArray[Any]]

# Increased whenever earlier versions could misread a file of this one.
FORMAT = 1

# Key of the header in the safetensors metadata, and key of the checksum in the header.
_HEADER, _CHECKSUM = "unseen", "sha256"


def write_container(path: Path, header: dict[str, Any], arrays: Arrays) -> None:
    """Write the arrays together with the header and the format version."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        save_file(arrays, path, metadata={_HEADER: sign_header({"format": FORMAT} | header, arrays)})
    except SafetensorError as error:  # which is what it makes of a full disk
        raise InputError(
            f"the model cannot be written ({_take_first_line(error)}): make room, or choose another place; nothing "
            "was changed"
        ) from error


def pack_container(header: dict[str, Any], arrays: Arrays) -> bytes:
    """Return what `write_container` would write."""
    from safetensors.numpy import save

    return bytes(save(arrays, metadata={_HEADER: sign_header({"format": FORMAT} | header, arrays)}))


def sign_header(header: dict[str, Any], arrays: Arrays) -> str:
    """Return the text of the header, with a checksum over itself and the arrays."""
    return json.dumps(header | {_CHECKSUM: _compute_checksum(header, arrays)}, allow_nan=False)


def read_container(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Read header and arrays, or raise an error that says what is wrong with the file.

    Arrays are copied into memory, so that the file may change or be deleted afterwards.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise InputError(f"{path} is not a file: give a model file, as unseen.save and `unseen fit` write it")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            # Copied, to get the alignment of NumPy's own arrays.
            arrays = {name: np.array(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except (SafetensorError, ValueError, TypeError, OSError, KeyError, AttributeError) as error:
        # Attribute and type errors come from arrays in precisions that NumPy does not have.
        raise InputError(
            f"{path} is not a model file, or is truncated or damaged ({_take_first_line(error)}): make it again"
        ) from error
    if _HEADER not in metadata:
        raise InputError(f"{path} is a safetensors file, but not a model file of unseen: give one that unseen wrote")
    header = _parse_header(metadata[_HEADER], path)
    if header.pop(_CHECKSUM, None) != _compute_checksum(header, arrays):
        raise InputError(f"{path} was changed or damaged after it was written (its checksum differs): make it again")
    return header, arrays


def _parse_header(text: str, path: Path) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} has a damaged header ({_take_first_line(error)}): make it again") from error
    version = header.get("format") if isinstance(header, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InputError(f"{path} has a header without a format version: give a model file that unseen wrote")
    if version > FORMAT:
        # Checked before the checksum, which a later format may compute differently.
        raise InputError(
            f"{path} was written by a newer unseen (file format {version}, this version reads up to {FORMAT}): "
            "upgrade unseen"
        )
    return dict(header)


def _compute_checksum(header: dict[str, Any], arrays: Arrays) -> str:
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        # As bytes, because not every precision supports the buffer protocol.
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data if array.size else b"")
    return digest.hexdigest()


def _take_first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
