"""Models in files: one file each, which loads without running anything."""

from unseen.files.model_file import ModelFile, load, read_model_file, save
from unseen.files.registration import register

__all__ = ["ModelFile", "load", "read_model_file", "register", "save"]
