"""Run the benchmarks: `make bench`, or `python -m benchmarks [--small] [NAME ...]`."""

import argparse

from benchmarks import fit_and_predict, row_scaling, training_pass
from benchmarks.birds import load_birds
from benchmarks.report import show


def main() -> None:
    benchmarks = {
        "pass": lambda small: training_pass.run(load_birds(small)),
        "fit": lambda small: fit_and_predict.run(load_birds(small)),
        "rows": row_scaling.run,
    }
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *benchmarks], help="which to run; all without a name")
    parser.add_argument("--small", action="store_true", help="tiny sizes, to see that everything runs")
    options = parser.parse_args()
    for name in options.names or benchmarks:
        source = load_birds(options.small).source if name != "rows" else "random numbers"
        show(benchmarks[name](options.small), title=f"{name}: {source}")


if __name__ == "__main__":
    main()
