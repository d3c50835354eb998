"""Answer what cannot be done with a status and a sentence, the same that the command line prints."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from unseen.utils.errors import InputError

# What a message of `InputError` may begin with, as users of the server know it.
_ARGUMENTS = ("rows", "pictures", "features", "names", "classes", "only", "groups", "top", "abstain", "row", "label")
_FIRST_WORD = re.compile(r"[a-z_]+")


class RequestError(Exception):
    """A request that is not answered.

    Attributes
    ----------
    status : int
        Status of HTTP.
    kind : str
        The same in a word, for programs.
    message : str
        The same in a sentence, for people.
    argument : str or None
        Part of the request that is at fault.
    headers : mapping of str to str
        Headers that belong to the status.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        *,
        argument: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.argument = argument
        self.headers = dict(headers or {})

    def to_json(self) -> bytes:
        """Return the body of the answer."""
        error = {"type": self.kind, "message": self.message}
        if self.argument is not None:
            error["argument"] = self.argument
        return json.dumps({"error": error}).encode()


def refuse_more(found: int, most: int, argument: str, unit: str = "") -> None:
    """Refuse a request that asks for more than a limit allows.

    >>> refuse_more(3, 2, "rows")
    Traceback (most recent call last):
    ...
    unseen.server.errors.RequestError: rows is 3, more than the 2 that this server takes: ask for less at a time
    """
    if found > most:
        raise RequestError(
            413,
            "too_large",
            f"{argument} is {found:,}{unit}, more than the {most:,}{unit} that this server takes: ask for less at a "
            "time",
            argument=argument,
        )


@contextmanager
def explain_input(argument: str | None = None) -> Iterator[None]:
    """Answer bad input with its sentence.

    Parameters
    ----------
    argument : str, optional
        Part of the request that is read; by default the first word of the sentence, if it is one.
    """
    try:
        yield
    except InputError as error:
        raise from_input_error(error, argument) from error


def from_input_error(error: InputError, argument: str | None = None) -> RequestError:
    """Return the answer to bad input."""
    message = str(error)
    first = _FIRST_WORD.match(message)
    if argument is None and first is not None and first.group() in _ARGUMENTS:
        argument = first.group()
    return RequestError(400, "invalid_input", message, argument=argument)
