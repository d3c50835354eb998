"""Define the options that every benchmark has."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter


def benchmark_options(module: str, description: str | None) -> ArgumentParser:
    """Make the option parser of a benchmark, with its help and `--small`."""
    name = module.rpartition(".")[2]
    parser = ArgumentParser(
        prog=f"python -m benchmarks {name}", description=description, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="tiny sizes, to check that everything runs")
    return parser
