"""Models in files: one file each, which loads without running anything."""

from unseen.files.model_file import ModelFile, load, read_model_file, save

__all__ = ["ModelFile", "load", "read_model_file", "save"]
