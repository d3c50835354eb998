"""Match class names in different spellings: 'persian+cat', 'persian_cat' and 'Persian cat' are one class."""

import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence

from unseen.utils.errors import InputError, shorten
from unseen.utils.names import NUMBER
from unseen.utils.registry import did_you_mean

_SEPARATORS = re.compile(r"[\s_+/\\-]+")


def simplify_name(name: object) -> str:
    """Return the simplified form that all spellings of a class name share.

    >>> simplify_name("001.Black_footed_Albatross"), simplify_name("inn/indoor")
    ('black footed albatross', 'inn indoor')
    """
    text = unicodedata.normalize("NFKC", str(name)).strip().casefold()
    return NUMBER.sub("", _SEPARATORS.sub(" ", text).strip())


def match_labels(names: Iterable[Hashable], known: Sequence[Hashable], argument: str) -> dict[Hashable, Hashable]:
    """Find the label that each name means: the same label, or the only label with another spelling of it.

    Parameters
    ----------
    names : iterable of hashable
        Names to look up; they may repeat.
    known : sequence of hashable
        The labels of a class table.
    argument : str
        Name of the argument, for the error message if a name is not known.

    Examples
    --------
    >>> match_labels(["persian cat"], ["persian+cat", "seal"], "split")
    {'persian cat': 'persian+cat'}
    """
    exact, spellings = set(known), _group_spellings(known)
    mapping: dict[Hashable, Hashable] = {}
    missing: list[Hashable] = []
    for name in dict.fromkeys(names):
        candidates = [name] if name in exact else spellings.get(simplify_name(name), [])
        if len(candidates) > 1:
            raise InputError(
                f"{argument} names {name!r}, which may mean {shorten(candidates)}: spell it as in the class table"
            )
        if candidates:
            mapping[name] = candidates[0]
        else:
            missing.append(name)
    if missing:
        raise InputError(
            f"{argument} names classes that the class table does not describe: {shorten(missing)}"
            f"{did_you_mean(missing, known)}. The table describes {shorten(known)}: "
            "correct the names or add their descriptions"
        )
    return mapping


def _group_spellings(labels: Iterable[Hashable]) -> dict[str, list[Hashable]]:
    spellings: dict[str, list[Hashable]] = {}
    for label in labels:
        spellings.setdefault(simplify_name(label), []).append(label)
    return spellings
