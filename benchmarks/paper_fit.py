"""Measure JFA as in the paper (the maximum, CCCP from a random start): seconds, passes over rows, objective and gap.

On CUB (or random numbers of its shape) and digit-pairs, for three omegas, against rounds of CCCP alone, which start
where these do and stop by the same rule. Seconds of the processor are those of all threads, whatever else runs.
"""

import time
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from benchmarks.tools.birds import load_birds
from benchmarks.tools.counting import CallCount
from benchmarks.tools.options import benchmark_options
from benchmarks.tools.timing import time_once
from unseen import JFA, load_dataset
from unseen.features import Rows
from unseen.learning import CCCP

OMEGAS = [(1000.0, 10.0, 0.0, 1.0), (100.0, 100.0, 0.0, 1.0), (100.0, 10.0, 10.0, 1.0)]

SOLVERS = {"soft maxima, then rounds": CCCP(), "rounds alone": CCCP(temperatures=())}


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("--omegas", type=int, default=len(OMEGAS), help="how many of the omegas")
    parser.add_argument("--solvers", nargs="*", default=list(SOLVERS), choices=list(SOLVERS))
    options = parser.parse_args(arguments)
    table = Table(
        "data",
        "omega",
        "CCCP",
        "seconds",
        "of processor",
        "passes",
        "objective",
        "gap",
        "of the objective",
        "converged",
    )
    birds, digits = load_birds(options.small), load_dataset("digit-pairs")
    data = {birds.source: (birds.X, birds.y, birds.classes)}
    if not options.small:
        data["digit-pairs"] = (digits.X_train, digits.y_train, digits.seen_table)
    for source, (X, y, classes) in data.items():
        for omega in OMEGAS[: options.omegas]:
            for name in options.solvers:
                # Rounds alone take long to end, on small data too, and --small only checks that they run.
                solver = replace(SOLVERS[name], max_rounds=2) if options.small else SOLVERS[name]
                model = JFA.as_in_paper(omega, solver=solver, random_state=0)
                # Everything that looks at all rows is one of these sums, be they padded or not.
                processor = time.process_time()
                with CallCount(Rows, "_add_up") as passes:
                    seconds = time_once(lambda m=model, X=X, y=y, c=classes: m.fit(X, y, classes=c))
                processor = time.process_time() - processor
                gap = model.certificate_["duality_gap"]
                table.add_row(
                    source,
                    ", ".join(f"{number:g}" for number in omega),
                    name,
                    f"{seconds:.1f}",
                    f"{processor:.1f}",
                    str(passes.calls),
                    f"{model.objective_:.1f}",
                    f"{gap:.2f}",
                    f"{gap / model.objective_:.2%}",
                    "yes" if model.converged_ else "no",
                )
    Console(width=160).print(table)
