"""Functions behind the commands, for use from notebooks and programs; they do not print.

- `fit`, `make_model`, `search`: fit a model to data; the `save` method of the result writes a model file.
- `refine`: go on learning from some labelled rows.
- `predict`, `predict_to_file`: predict labels with probabilities, as columns, CSV, JSON or Parquet.
- `explain`, `describe_model`: explain a prediction; describe a model.
- `evaluate`, `report`: measure a model; write a report page about it. `report_bench`: about stored experiments.
- `extract`, `describe_classes`: encode pictures as features, and names or sentences as class descriptions.
- `export`: write a model for other programs.

Data are given by name or path, as for `unseen.data.load_dataset`, or as loaded objects. A model is given by name
("jfa"), as an estimator, or as the path of a model file. Long tasks report their progress to `on_progress`.
"""

from typing import TYPE_CHECKING

from unseen.utils.importing import import_on_use

if TYPE_CHECKING:
    from unseen.workflows.answering.predicting import Predicted, PredictedToFile, predict, predict_to_file
    from unseen.workflows.describing import describe_model
    from unseen.workflows.evaluating import evaluate
    from unseen.workflows.explaining import explain
    from unseen.workflows.exporting import export
    from unseen.workflows.extracting import extract
    from unseen.workflows.fitting import Fitted, fit, open_model
    from unseen.workflows.making import make_model
    from unseen.workflows.refining import Refined, refine
    from unseen.workflows.reporting import report, report_bench, write_report
    from unseen.workflows.searching import search
    from unseen.workflows.texts import describe_classes

__all__ = [
    "Fitted",
    "Predicted",
    "PredictedToFile",
    "Refined",
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
    "predict_to_file",
    "refine",
    "report",
    "report_bench",
    "search",
    "write_report",
]

__getattr__, __dir__ = import_on_use(
    __name__,
    {
        "answering.predicting": ["Predicted", "PredictedToFile", "predict", "predict_to_file"],
        "describing": ["describe_model"],
        "evaluating": ["evaluate"],
        "explaining": ["explain"],
        "exporting": ["export"],
        "extracting": ["extract"],
        "fitting": ["Fitted", "fit", "open_model"],
        "making": ["make_model"],
        "refining": ["Refined", "refine"],
        "reporting": ["report", "report_bench", "write_report"],
        "searching": ["search"],
        "texts": ["describe_classes"],
    },
)
