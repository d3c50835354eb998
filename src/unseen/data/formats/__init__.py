"""Read datasets and features from files and folders, one module for each format."""

from typing import TYPE_CHECKING

from unseen.utils.importing import import_on_use

if TYPE_CHECKING:
    from unseen.data.formats.detect import FORMATS, Format

__all__ = ["FORMATS", "Format"]

__getattr__, __dir__ = import_on_use(__name__, {"detect": ["FORMATS", "Format"]})
