"""Where the `unseen` command begins; each subcommand has a file of its own."""

import typer

from unseen.cli.bench import bench
from unseen.cli.datasets import datasets_app
from unseen.cli.evaluate import evaluate
from unseen.cli.explain import explain
from unseen.cli.export import export
from unseen.cli.fit import fit
from unseen.cli.info import info
from unseen.cli.predict import predict
from unseen.cli.report import report

app = typer.Typer(no_args_is_help=True, add_completion=True, rich_markup_mode="markdown")


@app.callback()
def unseen() -> None:
    """Recognise classes that no training example shows, from a description of each class."""


@app.command()
def demo(seed: int = typer.Option(0, help="Which classes are unseen, and which pictures are drawn.")) -> None:
    """Learn from pictures of 70 two-digit numbers and recognise 30 numbers never seen."""
    from unseen.cli.demo import run_demo

    run_demo(seed)


app.command()(fit)
app.command()(predict)
app.command()(explain)
app.command()(evaluate)
app.command()(info)
app.command()(report)
app.command()(export)
app.command()(bench)
app.add_typer(datasets_app, name="datasets")
