"""Models in files: one file each, which loads without running anything."""

from unseen.files.model_file import ModelFile, load, read_model_file, save
from unseen.files.writing import new_file, refuse_existing

__all__ = ["ModelFile", "load", "new_file", "read_model_file", "refuse_existing", "save"]
