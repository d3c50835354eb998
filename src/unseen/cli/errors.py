"""Report errors and interruptions of commands: one sentence on the error stream, and an exit code."""

import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from unseen.utils.errors import InputError


def report_error(error: Exception) -> typer.Exit:
    """Print the message of an error; return the exception that ends the command."""
    from rich.console import Console
    from rich.text import Text

    # On one line, however long, so that a program can read it too.
    Console(stderr=True).print(Text.assemble(("✗ ", "bold red"), str(error)), soft_wrap=True)
    return typer.Exit(2)


@contextmanager
def explain_errors() -> Iterator[None]:
    """End the command with a message and exit code 2 if its input is invalid."""
    try:
        yield
    except InputError as error:
        raise report_error(error) from error


@contextmanager
def explain_interruptions(kept: str) -> Iterator[None]:
    """End a long command with a message: exit code 2 for invalid input, 130 and how to continue if interrupted.

    A request to terminate (SIGTERM, as sent by `kill` and by schedulers) counts as an interruption.

    Parameters
    ----------
    kept : str
        Sentence that says what is kept and introduces the command that continues.
    """
    try:
        with _interrupt_on_terminate():
            yield
    except InputError as error:
        say(str(error))
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        say(f"Stopped. {kept}: {format_command()}")
        raise typer.Exit(130) from None


@contextmanager
def _interrupt_on_terminate() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # where Python cannot handle signals
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def say(sentence: str) -> None:
    """Print a message to the error stream, apart from the output itself."""
    typer.echo(sentence, err=True)


def format_command() -> str:
    """Return the command as the user wrote it."""
    return shlex.join(["unseen", *sys.argv[1:]])
