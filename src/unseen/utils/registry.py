"""Find things by name, and say what may have been meant when a name is not known."""

import difflib
import inspect
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from unseen.utils.errors import InputError, shorten

Entry = TypeVar("Entry")
Choice = TypeVar("Choice")

_ANY_NUMBER = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

# Suggesting is for a reader's eyes: more than a few suggestions help nobody, and difflib is slow.
MAX_SUGGESTIONS = 3


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Names and what they stand for; kept beside the things that it lists.

    As a mapping it has the names as they are written. `find` and `make` are for what a user wrote: capitals, hyphens
    and the like do not matter to them, and a class is found by its own name too.

    Parameters
    ----------
    kind : str
        What an entry is called in a message, such as "loss".
    entries : mapping of str to entry, optional
        What is known from the beginning.
    also : sequence of str, optional
        Names that a caller understands besides, such as "auto": suggested and listed, never looked up.
    other : str, optional
        What a caller takes besides names, for the message: "a Loss".
    outside : bool, default False
        Whether it takes classes from outside this package too (`unseen.register`), as "package.module:Class".

    Examples
    --------
    >>> hues = Registry("hue", {"red": "#f00", "sky-blue": "#8cf"})
    >>> hues.find("Sky Blue")
    '#8cf'
    >>> hues.find("blu")
    Traceback (most recent call last):
    ...
    unseen.utils.errors.InputError: hue='blu' is not known (did you mean 'sky-blue'?): choose one of 'red', 'sky-blue'
    """

    def __init__(
        self,
        kind: str,
        entries: Mapping[str, Entry] | None = None,
        *,
        also: Sequence[str] = (),
        other: str | None = None,
        outside: bool = False,
    ) -> None:
        self.kind = kind
        self.also = tuple(also)
        self.other = other
        self.outside = outside
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

    def add(self, name: str, entry: Entry, *, replace: bool = False) -> None:
        """Make an entry known; a name that stands for something else already is refused, unless `replace` is set."""
        if not replace and self._entries.get(name, entry) is not entry:
            raise InputError(f"{self.kind} {name!r} is known already, as {self._entries[name]!r}: choose another name")
        self._entries[name] = entry

    def find_key(self, name: object, argument: str | None = None) -> str:
        """Return a name as it is written here, or refuse it with the names that are known.

        Parameters
        ----------
        name : str
            What the user wrote.
        argument : str, optional
            Where the user wrote it, for the message; the kind if not given.
        """
        if isinstance(name, str):
            matches = self._find_matches(name)
            if len(matches) > 1:
                raise InputError(
                    f"{argument or self.kind}={name!r} may mean {shorten(matches)}: write one of these in full"
                )
            if matches:
                return matches[0]
        raise self.make_unknown_error(name, argument)

    def _find_matches(self, name: str) -> list[str]:
        """List the keys that a name may stand for: as it is, as it sounds, as a class of ours, or of someone else."""
        if name in self._entries:
            return [name]
        wanted = _keep_letters(name)
        if not wanted:
            return []
        spelled = [key for key in self._entries if _keep_letters(key) == wanted]
        classes = [
            key for key, entry in self._entries.items() if _keep_letters(getattr(entry, "__name__", "")) == wanted
        ]
        return spelled or [key for key in classes if not is_qualified(key)] or classes

    def name_of(self, entry: object) -> str | None:
        """Return the name that stands for an entry, or None if there is none."""
        return next((name for name, known in self._entries.items() if known is entry), None)

    def find(self, name: object, argument: str | None = None) -> Entry:
        """Return what a name stands for, or refuse it as `find_key` does."""
        return self._entries[self.find_key(name, argument)]

    def make(
        self,
        name: object,
        parameters: Mapping[str, Any] | None = None,
        argument: str | None = None,
        **defaults: Any,
    ) -> Any:
        """Call what a name stands for, once the names of its parameters are checked.

        Parameters
        ----------
        name, argument
            As for `find_key`.
        parameters : mapping of str to Any, optional
            What the user set; a name that the entry does not take is refused.
        **defaults
            What the caller sets where the entry takes it and the user did not set it, such as a `random_state`.

        Examples
        --------
        >>> from fractions import Fraction
        >>> Registry("number", {"fraction": Fraction}).make("fraction", {"numerator": 3}, denominator=4, digits=2)
        Fraction(3, 4)
        """
        maker: Any = self.find(name, argument)
        given = dict(parameters or {})
        signature, what = inspect.signature(maker).parameters, f"{argument or self.kind}={name!r}"
        check_parameters(given, list(signature), what)
        made_of = {parameter: value for parameter, value in defaults.items() if parameter in signature} | given
        needed = [key for key, parameter in signature.items() if parameter.default is parameter.empty]
        missing = [key for key in needed if key not in made_of and signature[key].kind not in _ANY_NUMBER]
        if missing:
            raise InputError(f"{what} needs {shorten(missing)}: give a value")
        return maker(**made_of)

    def make_unknown_error(self, name: object, argument: str | None = None) -> InputError:
        """Make the error for a name that is not known."""
        if self.outside and isinstance(name, str) and is_qualified(name):
            return InputError(f"{argument or self.kind}={name!r} {explain_unregistered(name)}")
        return make_unknown_error(name, self.names, argument or self.kind, self.other)


def is_qualified(name: str) -> bool:
    """Tell whether a name is that of a class from outside this package, as `unseen.register` writes it.

    >>> is_qualified("package.module:Class"), is_qualified("jfa")
    (True, False)
    """
    return ":" in name


def explain_unregistered(name: str) -> str:
    """Say what to do about a class from outside that is named but not known: nothing is imported because of a name."""
    return (
        f"is not registered: import the module that defines it and call unseen.register({name.rpartition(':')[2]}) "
        "(on the command line, `unseen --import MODULE ...` imports one)"
    )


def check_choice(value: Any, choices: Sequence[Choice], argument: str, other: str | None = None) -> Choice:
    """Return a value that is one of a few, or refuse it.

    Parameters
    ----------
    value : Any
        What the user gave.
    choices : sequence
        What is known.
    argument : str
        Where the user gave it, for the message.
    other : str, optional
        What the caller takes besides, for the message.

    Examples
    --------
    >>> check_choice("zeros", ("zeros", "random"), "init")
    'zeros'
    """
    for choice in choices:
        if isinstance(value, type(choice)) and value == choice:
            return choice
    raise make_unknown_error(value, choices, argument, other)


def make_unknown_error(value: object, choices: Iterable[Any], argument: str, other: str | None = None) -> InputError:
    """Make the error for a value that is none of those known; all messages of this sort are written here.

    >>> print(make_unknown_error("randm", ["zeros", "random"], "init", "an array"))
    init='randm' is not known (did you mean 'random'?): choose one of 'zeros', 'random', or give an array
    """
    known = list(choices)
    suggestion = did_you_mean([value], known) if isinstance(value, str) else ""
    listed = f"{'one of ' if len(known) > 1 else ''}{shorten(known, limit=len(known))}"
    return InputError(
        f"{argument}={value!r} is not known{suggestion}: choose {listed}{f', or give {other}' if other else ''}"
    )


def check_parameters(given: Iterable[str], known: Sequence[str], what: str) -> None:
    """Refuse names of parameters that are not known."""
    wrong = [name for name in given if name not in known]
    if wrong:
        raise make_parameter_error(wrong, known, what)


def make_parameter_error(wrong: Sequence[str], known: Sequence[str], what: str) -> InputError:
    """Make the error for names of parameters that are not known.

    >>> print(make_parameter_error(["lamb"], ["lam", "loss"], "model='jfa'"))
    model='jfa' has no parameter 'lamb' (did you mean 'lam'?): choose among 'lam', 'loss'
    """
    remedy = f"choose among {shorten(known, limit=len(known))}" if known else "it takes none"
    return InputError(f"{what} has no parameter {shorten(wrong)}{did_you_mean(wrong, known)}: {remedy}")


def did_you_mean(missing: Sequence[Hashable], known: Sequence[Hashable]) -> str:
    """Suggest known labels that look like the missing ones, or say nothing.

    >>> did_you_mean(["Zebre"], ["cat", "zebra"])
    " (did you mean 'zebra'?)"
    >>> did_you_mean(["3"], [3, 4])
    ' (did you mean 3?)'
    """
    by_text = {str(label).casefold(): label for label in known}
    matches = [_find_near(str(label).casefold(), label, by_text) for label in missing[:MAX_SUGGESTIONS]]
    found = list(dict.fromkeys(by_text[match] for match in matches if match is not None))
    return f" (did you mean {shorten(found)}?)" if found else ""


def _find_near(text: str, label: Hashable, by_text: dict[str, Hashable]) -> str | None:
    """Find the known text nearest to `text`: the same (of another type or case), or alike, or with a word alike."""
    if text in by_text:
        return text
    # Numbers that look alike (101 for 100) are not slips of the pen.
    candidates = [known for known, value in by_text.items() if isinstance(value, str) and isinstance(label, str)]
    whole = difflib.get_close_matches(text, candidates, n=1)
    if whole:
        return whole[0]
    by_word = {word: known for known in reversed(candidates) for word in re.findall(r"[^\W\d_]{3,}", known)}
    words = difflib.get_close_matches(text, by_word, n=1, cutoff=0.8)
    return by_word[words[0]] if words else None


def _keep_letters(name: str) -> str:
    """Return the letters and digits of a name in small letters, which is all that tells names apart."""
    return "".join(character for character in name.casefold() if character.isalnum())
