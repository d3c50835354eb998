"""Whether the paper's three observations on omega (Sec. 3.1) hold in a sweep: quality, robustness, eigenvalues."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.sweep.results import SweepResult
from unseen.utils.tables import Table

# A setting is near the best when its accuracy is at least this share of it.
NEAR_BEST = 0.95

# The settings whose eigenvalues are looked at.
TOP = 100


@dataclass(frozen=True)
class Observation:
    """One of the paper's statements, what was found, and whether it agrees."""

    name: str
    statement: str
    found: str
    holds: bool


def groups(result: SweepResult) -> dict[str, NDArray[np.int64]]:
    """Return the rows with a global and with a local optimum, best first.

    As in the paper W is learned freely, and whether H came out positive definite tells the two apart.
    """
    rows = result.rows("free")
    is_global = result.columns["global_optimum"][rows]
    return {"global": rows[is_global], "local": rows[~is_global]}


def observe(result: SweepResult) -> list[Observation]:
    """Check the three observations."""
    parts, kept = groups(result), result.rows("positive-definite")
    accuracy = {name: result.columns["per_class_accuracy"][rows] for name, rows in parts.items()}
    accuracy["kept"] = result.columns["per_class_accuracy"][kept]
    best = {name: float(values[0]) if len(values) else 0.0 for name, values in accuracy.items()}
    near = {name: int((values >= NEAR_BEST * best[name]).sum()) for name, values in accuracy.items()}
    top = parts["global"][:TOP]
    smallest, largest = (result.columns[f"{end}_eigenvalue"][top] for end in ("smallest", "largest"))
    quality = (
        f"best global {best['global']:.1%} ({len(parts['global']):,} settings), best local {best['local']:.1%} "
        f"({len(parts['local']):,}); W kept positive definite: {best['kept']:.1%}"
    )
    robust = (
        f"settings within {1 - NEAR_BEST:.0%} of their best: global {near['global']:,}, local {near['local']:,}; "
        f"kept positive definite: {near['kept']:,}"
    )
    low, high = float(np.mean((smallest > 0) & (smallest <= 1))), float(np.mean((largest > 10) & (largest <= 1e6)))
    eigen = (
        f"of the top {len(top)} global: smallest eigenvalue in (0, 1] {low:.0%}, largest in (10, 10^6] {high:.0%} "
        f"(in (10^3, 10^4] {float(np.mean((largest > 1e3) & (largest <= 1e4))):.0%})"
    )
    better, wider = best["global"] > best["local"], near["global"] > near["local"]
    return [
        Observation("quality", "the best global optimum beats the best local one", quality, better),
        Observation("robustness", "more settings are near the best among global ones", robust, wider),
        Observation("eigenvalues", "smallest mostly in (0, 1], largest in (10, 10^6]", eigen, min(low, high) > 0.5),
    ]


def table(result: SweepResult) -> Table:
    """Return the observations as a table."""
    rows = [(o.name, o.statement, o.found, "holds" if o.holds else "does not hold") for o in observe(result)]
    scored = {"unseen": "unseen classes (test labels: a study, not a selection)", "held-out": "held-out classes"}
    title = f"The paper's observations on {result.dataset}: accuracy per class on {scored[result.scored_on]}"
    return Table(title, ("observation", "the paper", "here", ""), tuple(rows))
