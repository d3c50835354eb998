"""Look up things by name, and suggest the nearest names when one is not known."""

import difflib
import inspect
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from unseen.utils.errors import InputError, shorten

Entry = TypeVar("Entry")
Choice = TypeVar("Choice")

_ANY_NUMBER = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

# More suggestions would not help a reader, and difflib is slow.
MAX_SUGGESTIONS = 3


class Registry(Mapping[str, Entry], Generic[Entry]):
    """A mapping from names to entries, defined beside the entries.

    The mapping itself uses exact names. `find` and `make` take what a user wrote: they ignore case, hyphens and other
    punctuation, and also find a class by its own name.

    Parameters
    ----------
    kind : str
        What error messages call an entry, such as "loss".
    entries : mapping of str to entry, optional
        The first entries.
    also : sequence of str, optional
        Further names that the caller understands, such as "auto". They are suggested and listed, not looked up.
    other : str, optional
        What the caller accepts other than names, for error messages, such as "a Loss".
    outside : bool, default False
        Whether classes from other packages can be added (`unseen.register`), named "package.module:Class".

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
        """Add an entry; a name that is already taken by another entry is refused, unless `replace` is set."""
        if not replace and self._entries.get(name, entry) is not entry:
            raise InputError(f"{self.kind} {name!r} is known already, as {self._entries[name]!r}: choose another name")
        self._entries[name] = entry

    def find_key(self, name: object, argument: str | None = None) -> str:
        """Return the exact name for what a user wrote, or refuse it and list the known names.

        Parameters
        ----------
        name : str
            The name as the user wrote it.
        argument : str, optional
            The argument that the user gave, for error messages; the kind by default.
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
        """List the keys that a name may mean: the exact key, a spelling of it, or the name of a class."""
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
        """Return the name of an entry, or None if it has none."""
        return next((name for name, known in self._entries.items() if known is entry), None)

    def find(self, name: object, argument: str | None = None) -> Entry:
        """Return the entry for what a user wrote, or refuse it as `find_key` does."""
        return self._entries[self.find_key(name, argument)]

    def make(
        self,
        name: object,
        parameters: Mapping[str, Any] | None = None,
        argument: str | None = None,
        **defaults: Any,
    ) -> Any:
        """Check the parameter names, then call the entry.

        Parameters
        ----------
        name, argument
            As for `find_key`.
        parameters : mapping of str to Any, optional
            Parameters that the user set; a name that the entry does not accept is refused.
        **defaults
            Parameters such as a `random_state`, passed if the entry accepts them and the user did not set them.

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
    """Tell whether a name is that of a class from another package, as `unseen.register` writes it.

    >>> is_qualified("package.module:Class"), is_qualified("jfa")
    (True, False)
    """
    return ":" in name


def explain_unregistered(name: str) -> str:
    """Say how to register a class from another package; a name alone never causes an import."""
    return (
        f"is not registered: import the module that defines it and call unseen.register({name.rpartition(':')[2]}) "
        "(on the command line, `unseen --import MODULE ...` imports one)"
    )


def check_choice(value: Any, choices: Sequence[Choice], argument: str, other: str | None = None) -> Choice:
    """Return the value if it is one of the choices, or refuse it.

    Parameters
    ----------
    value : Any
        The value that the user gave.
    choices : sequence
        The allowed values.
    argument : str
        Name of the argument, for error messages.
    other : str, optional
        What the caller accepts besides, for error messages.

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
    """Make the error for a value that is not one of the known ones.

    >>> print(make_unknown_error("randm", ["zeros", "random"], "init", "an array"))
    init='randm' is not known (did you mean 'random'?): choose one of 'zeros', 'random', or give an array
    """
    known = list(choices)
    suggestion = did_you_mean([value], known) if isinstance(value, str) else ""
    listed = f"{'one of ' if len(known) > 1 else ''}{shorten(known, limit=len(known))}"
    return InputError(
        f"{argument}={_write(value)} is not known{suggestion}: choose {listed}{f', or give {other}' if other else ''}"
    )


def _write(value: object) -> str:
    """Write a value on one line and not at length, whatever it is: it may be an array."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else f"{text[:100]} ..."


def check_parameters(given: Iterable[str], known: Sequence[str], what: str) -> None:
    """Refuse parameter names that are not known."""
    wrong = [name for name in given if name not in known]
    if wrong:
        raise make_parameter_error(wrong, known, what)


def make_parameter_error(wrong: Sequence[str], known: Sequence[str], what: str) -> InputError:
    """Make the error for parameter names that are not known.

    >>> print(make_parameter_error(["lamb"], ["lam", "loss"], "model='jfa'"))
    model='jfa' has no parameter 'lamb' (did you mean 'lam'?): choose among 'lam', 'loss'
    """
    remedy = f"choose among {shorten(known, limit=len(known))}" if known else "it takes none"
    return InputError(f"{what} has no parameter {shorten(wrong)}{did_you_mean(wrong, known)}: {remedy}")


def did_you_mean(missing: Sequence[Hashable], known: Sequence[Hashable]) -> str:
    """Suggest known labels that are similar to the missing ones, or return an empty string.

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
    """Find the known text nearest to `text`: equal but for type or case, similar, or containing a similar word."""
    if text in by_text:
        return text
    # Similar numbers (101 and 100) are not misspellings of each other.
    candidates = [known for known, value in by_text.items() if isinstance(value, str) and isinstance(label, str)]
    whole = difflib.get_close_matches(text, candidates, n=1)
    if whole:
        return whole[0]
    by_word = {word: known for known in reversed(candidates) for word in re.findall(r"[^\W\d_]{3,}", known)}
    words = difflib.get_close_matches(text, by_word, n=1, cutoff=0.8)
    return by_word[words[0]] if words else None


def _keep_letters(name: str) -> str:
    """Return the letters and digits of a name in lower case; names are compared by these alone."""
    return "".join(character for character in name.casefold() if character.isalnum())
