"""Running the command line as a user does, for the tests of its commands."""

from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from unseen.cli import app


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def ran(*arguments: Any) -> Result:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result
