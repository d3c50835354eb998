"""The last net below all commands: whatever fails, the user reads one sentence."""

import errno
import os
import platform
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from unseen.cli.errors import format_command, report_error, say
from unseen.utils.errors import InputError
from unseen.utils.storage.writing import NO_ROOM
from unseen.utils.versions import list_versions

# What sysexits.h calls an internal error of the software.
DEFECT = 70
DEBUG = "UNSEEN_DEBUG"
_PACKAGES = ("unseen", "numpy", "scipy", "scikit-learn", "typer")


class LastNet(TyperGroup):
    """The group of all commands; an exception that none of them explains ends in a sentence, not in a traceback.

    The details go to a file in the temporary folder. With UNSEEN_DEBUG=1 the traceback is shown instead.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options before the name of a command."""
        _escape_what_cannot_be_printed()
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            raise _report_usage(error) from error

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            with _warnings_as_sentences():
                return super().invoke(ctx)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except InputError as error:
            raise report_error(error) from error
        except Exception as error:
            if hasattr(error, "format_message"):
                raise _report_usage(error) from error
            if os.environ.get(DEBUG):
                raise
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                raise _report_full(error) from error
            raise _report_defect(error) from error


def _escape_what_cannot_be_printed() -> None:
    """Write characters that the encoding of the output lacks as escapes, rather than fail at the first of them."""
    for stream in (sys.stdout, sys.stderr):
        if (stream.encoding or "").lower().replace("-", "") != "utf8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    """Say what was understood of a class table without the line of code that warns of it."""
    show = warnings.showwarning

    def tell(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
        # By its name, for its module would have to be imported with everything else.
        if category.__name__ == "ClassTableWarning":
            say(str(message))
        else:
            show(message, category, *rest, **named)

    with warnings.catch_warnings():
        warnings.showwarning = tell
        yield


def _report_usage(error: Exception) -> Exception:
    """Return what ends the command for an error of usage, for which Typer would draw a box.

    Its class depends on the version of Typer. What is longer than a sentence is the help, and shown as it is.
    """
    message = getattr(error, "format_message", str)()
    context = getattr(error, "ctx", None)
    if context is None or "\n" in message:
        return error
    command = " ".join(["unseen", *context.command_path.split()[1:]])
    return report_error(InputError(f"{message.rstrip('.')}; see `{command} --help`"))


def _report_full(error: OSError) -> typer.Exit:
    # What is left in the buffer cannot be written either, and Python would complain about it at its end.
    if error.errno == errno.ENOSPC and error.filename is None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return report_error(InputError(f"the output cannot be written ({error.strerror}): make room, or write elsewhere"))


def _report_defect(error: Exception) -> typer.Exit:
    versions = "\n".join(f"{name} {number}" for name, number in list_versions(_PACKAGES).items())
    told = "".join(traceback.format_exception(error))
    details = f"{format_command()}\n\n{platform.platform()}\n{versions}\n\n{told}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="unseen-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.write(details)
        kept = f"the details are in {file.name}"
    except OSError:
        kept = f"{DEBUG}=1 shows the details"
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    say(f"unseen failed in a way that nobody foresaw ({reason[:300]}): {kept}; please report them.")
    return typer.Exit(DEFECT)
