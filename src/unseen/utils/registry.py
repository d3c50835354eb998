"""Find things by name, and say what may have been meant when a name is not known."""

import difflib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from unseen.utils.errors import InputError, shortened

Entry = TypeVar("Entry")

# Suggesting is for a reader's eyes: more than a few suggestions help nobody, and difflib is slow.
MAX_SUGGESTIONS = 3


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Names and what they stand for; kept beside the things that it lists.

    Parameters
    ----------
    kind : str
        What an entry is called in a message, such as "loss".
    entries : mapping of str to entry, optional
        What is known from the beginning.
    also : sequence of str, optional
        Names that a caller understands besides, such as "auto": suggested and listed, never looked up.

    Examples
    --------
    >>> colours = Registry("colour", {"red": "#f00", "blue": "#00f"})
    >>> colours.find("red")
    '#f00'
    >>> colours.find("blau")
    Traceback (most recent call last):
    ...
    unseen.utils.errors.InputError: colour='blau' is not known (did you mean 'blue'?): choose one of 'blue', 'red'
    """

    def __init__(self, kind: str, entries: Mapping[str, Entry] | None = None, *, also: Sequence[str] = ()) -> None:
        self.kind = kind
        self.also = tuple(also)
        self._entries = dict(entries or {})

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Registry({self.kind!r}: {', '.join(self)})"

    @property
    def names(self) -> list[str]:
        """All names that a user may write, in alphabetical order."""
        return sorted([*self._entries, *self.also], key=str.casefold)

    def add(self, name: str, entry: Entry) -> None:
        """Make an entry known; a name that stands for something else already is refused."""
        if self._entries.get(name, entry) is not entry:
            raise InputError(f"{self.kind} {name!r} is known already, as {self._entries[name]!r}: choose another name")
        self._entries[name] = entry

    def find(self, name: object, argument: str | None = None, *, spelling: Callable[[str], str] = str) -> Entry:
        """Return what a name stands for, or refuse it with the names that are known.

        Parameters
        ----------
        name : str
            What the user wrote.
        argument : str, optional
            Where the user wrote it, for the message; the kind if not given.
        spelling : callable, optional
            Brings names to the spelling in which they are compared, such as `str.casefold`.
        """
        if isinstance(name, str):
            wanted = spelling(name)
            for known, entry in self._entries.items():
                if spelling(known) == wanted:
                    return entry
        raise self.unknown(name, argument)

    def unknown(self, name: object, argument: str | None = None) -> InputError:
        """Make the error for a name that is not known."""
        suggestion = did_you_mean([name], self.names) if isinstance(name, str) else ""
        return InputError(
            f"{argument or self.kind}={name!r} is not known{suggestion}: choose one of "
            f"{shortened(self.names, limit=len(self.names))}"
        )


def did_you_mean(missing: Sequence[Hashable], known: Sequence[Hashable]) -> str:
    """Suggest known labels that look like the missing ones, or say nothing.

    >>> did_you_mean(["Zebre"], ["cat", "zebra"])
    " (did you mean 'zebra'?)"
    >>> did_you_mean(["3"], [3, 4])
    ' (did you mean 3?)'
    """
    by_text = {str(label).casefold(): label for label in known}
    matches = [_near(str(label).casefold(), label, by_text) for label in missing[:MAX_SUGGESTIONS]]
    found = list(dict.fromkeys(by_text[match] for match in matches if match is not None))
    return f" (did you mean {shortened(found)}?)" if found else ""


def _near(text: str, label: Hashable, by_text: dict[str, Hashable]) -> str | None:
    """Find the known text nearest to `text`: the same text (of another type or case), or similar text."""
    if text in by_text:
        return text
    # Numbers that look alike (101 for 100) are no slips of the pen.
    candidates = [known for known, value in by_text.items() if isinstance(value, str) and isinstance(label, str)]
    return next(iter(difflib.get_close_matches(text, candidates, n=1)), None)
