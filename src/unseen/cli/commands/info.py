"""`unseen info`: describe a model file."""

import json
from typing import Annotated

import typer

from unseen.cli.errors import explain_errors
from unseen.cli.options import ModelArgument


def info(
    model: ModelArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Describe a model file: model, preparation, refinement, classes, confidence, selection and versions.

    Examples: `unseen info birds.unseen`, `unseen info birds.unseen --json`
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from unseen.workflows.describing import describe_model, format_facts

    with explain_errors():
        facts = describe_model(model)
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    table = Table("", "", title=str(model), title_justify="left", show_header=False, box=None)
    for name, text in format_facts(facts).items():
        table.add_row(name, Text(text))
    Console().print(table)
