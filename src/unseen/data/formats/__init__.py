"""Files and folders that hold a dataset: one file per format, and which of them a path is."""

from unseen.data.formats.detect import FORMATS, Format

__all__ = ["FORMATS", "Format"]
