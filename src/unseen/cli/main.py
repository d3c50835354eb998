"""Define the `unseen` command; each subcommand has its own file."""

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.commands.bench import bench
from unseen.cli.commands.datasets import datasets_app
from unseen.cli.commands.describe import describe
from unseen.cli.commands.evaluate import evaluate
from unseen.cli.commands.explain import explain
from unseen.cli.commands.export import export
from unseen.cli.commands.extract import extract
from unseen.cli.commands.fit import fit
from unseen.cli.commands.info import info
from unseen.cli.commands.predict import predict
from unseen.cli.commands.report import report
from unseen.cli.commands.serve import serve
from unseen.cli.commands.studio import studio
from unseen.cli.commands.sweep import sweep
from unseen.cli.errors import explain_errors
from unseen.cli.last_net import LastNet
from unseen.cli.options import make_seed_option

app = typer.Typer(cls=LastNet, no_args_is_help=True, add_completion=True, rich_markup_mode="markdown")


def _print_version(asked: bool) -> None:
    if asked:
        from unseen import __version__

        typer.echo(f"unseen {__version__}")
        raise typer.Exit


@app.callback()
def unseen(
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="MODULE",
            help="Import a module first, for example one that registers your own models (unseen.register); repeatable.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Zero-shot recognition: recognise classes without training examples, from a description of each class."""
    if modules:
        from unseen.files.registration import import_modules

        with explain_errors():
            import_modules(modules, "--import")


@app.command()
def demo(
    seed: Annotated[
        int,
        make_seed_option("Random seed for the unseen classes and the pictures."),
    ] = 0,
    page: Annotated[Path, typer.Option(help="The page to write.")] = Path("unseen-demo.html"),
    force: Annotated[bool, typer.Option("--force", help="Replace the page if it exists.")] = False,
) -> None:
    """Try it out: learn from pictures of 70 two-digit numbers, recognise 30 unseen numbers, and write a report page."""
    from unseen.cli.commands.demo import run_demo
    from unseen.utils.storage.writing import refuse_existing

    with explain_errors():
        refuse_existing(page, force)
        run_demo(seed, page, force=force)


app.command()(extract)
app.command()(describe)
app.command()(fit)
app.command()(predict)
app.command()(explain)
app.command()(evaluate)
app.command()(info)
app.command()(report)
app.command()(serve)
app.command()(studio)
app.command()(export)
app.command()(bench)
app.command()(sweep)
app.add_typer(datasets_app, name="datasets")
