"""How every command answers bad input: one sentence on the error stream, exit code 2."""

import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.text import Text

from unseen.utils.errors import InputError


def report_error(error: Exception) -> typer.Exit:
    """Print the sentence of an error; return what to raise."""
    # On one line, however long, so that a program can read it too.
    Console(stderr=True).print(Text.assemble(("✗ ", "bold red"), str(error)), soft_wrap=True)
    return typer.Exit(2)


@contextmanager
def explain_errors() -> Iterator[None]:
    """End the command with exit code 2 and a sentence where its input is bad."""
    try:
        yield
    except InputError as error:
        raise report_error(error) from error


@contextmanager
def explain_interruptions(kept: str) -> Iterator[None]:
    """End a long command with a sentence: exit code 2 where its input is bad, 130 and how to go on when interrupted.

    A request to terminate (SIGTERM, as `kill` and schedulers send it) counts as an interruption.

    Parameters
    ----------
    kept : str
        What is kept and how to introduce the command to go on with.
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
    if threading.current_thread() is not threading.main_thread():  # where Python takes no signals
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def say(sentence: str) -> None:
    """Tell the user something beside the output itself."""
    typer.echo(sentence, err=True)


def format_command() -> str:
    """Return the command as the user wrote it."""
    return shlex.join(["unseen", *sys.argv[1:]])
