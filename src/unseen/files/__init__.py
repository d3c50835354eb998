"""Save models to files and load them, without running anything from the file."""

from unseen.files.model_file import ModelFile, load, read_model_file, save, to_bytes
from unseen.files.registration import register

__all__ = ["ModelFile", "load", "read_model_file", "register", "save", "to_bytes"]
