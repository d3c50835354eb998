"""Bring a model, rows and candidates together, and answer one block of rows after the other."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

from unseen.confidence.answers import Answers, answer_blocks
from unseen.confidence.coverage import CoverageCurve
from unseen.data.class_table import ClassTable
from unseen.data.rows import FeatureRows
from unseen.files.model_file import ModelFile
from unseen.files.scoring.reading import is_layer, open_to_ask
from unseen.utils.progress import Counter, OnProgress, ignore
from unseen.workflows.inputs.candidates import find_candidates
from unseen.workflows.inputs.rows import find_rows

if TYPE_CHECKING:
    from unseen.workflows.fitting import AnyModel
    from unseen.workflows.inputs.data import Named

    Asked: TypeAlias = Named | FeatureRows | NDArray[Any]


class NamedAnswers(NamedTuple):
    """The names of some rows, and their answers."""

    names: Sequence[Any]
    answers: Answers


@dataclass(frozen=True, eq=False)
class Asking:
    """A model that is about to be asked about rows.

    Attributes
    ----------
    model : estimator or Layer
        Whatever has `predict_proba(X, classes=)`.
    rows : FeatureRows
    candidates : ClassTable
    unreadable : mapping of str to str
        Pictures without a row, and the reasons.
    expected : CoverageCurve or None
        Expected coverage curve of a calibrated model.
    together : bool
        Whether all rows are answered together, as one batch.
    """

    model: Any
    rows: FeatureRows
    candidates: ClassTable
    unreadable: Mapping[str, str] = field(default_factory=dict)
    expected: CoverageCurve | None = None
    together: bool = False

    def answer(self, top: int = 1, abstain: float = 0.0, on_progress: OnProgress = ignore) -> Iterator[NamedAnswers]:
        """Yield the answers of one block of rows after the other.

        Parameters
        ----------
        top : int, default 1
            Number of candidates of each row.
        abstain : float, default 0.0
            Probability below which a label is withheld.
        on_progress : callable, optional
        """
        X, names, first = self.rows.X, self.rows.names, 0
        blocks = answer_blocks(
            partial(self.model.predict_proba, classes=self.candidates),
            X,
            self.candidates.labels,
            top=top,
            abstain=abstain,
            together=self.together,
            on_rows=Counter("recognising", len(X), on_progress),
        )
        for block in blocks:
            end = first + len(block.withheld)
            yield NamedAnswers(names[first:end], block)
            first = end


def prepare_to_ask(
    model: "AnyModel",
    data: "Asked",
    classes: Any = None,
    *,
    features: Any = None,
    label: str | None = None,
    weights: Path | None = None,
    device: str = "cpu",
    batch: int = 8,
    on_progress: OnProgress = ignore,
) -> Asking:
    """Open the model, and find rows and candidates; parameters are those of `unseen.workflows.predict`."""
    file = _open(model)
    candidates = find_candidates(file.model, classes)
    asked = find_rows(
        file, data, features, label=label, weights=weights, device=device, batch=batch, on_progress=on_progress
    )
    expected, together = _find_facts(file.model)
    return Asking(file.model, asked.rows, candidates, asked.unreadable, expected, together)


def _open(model: "AnyModel") -> ModelFile:
    if isinstance(model, str | os.PathLike):
        return open_to_ask(model)
    from unseen.workflows.fitting import open_model

    return open_model(model)


def _find_facts(model: Any) -> tuple[CoverageCurve | None, bool]:
    """Return what to expect of a model, and whether it answers all rows together."""
    if is_layer(model):
        return model.expected, False
    from unseen.models.wrappers.calibrated import calibration_of
    from unseen.utils.wrapping import is_transductive

    calibration = calibration_of(model)
    return None if calibration is None else calibration.curve_, is_transductive(model)
