"""What the commands do, for notebooks, pages and the command line alike: nothing here prints.

- `fit`, `make_model`, `search`: from data to a fitted model, which its `save` writes to a file.
- `predict`: labels with probabilities, as columns, CSV, JSON or Parquet.
- `explain`, `describe_model`: why this class; what a model is made of.
- `evaluate`, `report`: how good it is; one page to look at.
- `extract`, `describe_classes`: pictures as features; names and sentences as class descriptions.
- `export`: a model for other programs.

Data are named as for `unseen.data.load_dataset`, or given as they were loaded. A model is named ("jfa"), given as an
estimator, or is the path of a model file. Long work tells how far it is through `on_progress`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unseen.workflows.describing import describe_model
    from unseen.workflows.evaluating import evaluate
    from unseen.workflows.explaining import explain
    from unseen.workflows.exporting import export
    from unseen.workflows.extracting import extract
    from unseen.workflows.fitting import Fitted, fit, open_model
    from unseen.workflows.making import make_model
    from unseen.workflows.predicting import Predicted, predict
    from unseen.workflows.reporting import report, write_report
    from unseen.workflows.searching import search
    from unseen.workflows.texts import describe_classes

# Found on first use, so that a command waits only for what it needs.
_HOMES = {
    "Fitted": "fitting",
    "Predicted": "predicting",
    "describe_classes": "texts",
    "describe_model": "describing",
    "evaluate": "evaluating",
    "explain": "explaining",
    "export": "exporting",
    "extract": "extracting",
    "fit": "fitting",
    "make_model": "making",
    "open_model": "fitting",
    "predict": "predicting",
    "report": "reporting",
    "search": "searching",
    "write_report": "reporting",
}

__all__ = [
    "Fitted",
    "Predicted",
    "describe_classes",
    "describe_model",
    "evaluate",
    "explain",
    "export",
    "extract",
    "fit",
    "make_model",
    "open_model",
    "predict",
    "report",
    "search",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"unseen.workflows.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'unseen.workflows' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
