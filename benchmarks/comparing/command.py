"""Compare the speed of the working tree, as it is, with that of another revision.

The quick benchmarks run on both, each in a process of its own, in turn (base, now, base, now, ...), so that a busy
machine hurts both alike. Each revision brings its own benchmarks; quantities go by their names. The exit status is 1 if
anything got slower or larger.
"""

import signal
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.comparing.matching import Quantity, match
from benchmarks.comparing.measuring import QUICK, measure
from benchmarks.comparing.repository import Repository
from benchmarks.comparing.rule import ENOUGH_REPEATS, RULE, Comparison
from unseen.utils.errors import InputError
from unseen.utils.validation import check_whole_number

ROOT = Path(__file__).parents[2]


def main(arguments: list[str]) -> None:
    options = parse(arguments)
    # What `kill` and schedulers send ends the comparison as Ctrl-C does: with its checkout removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        comparisons = compare(options)
    except KeyboardInterrupt:
        print("Stopped; the checkout of base is removed.", file=sys.stderr)
        sys.exit(130)
    worse = [comparison for comparison in comparisons if comparison.worse]
    print(RULE)
    print(f"{len(worse)} of {len(comparisons)} quantities got slower or larger.")
    sys.exit(1 if worse else 0)


def parse(arguments: list[str]) -> Namespace:
    parser = ArgumentParser(
        prog="python -m benchmarks compare",
        description=f"{__doc__}\n{RULE}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("base", metavar="BASE", help="revision to compare with: a commit, a branch or a tag")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=list(QUICK), help=f"some of {', '.join(QUICK)}")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each benchmark on each revision (default: 5)")
    parser.add_argument("--small", action="store_true", help="tiny sizes, to check that everything runs")
    options = parser.parse_args(arguments)
    options.only = list(dict.fromkeys(QUICK.find_key(name, "only") for name in options.only))
    check_whole_number(options.repeats, "repeats", 1)
    return options


def compare(options: Namespace) -> list[Comparison]:
    """Measure both revisions and show what changed."""
    repository = Repository(ROOT)
    commit = repository.find(options.base)
    repository.require(Path(__file__).relative_to(ROOT).as_posix(), commit)
    if options.repeats < ENOUGH_REPEATS:
        print(f"With fewer than {ENOUGH_REPEATS} repeats nothing can be told from the noise.", file=sys.stderr)
    for tree in repository.list_checkouts():
        print(
            f"{tree} is the checkout of another comparison, which is running or was killed; "
            f"if it was killed: git worktree remove --force {tree}",
            file=sys.stderr,
        )
    with repository.check_out(commit) as tree:
        base, now = measure([tree, ROOT], find_common(tree, options.only), options.repeats, options.small)
    comparisons = match(base, now)
    show(comparisons, f"base {commit} ({options.base}) and the working tree, medians (ranges) of {options.repeats}")
    return list(comparisons.values())


def find_common(tree: Path, names: list[str]) -> list[str]:
    """Leave out benchmarks that base does not have yet."""
    common = [name for name in names if (tree / "benchmarks" / f"{name}.py").exists()]
    new = ", ".join(name for name in names if name not in common)
    if not common:
        raise InputError(f"base has none of the benchmarks yet ({new}): choose a later revision")
    if new:
        print(f"not compared, because base does not have it yet: {new}", file=sys.stderr)
    return common


def show(comparisons: dict[Quantity, Comparison], title: str) -> None:
    table = Table("benchmark", "quantity", "in", "base", "now", "now / base", "", title=title)
    for (benchmark, name, _), comparison in comparisons.items():
        table.add_row(
            benchmark, name, comparison.row.compared_in, describe(comparison.base), describe(comparison.now),
            f"{comparison.ratio:.3g}", comparison.verdict,
        )  # fmt: skip
    Console().print(table)


def describe(values: Sequence[float]) -> str:
    return f"{median(values):.3g} ({min(values):.3g} to {max(values):.3g})"
