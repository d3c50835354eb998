"""Running the command line as a user does, for the tests of its commands."""

from typing import Any

from typer.testing import CliRunner

from unseen.cli import app


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def ran(*arguments: Any) -> Any:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result
