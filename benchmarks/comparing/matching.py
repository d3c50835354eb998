"""Pair what two revisions measure."""

import sys

from benchmarks.comparing.measuring import Runs
from benchmarks.comparing.rule import Comparison
from benchmarks.tools.ratios import Row

# A quantity goes by the benchmark, the name of its row and that of its floor.
Quantity = tuple[str, str, str]


def match(base: Runs, now: Runs) -> dict[Quantity, Comparison]:
    """Pair the quantities that both revisions measure; say which only one of them does."""
    before, after = gather(base), gather(now)
    for quantity in before.keys() ^ after.keys():
        where = "base" if quantity in before else "the working tree"
        print(f"only {where} measures {': '.join(quantity[:2])}, against {quantity[2]}", file=sys.stderr)
    return {
        quantity: Comparison(rows[0], [row.compared for row in before[quantity]], [row.compared for row in rows])
        for quantity, rows in after.items()
        if quantity in before
    }


def gather(runs: Runs) -> dict[Quantity, list[Row]]:
    """List the rows of each quantity over the repeats."""
    rows: dict[Quantity, list[Row]] = {}
    for name, repeats in runs.items():
        for row in (row for repeat in repeats for row in repeat):
            rows.setdefault((name, row.name, row.floor_name), []).append(row)
    return rows
