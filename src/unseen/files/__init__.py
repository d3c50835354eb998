"""Save models to files and load them, without running anything from the file."""

from typing import TYPE_CHECKING

from unseen.utils.importing import import_on_use

if TYPE_CHECKING:
    from unseen.files.loading import load, read_model_file
    from unseen.files.model_file import ModelFile
    from unseen.files.registration import register
    from unseen.files.saving import save, to_bytes

__all__ = ["ModelFile", "load", "read_model_file", "register", "save", "to_bytes"]

__getattr__, __dir__ = import_on_use(
    __name__,
    {
        "loading": ["load", "read_model_file"],
        "model_file": ["ModelFile"],
        "registration": ["register"],
        "saving": ["save", "to_bytes"],
    },
)
