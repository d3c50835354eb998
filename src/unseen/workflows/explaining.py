"""Explain by attributes how well a row of features matches a class."""

import os
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from unseen.data import ClassTable, FeatureRows
from unseen.data.tables.names import match_labels
from unseen.report.explain import Explanation
from unseen.report.explain import explain as explain_row
from unseen.report.figures.explanation import draw
from unseen.utils.errors import InputError
from unseen.utils.figures import check_figure, write_figure
from unseen.utils.progress import OnProgress, ignore
from unseen.utils.registry import did_you_mean
from unseen.utils.tables import Table
from unseen.utils.wrapping import is_transductive
from unseen.workflows.fitting import AnyModel, open_model
from unseen.workflows.inputs.candidates import find_candidates
from unseen.workflows.inputs.data import Named
from unseen.workflows.inputs.rows import find_rows


def explain(
    model: AnyModel,
    data: Named | FeatureRows | NDArray[Any],
    row: int | str = 0,
    label: Any = None,
    classes: Any = None,
    *,
    features: Any = None,
    label_column: str | None = None,
    weights: Path | None = None,
    device: str = "cpu",
    batch: int = 8,
    on_progress: OnProgress = ignore,
) -> Explanation:
    """Explain by attributes how well one row matches a class.

    Parameters
    ----------
    model : path-like, ModelFile, Fitted or fitted estimator
    data : str, path-like, FeatureRows or ndarray of shape (n, d)
        Rows, as for `predict`.
    row : int or str, default 0
        Row to explain: its number from 0, or its name.
    label : str or label, optional
        Class to explain, in any spelling; by default the best candidate.
    classes : optional
        The candidates, as for `predict`; by default all that the model knows.
    features, weights, device, batch
        As for `predict`.
    label_column : str, optional
        Column of labels in a table of features, which is ignored.
    on_progress : callable, optional

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.workflows import fit
    >>> data = load_dataset("digit-pairs")
    >>> explain(fit(data, "eszsl", calibrate=False), data.X_test_unseen, row=3, label="08").kind
    'contribution'
    """
    file = open_model(model)
    table = file.model.table_ if classes is None else find_candidates(file.model, classes)
    rows = find_rows(
        file, data, features, label=label_column, weights=weights, device=device, batch=batch, on_progress=on_progress
    ).rows
    at = _find_row(str(row), rows.names)
    chosen = _predict_best(file.model, rows.X, at, table) if label is None else _find_label(label, table)
    return explain_row(file.model, rows.X[at], chosen, classes=table)


def tabulate_explanation(found: Explanation, top: int = 15) -> Table:
    """Return the strongest attributes of an explanation as a table, with a note on how to read it."""
    rows = found.rows(top)
    cells = tuple(tuple(_format_cell(value) for value in row.values()) for row in rows)
    return Table(f"{found.label}, {found.model}", tuple(rows[0]), cells, (_write_note(found),))


def write_explanation(
    found: Explanation, out: str | os.PathLike[str], *, top: int = 15, title: str | None = None, force: bool = False
) -> None:
    """Draw an explanation as a bar chart and write it to a .png, .svg or .pdf file."""
    check_figure(out, force=force)
    write_figure(draw(found, top, title or f"{found.label}: {found.effect_name}"), out, force=force)


def _predict_best(model: Any, X: NDArray[Any], at: int, table: ClassTable) -> Any:
    """Return the best candidate of one row; a transductive model predicts it together with all other rows."""
    if is_transductive(model):
        return model.predict(X, classes=table)[at]
    return model.predict(X[at : at + 1], classes=table)[0]


def _find_row(row: str, names: Any) -> int:
    written = [str(name) for name in names]
    if row in written:
        return written.index(row)
    if row.isdecimal() and int(row) < len(written):
        return int(row)
    raise InputError(
        f"row={row} is not one of the {len(written)} rows{did_you_mean([row], written)}: give a number from 0 to "
        f"{len(written) - 1} or the name of a row"
    )


def _find_label(label: Any, table: ClassTable) -> Any:
    return label if label in table else match_labels([label], list(table), "the class")[label]


def _format_cell(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:+.4g}"


def _write_note(found: Explanation) -> str:
    if found.kind == "displacement":
        return (
            "Adapted: the description that fits this image best (z_s). Moved by the image: how much of the difference "
            "is due to this image rather than to any image."
        )
    return f"{found.model} does not move descriptions. Shown is how much each attribute adds to the score of the class."
