"""Read JSON files of other programs within limits."""

import json
from pathlib import Path
from typing import Any

from unseen.utils.errors import InputError

# An export of a million pictures has about 500 bytes for each.
LARGEST = 2**30


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; one that is too large, too deep or not JSON is refused with a sentence."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise InputError(f"{path} has {size:,} bytes, more than {LARGEST:,}: export it in parts")
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}): give the file that the program exported"
        ) from error
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError are among them
        raise InputError(f"{path} is not JSON ({_shorten(error)}): export it again as JSON") from error


def _shorten(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
