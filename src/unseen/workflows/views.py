"""Show what workflows return in notebooks."""

from typing import TYPE_CHECKING

from unseen.utils.names import readable_names
from unseen.utils.tables import Cell, Table

if TYPE_CHECKING:
    from unseen.workflows.answering.predicting import Predicted
    from unseen.workflows.fitting import Fitted

# Most rows that are shown.
_ROWS = 8


def view_predicted(found: "Predicted") -> Table:
    """Return a table of the first answers, with readable names."""
    columns = {name: values[:_ROWS] for name, values in found.columns().items()}
    shown: dict[str, list[Cell]] = {}
    for name, values in columns.items():
        if name.startswith("label"):
            names = readable_names(values)
            shown[name] = ["(withheld)" if value is None else text for value, text in zip(values, names, strict=True)]
        elif name.startswith("probability"):
            shown[name] = ["" if value is None else f"{value:.1%}" for value in values]
        else:
            shown[name] = [str(value) for value in values]
    n = len(found.names)
    notes = [f"{len(shown['row'])} of {n:,} rows are shown."] if n > _ROWS else []
    if found.answers.withheld.any():
        notes.append(f"{int(found.answers.withheld.sum()):,} labels are withheld, because none is probable enough.")
    if found.unreadable:
        notes.append(f"{len(found.unreadable):,} pictures could not be read.")
    title = f"{n:,} answers among {found.n_candidates} candidates" + ", as one batch" * found.together
    return Table(title, tuple(shown), tuple(zip(*shown.values(), strict=True)), tuple(notes))


def view_fit(found: "Fitted") -> str:
    """Return the model as a notebook shows it, and what it was learned from and how it was chosen, as HTML."""
    rows: list[tuple[Cell, ...]] = [("data", found.data), ("training rows", f"{found.n_rows:,}")]
    if found.search is not None:
        chosen = ", ".join(f"{name}={value}" for name, value in found.search.best_params.items())
        rows.append(("chosen on held-out seen classes", " ".join(chosen.split())))
    if found.choice is not None:
        rows += [(f"{decision.about}, chosen", decision.chosen) for decision in found.choice.decisions]
    if found.encoder is not None:
        rows.append(("encoder", str(found.encoder.get("name", ""))))
    table = Table("Fitted", ("what", "how"), tuple(rows))
    return f"{found.model._repr_html_()}\n{table.to_html()}"
