"""Recognise pictures or rows of features among candidate classes."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from unseen.confidence import Answers, CoverageCurve, answers
from unseen.data import FeatureRows
from unseen.models.wrappers.calibrated import calibration_of
from unseen.utils.devices import find_device
from unseen.utils.progress import Counter, OnProgress, ignore
from unseen.utils.wrapping import is_transductive
from unseen.workflows.answers import AnswerFormat, as_columns, to_csv, to_json, write_columns
from unseen.workflows.fitting import AnyModel, open_model
from unseen.workflows.inputs.candidates import find_candidates
from unseen.workflows.inputs.data import Named
from unseen.workflows.inputs.rows import find_rows


@dataclass(frozen=True, eq=False)
class Predicted:
    """The predictions of a model for some rows.

    Attributes
    ----------
    names : sequence of length n
        Name of each row: its own name, its picture, or its number from 0.
    answers : Answers
        Labels and probabilities, of shape (n, top), and which labels are withheld.
    unreadable : mapping of str to str
        Pictures without a row, and the reasons.
    expected : CoverageCurve or None
        Expected coverage curve of a calibrated model.
    together : bool
        Whether all rows were answered together, as one batch.
    n_candidates : int
        How many candidates there were to choose from.
    """

    names: Sequence[Any]
    answers: Answers
    unreadable: Mapping[str, str] = field(default_factory=dict)
    expected: CoverageCurve | None = None
    together: bool = False
    n_candidates: int = 0

    @property
    def labels(self) -> list[Any]:
        """The best label of each row, or None if it is withheld."""
        return self.answers.best()

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns row, label and probability, then label_2, probability_2 and so on."""
        return as_columns(self.names, self.answers)

    def to_csv(self) -> str:
        """Return the columns as CSV; a withheld label is an empty cell."""
        return to_csv(self.columns())

    def to_json(self) -> str:
        """Return the columns as a JSON list of rows."""
        return to_json(self.columns())

    def write(self, out: str | os.PathLike[str], wanted: AnswerFormat | None = None, *, force: bool = False) -> None:
        """Write the columns to a CSV, JSON or Parquet file, according to its extension."""
        write_columns(self.columns(), out, wanted, force=force)


def predict(
    model: AnyModel,
    data: Named | FeatureRows | NDArray[Any],
    classes: Any = None,
    *,
    top: int = 1,
    abstain: float = 0.0,
    features: Any = None,
    label: str | None = None,
    weights: Path | None = None,
    device: str = "cpu",
    batch: int = 8,
    on_progress: OnProgress = ignore,
) -> Predicted:
    """Recognise rows of features or pictures among candidate classes, seen or unseen.

    Parameters
    ----------
    model : path-like, ModelFile, Fitted or fitted estimator
        The fitted model; a transductive model answers all rows together.
    data : str, path-like, FeatureRows or ndarray of shape (n, d)
        Pictures, or features in any form that `unseen.data.load_rows` reads.
    classes : path-like, ClassTable, data frame, mapping or sequence of labels, optional
        The candidates; by default the classes seen in training. A path names a CSV file of class descriptions, or a
        .txt list of classes that the model knows.
    top : int, default 1
        Number of candidates to return for each row.
    abstain : float, default 0.0
        Probability below which a label is withheld.
    features, label
        As for `unseen.data.load_rows`.
    weights, batch
        For pictures: the encoder's weights if they have moved, and the number of pictures encoded at once.
    device : str, default "cpu"
        Where the model works and, for pictures, the encoder. Any other than "cpu" is a device of PyTorch, to which the
        rows are sent.
    on_progress : callable, optional

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.workflows import fit
    >>> data = load_dataset("digit-pairs")
    >>> found = predict(fit(data, "eszsl"), data.X_test_unseen[:2], data.unseen_table, top=3)
    >>> list(found.columns())
    ['row', 'label', 'probability', 'label_2', 'probability_2', 'label_3', 'probability_3']
    """
    file = open_model(model)
    elsewhere = None if device == "cpu" else device
    if elsewhere is not None:
        find_device(elsewhere)
    candidates = find_candidates(file.model, classes)
    asked = find_rows(
        file, data, features, label=label, weights=weights, device=device, batch=batch, on_progress=on_progress
    )
    found = answers(
        file.model,
        asked.rows.send_to(elsewhere).X,
        candidates,
        top=top,
        abstain=abstain,
        on_rows=Counter("recognising", len(asked.rows.names), on_progress),
    )
    calibration = calibration_of(file.model)
    expected = None if calibration is None else calibration.curve_
    together = is_transductive(file.model)
    return Predicted(asked.rows.names, found, asked.unreadable, expected, together, len(candidates))
