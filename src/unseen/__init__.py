"""Recognise classes that no training example shows, from a description of each class."""

# Nothing is imported here, not even `typing`: the command cannot say "Stopped" to a Ctrl-C before it is found, and
# `import unseen` does not wait for scikit-learn. Type checkers take this name for True.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from unseen.data import ClassTable, ZeroShotDataset, load_dataset, make_zero_shot
    from unseen.evaluation import evaluate
    from unseen.files import load, register, save
    from unseen.models import JFA, Blend, Calibrated, GaussianJFA
    from unseen.utils.errors import InputError

__version__ = "0.1.0.dev0"

# Imported on first use.
_HOMES = {
    "JFA": "unseen.models",
    "Blend": "unseen.models",
    "Calibrated": "unseen.models",
    "ClassTable": "unseen.data",
    "GaussianJFA": "unseen.models",
    "InputError": "unseen.utils.errors",
    "ZeroShotDataset": "unseen.data",
    "evaluate": "unseen.evaluation",
    "load": "unseen.files",
    "load_dataset": "unseen.data",
    "make_zero_shot": "unseen.data",
    "register": "unseen.files",
    "save": "unseen.files",
}

__all__ = [
    "JFA",
    "Blend",
    "Calibrated",
    "ClassTable",
    "GaussianJFA",
    "InputError",
    "ZeroShotDataset",
    "evaluate",
    "load",
    "load_dataset",
    "make_zero_shot",
    "register",
    "save",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    if name == "studio":  # a package that can be called: unseen.studio(model, data)
        from importlib import import_module

        return import_module("unseen.studio")
    raise AttributeError(f"module 'unseen' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
