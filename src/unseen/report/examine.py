"""Measure everything that a report shows about a fitted model on a dataset."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unseen.confidence import CoverageCurve
from unseen.data import ZeroShotDataset
from unseen.evaluation import EvaluationResult, ResultTable, evaluate
from unseen.evaluation.protocol import evaluate_fitted, name_of
from unseen.models.wrappers.calibrated import calibration_of
from unseen.report.figures.adaptation import adaptation_figure, adapts
from unseen.report.figures.confusion import confusion_figure
from unseen.report.figures.curves import coverage_figure, seen_unseen_figure
from unseen.report.figures.drawn import Drawn
from unseen.report.figures.per_class import per_class_figure
from unseen.report.pictures import Pictures
from unseen.report.retrieval import Retrieved, retrieve
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError, shorten
from unseen.utils.wrapping import is_transductive

# Called with what is being done, for a progress display.
Watch = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Report:
    """The content of a report page.

    Attributes
    ----------
    name : str
        Name of the model.
    dataset : ZeroShotDataset
    results : mapping of str to sequence of EvaluationResult
        Results by setting; the model of the report comes first.
    figures : sequence of Drawn
    retrieved : sequence of Retrieved
        Images found for each class; empty if the pictures are not known.
    pictures : Pictures or None
    coverage : CoverageCurve or None
        Coverage curve of a calibrated model, measured on unseen classes.
    facts : mapping of str to str
        Readable facts about the model: parameters, preparation, versions.
    notes : sequence of str
        Notes on what is not on the page, and why.
    command : str
        Command that made the page.
    """

    name: str
    dataset: ZeroShotDataset
    results: Mapping[str, Sequence[EvaluationResult]]
    figures: Sequence[Drawn]
    retrieved: Sequence[Retrieved] = ()
    pictures: Pictures | None = None
    coverage: CoverageCurve | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    command: str = ""

    def _repr_html_(self) -> str:
        return "\n".join(ResultTable(results).to_html() for results in self.results.values())

    @property
    def among_unseen(self) -> Sequence[EvaluationResult]:
        """The results of the first setting, whose candidates are the unseen classes."""
        return next(iter(self.results.values()))


def examine(
    model: Any,
    dataset: ZeroShotDataset,
    methods: Sequence[Any] = (),
    *,
    own: Any = None,
    trials: int = 1,
    random_state: int = 0,
    pictures: Pictures | None = None,
    facts: Mapping[str, str] | None = None,
    command: str = "",
    watch: Watch = lambda doing: None,
) -> Report:
    """Measure a fitted model and other methods for comparison, and draw all figures that apply.

    Parameters
    ----------
    model : estimator
        A model fitted only on the seen classes of the dataset. A `Calibrated` model gets a coverage curve. A
        transductive model (`unseen.transduction`) is measured in the transductive settings.
    dataset : ZeroShotDataset
    methods : sequence of estimators
        Unfitted models to fit and measure in the same settings; transductive if the model is.
    own : estimator, optional
        The unfitted model, if it should be fitted and measured in trials too; by default the fitted model is measured.
    trials : int, default 1
        Number of trials of each unfitted model.
    random_state : int, default 0
        Random seed, from which the seeds of trials and t-SNE maps are drawn.
    pictures, facts, command
        As for `Report`.
    watch : callable, optional
        Function called with what is being done.
    """
    _refuse_twice([model, *methods])
    learned = [*methods] if own is None else [own, *methods]
    results: dict[str, list[EvaluationResult]] = {}
    for setting in _choose_settings(model, dataset):
        results[setting] = [] if own is not None else [evaluate_fitted(model, dataset, setting)]
        for method in learned:
            watch(f"measuring {name_of(method)}, {setting} setting")
            results[setting].append(evaluate(method, dataset, setting, trials=trials, random_state=random_state))
    coverage = _measure_coverage(model, dataset)
    watch("drawing")
    return Report(
        name=name_of(model),
        dataset=dataset,
        results=results,
        figures=_draw_figures(model, dataset, results, coverage, random_state),
        retrieved=[] if pictures is None else retrieve(model, dataset),
        pictures=pictures,
        coverage=coverage,
        facts=facts or {},
        notes=_write_notes(model, dataset, pictures),
        command=command,
    )


def _choose_settings(model: Any, dataset: ZeroShotDataset) -> list[str]:
    settings = ["transductive", "transductive-generalized"] if is_transductive(model) else ["standard", "generalized"]
    return settings if len(dataset.test_seen) else settings[:1]


def _draw_figures(
    model: Any,
    dataset: ZeroShotDataset,
    results: Mapping[str, Sequence[EvaluationResult]],
    coverage: CoverageCurve | None,
    random_state: int,
) -> list[Drawn]:
    """Draw all figures that apply to the model and the data."""
    figures = [adaptation_figure(model, dataset, random_state=random_state)] if adapts(model) else []
    among_unseen = next(iter(results.values()))
    figures += [per_class_figure(among_unseen), confusion_figure(among_unseen[0])]
    if "generalized" in results:
        figures.append(seen_unseen_figure(results["generalized"]))
    calibration = calibration_of(model)
    if calibration is not None:
        figures.append(coverage_figure(calibration.curve_, coverage))
    return figures


def _write_notes(model: Any, dataset: ZeroShotDataset, pictures: Pictures | None) -> list[str]:
    """Note what cannot be shown, and why."""
    notes = {
        "No generalized setting: the data have no test images of seen classes.": len(dataset.test_seen) > 0,
        "No seen-unseen curve: answers to a whole batch have no constant to vary.": not is_transductive(model),
        f"No t-SNE maps of adapted features: {name_of(model)} adapts none.": adapts(model),
        "No coverage curve: the model is not calibrated.": calibration_of(model) is not None,
        "No retrieved pictures: the pictures behind the features are not known.": pictures is not None,
    }
    return [note for note, shown in notes.items() if not shown]


def _refuse_twice(models: Sequence[Any]) -> None:
    names = [name_of(model) for model in models]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"methods has {shorten(twice)} twice, or as the model itself: give each method once")


def _measure_coverage(model: Any, dataset: ZeroShotDataset) -> CoverageCurve | None:
    if calibration_of(model) is None:
        return None
    table = dataset.unseen_table
    probabilities = to_numpy(model.predict_proba(dataset.X_test_unseen, classes=table))
    correct = np.asarray(table.labels[probabilities.argmax(axis=1)] == dataset.y_test_unseen)
    return CoverageCurve.of(probabilities.max(axis=1), correct, len(table))
