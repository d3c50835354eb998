"""Functions behind the commands, for use from notebooks and programs; they do not print.

- `fit`, `make_model`, `search`: fit a model to data; the `save` method of the result writes a model file.
- `predict`: predict labels with probabilities, as columns, CSV, JSON or Parquet.
- `explain`, `describe_model`: explain a prediction; describe a model.
- `evaluate`, `report`: measure a model; write a report page about it. `report_bench`: about stored experiments.
- `extract`, `describe_classes`: encode pictures as features, and names or sentences as class descriptions.
- `export`: write a model for other programs.

Data are given by name or path, as for `unseen.data.load_dataset`, or as loaded objects. A model is given by name
("jfa"), as an estimator, or as the path of a model file. Long tasks report their progress to `on_progress`.
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
    from unseen.workflows.reporting import report, report_bench, write_report
    from unseen.workflows.searching import search
    from unseen.workflows.texts import describe_classes

# Imported on first use, so that a command waits only for what it needs.
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
    "report_bench": "reporting",
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
    "report_bench",
    "search",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"unseen.workflows.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'unseen.workflows' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
