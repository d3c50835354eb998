"""Read datasets from files and folders; each format has its own module."""

from unseen.data.formats.detect import FORMATS, Format

__all__ = ["FORMATS", "Format"]
