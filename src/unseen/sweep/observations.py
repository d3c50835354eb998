"""Whether the paper's three observations on omega (Sec. 3.1) hold in a sweep: quality, robustness, eigenvalues."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.sweep.results import SweepResult
from unseen.sweep.settings import Floats
from unseen.utils.tables import Table

# A setting is near the best when its accuracy is at least this share of it.
NEAR_BEST = 0.95

# The settings whose eigenvalues are looked at.
TOP = 100


@dataclass(frozen=True)
class Observation:
    """One of the paper's statements, what was found, and whether it agrees.

    Attributes
    ----------
    name, statement, found : str
    holds : bool or None
        None where the sweep cannot tell, for it has nothing to compare.
    """

    name: str
    statement: str
    found: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """Whether it holds, in words."""
        return {True: "holds", False: "does not hold", None: "cannot be told"}[self.holds]


def groups(result: SweepResult) -> dict[str, NDArray[np.int64]]:
    """Return the rows with a global and with a local optimum, best first.

    As in the paper W is learned freely, and whether H came out positive definite tells the two apart.
    """
    rows = result.rows("free")
    is_global = result.columns["global_optimum"][rows]
    return {"global": rows[is_global], "local": rows[~is_global]}


def observe(result: SweepResult) -> list[Observation]:
    """Check the three observations."""
    parts = groups(result) | {"kept": result.rows("positive-definite")}
    accuracy = {name: result.columns["per_class_accuracy"][rows] for name, rows in parts.items()}
    return [_quality(accuracy), _robustness(accuracy), _eigenvalues(result, parts["global"][:TOP])]


def _quality(accuracy: dict[str, Floats]) -> Observation:
    best = {name: float(values[0]) for name, values in accuracy.items() if len(values)}
    shown = {name: f"{best[name]:.1%}" if name in best else "none" for name in accuracy}
    found = (
        f"best global {shown['global']} ({len(accuracy['global']):,} settings), best local {shown['local']} "
        f"({len(accuracy['local']):,}); W kept positive definite: {shown['kept']}"
    )
    holds = best["global"] > best["local"] if {"global", "local"} <= set(best) else None
    return Observation("quality", "the best global optimum beats the best local one", found, holds)


def _robustness(accuracy: dict[str, Floats]) -> Observation:
    near = {name: int((values >= NEAR_BEST * values.max(initial=0)).sum()) for name, values in accuracy.items()}
    found = (
        f"settings within {1 - NEAR_BEST:.0%} of their best: global {near['global']:,}, local {near['local']:,}; "
        f"kept positive definite: {near['kept']:,}"
    )
    holds = near["global"] > near["local"] if near["global"] and near["local"] else None
    return Observation("robustness", "more settings are near the best among global ones", found, holds)


def _eigenvalues(result: SweepResult, top: NDArray[np.int64]) -> Observation:
    statement = "smallest mostly in (0, 1], largest in (10, 10^6]"
    if not len(top):
        return Observation("eigenvalues", statement, "no setting ended in a global optimum", None)
    smallest, largest = (result.columns[f"{end}_eigenvalue"][top] for end in ("smallest", "largest"))
    low, high = float(np.mean((smallest > 0) & (smallest <= 1))), float(np.mean((largest > 10) & (largest <= 1e6)))
    found = (
        f"of the top {len(top)} global: smallest eigenvalue in (0, 1] {low:.0%}, largest in (10, 10^6] {high:.0%} "
        f"(in (10^3, 10^4] {float(np.mean((largest > 1e3) & (largest <= 1e4))):.0%})"
    )
    return Observation("eigenvalues", statement, found, min(low, high) > 0.5)


def table(result: SweepResult) -> Table:
    """Return the observations as a table."""
    rows = [(o.name, o.statement, o.found, o.verdict) for o in observe(result)]
    scored = {"unseen": "unseen classes (test labels: a study, not a selection)", "held-out": "held-out classes"}
    title = f"The paper's observations on {result.dataset}: accuracy per class on {scored[result.scored_on]}"
    return Table(title, ("observation", "the paper", "here", ""), tuple(rows))
