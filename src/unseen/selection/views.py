"""Show fitted models and searches in notebooks."""

from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.utils.names import readable_names
from unseen.utils.tables import Cell, Measure, Table

if TYPE_CHECKING:
    from unseen.selection.results import Selection

# Most classes that are named, and most points of a grid that are shown.
_CLASSES, _POINTS = 5, 8


def view_fitted(model: Any) -> Table | None:
    """Return a table of what a model has learned from, or None if it is not fitted."""
    seen, table = getattr(model, "classes_", None), getattr(model, "table_", None)
    if seen is None or table is None:
        return None
    known = set(seen.tolist())
    others = [label for label in table if label not in known]
    rows: list[tuple[Cell, ...]] = [
        ("learned", f"{len(seen)} classes: {_name(seen.tolist())}"),
        ("described, not learned", f"{len(others)} classes: {_name(others)}" if others else "none"),
        ("descriptions", f"{table.width} numbers for each class"),
        ("features", f"{model.n_features_in_}"),
    ]
    held_out = getattr(model, "held_out_", None)
    if held_out is not None and held_out.is_estimate:
        found = (
            f"{held_out.accuracy:.1%} right ({held_out.low:.1%} to {held_out.high:.1%}) among {held_out.n_candidates}"
        )
        rows.append(("held-out classes", found))
    return Table(f"{type(model).__name__}, fitted", ("what", "how much"), tuple(rows))


def view_selection(found: "Selection") -> Table:
    """Return a table of the best points of a grid, the best first; those that a halving left behind come last."""
    names = [name for name in found.results if name.startswith("param_")]
    scores, spreads = (100 * np.asarray(found.results[f"{kind}_test_score"]) for kind in ("mean", "std"))
    order = np.argsort(found.results["rank_test_score"], kind="stable")[:_POINTS]
    rows: list[tuple[Cell, ...]] = [
        (
            *(" ".join(str(found.results[name][at]).split()) for name in names),
            Measure(float(scores[at]), float(spreads[at])),
            "chosen" if at == found.best_index else "",
        )
        for at in order.tolist()
    ]
    columns = (*(name.removeprefix("param_") for name in names), "score (%)", "")
    notes = ["Mean ± standard deviation over splits of held-out seen classes."]
    if len(scores) > len(order):
        notes.append(f"{len(order)} of {len(scores)} points are shown.")
    return Table(f"Search over {len(scores)} points", columns, tuple(rows), tuple(notes))


def _name(labels: list[Any]) -> str:
    more = f" and {len(labels) - _CLASSES} more" if len(labels) > _CLASSES else ""
    return ", ".join(readable_names(labels[:_CLASSES])) + more
