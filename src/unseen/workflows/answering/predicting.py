"""Recognise pictures or rows of features among candidate classes."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from unseen.confidence.answers import Answers, join_answers
from unseen.confidence.coverage import CoverageCurve
from unseen.utils.progress import OnProgress, ignore
from unseen.workflows.answering.answer_files import open_answers
from unseen.workflows.answering.answers import AnswerFormat, as_columns, to_csv, to_json
from unseen.workflows.answering.asking import prepare_to_ask

if TYPE_CHECKING:
    from unseen.workflows.answering.asking import Asked
    from unseen.workflows.answering.exchanged import ExchangeFormat
    from unseen.workflows.fitting import AnyModel


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

    def _repr_html_(self) -> str:
        from unseen.workflows.views import view_predicted

        return view_predicted(self).to_html()

    def to_csv(self) -> str:
        """Return the columns as CSV; a withheld label is an empty cell."""
        return to_csv(self.columns())

    def to_json(self) -> str:
        """Return the columns as a JSON list of rows."""
        return to_json(self.columns())

    def write(
        self,
        out: str | os.PathLike[str],
        wanted: "AnswerFormat | ExchangeFormat | None" = None,
        *,
        force: bool = False,
    ) -> None:
        """Write the columns to a CSV, JSON or Parquet file, according to its extension, or as an `ExchangeFormat`."""
        with open_answers(out, self.answers.labels.ravel(), wanted, force=force) as writer:
            writer.write(self.columns())


@dataclass(frozen=True)
class PredictedToFile:
    """What `predict_to_file` did.

    Attributes
    ----------
    n_rows, n_withheld : int
        How many rows were answered, and how many of them with a label that is withheld.
    unreadable, expected, together, n_candidates
        As in `Predicted`.
    calibrated : bool
        Whether the model is calibrated; what to expect is known for plain answers only.
    """

    n_rows: int
    n_withheld: int
    unreadable: Mapping[str, str] = field(default_factory=dict)
    expected: CoverageCurve | None = None
    together: bool = False
    n_candidates: int = 0
    calibrated: bool = False


def predict(
    model: "AnyModel",
    data: "Asked",
    classes: Any = None,
    *,
    top: int = 1,
    abstain: float = 0.0,
    on_progress: OnProgress = ignore,
    **options: Any,
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
    on_progress : callable, optional
    **options
        `groups`, `only`, `sum_groups`, `own_candidates` and `independent`, and how data are read: see
        `unseen.workflows.answering.asking.prepare_to_ask`.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.workflows import fit
    >>> data = load_dataset("digit-pairs")
    >>> found = predict(fit(data, "eszsl"), data.X_test_unseen[:2], data.unseen_table, top=3)
    >>> list(found.columns())
    ['row', 'label', 'probability', 'label_2', 'probability_2', 'label_3', 'probability_3']
    """
    asking = prepare_to_ask(model, data, classes, on_progress=on_progress, **options)
    found = join_answers([answers for _, answers in asking.answer(top, abstain, on_progress)])
    return Predicted(asking.rows.names, found, asking.unreadable, asking.expected, asking.together, asking.n_candidates)


def predict_to_file(
    model: "AnyModel",
    data: "Asked",
    out: str | os.PathLike[str] | IO[str],
    classes: Any = None,
    *,
    top: int = 1,
    abstain: float = 0.0,
    wanted: "AnswerFormat | ExchangeFormat | None" = None,
    force: bool = False,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> PredictedToFile:
    """Recognise rows and write the answers as they come, so that any number of rows takes the same memory.

    A file appears completely or not at all, even if the process is stopped. A refined model needs all rows at once.

    Parameters
    ----------
    model, data, classes, top, abstain, on_progress, **options
        As for `predict`; rows of a memory-mapped file (`.npy`, or HDF5 that is neither compressed nor chunked) are
        read block by block.
    out : path-like or text file
        The file to write, or an open text file, which gets CSV or JSON.
    wanted : "csv", "json", "parquet" or ExchangeFormat, optional
        By default what the extension of the file says, or CSV.
    force : bool, default False
        Whether to replace an existing file.
    """
    asking = prepare_to_ask(model, data, classes, on_progress=on_progress, **options)
    n_withheld = 0
    with open_answers(out, asking.labels, wanted, force=force) as writer:
        for names, answers in asking.answer(top, abstain, on_progress):
            writer.write(as_columns(names, answers))
            n_withheld += int(answers.withheld.sum())
    return PredictedToFile(
        len(asking.rows.X),
        n_withheld,
        asking.unreadable,
        asking.expected,
        asking.together,
        asking.n_candidates,
        asking.calibrated,
    )
