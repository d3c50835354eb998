"""Read the options of a request, from JSON or from the address."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unseen.confidence.coverage import check_probability
from unseen.data.class_groups import ClassGroups
from unseen.server.errors import RequestError
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean
from unseen.utils.validation import check_whole_number, is_real


@dataclass(frozen=True, eq=False)
class Options:
    """What a request asks for besides its rows.

    Attributes
    ----------
    classes : mapping, list or None
        The candidates: descriptions by label, or labels that the model knows.
    groups : ClassGroups or None
        Groups whose probabilities are summed.
    only : list of str or None
        Names of the groups that the candidates are restricted to.
    top : int or None
        Number of candidates for each row, or of attributes of an explanation.
    abstain : float
        Probability below which a label is withheld.
    row : int or str
        Row to explain.
    label : label or None
        Class to explain.
    """

    classes: Any = None
    groups: ClassGroups | None = None
    only: list[str] | None = None
    top: int | None = None
    abstain: float = 0.0
    row: int | str = 0
    label: Any = None


def read_json(content: bytes, argument: str | None = None) -> Any:
    """Return the value in a JSON text, or answer that it is not one."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RequestError(
            400, "malformed", f"the {argument or 'body'} is not JSON ({reason}): correct it", argument=argument
        ) from error


def make_options(given: Mapping[str, Any], allowed: Collection[str]) -> Options:
    """Return the options of a request, checked.

    Parameters
    ----------
    given : mapping
        Options by name; None counts as not given.
    allowed : collection of str
        The names that this address knows.

    Examples
    --------
    >>> make_options({"top": 3, "class": "okapi"}, ["top", "class"])
    Options(classes=None, groups=None, only=None, top=3, abstain=0.0, row=0, label='okapi')
    """
    unknown = [name for name in given if name not in allowed]
    if unknown:
        raise InputError(
            f"{unknown[0]} is not an option here{did_you_mean(unknown[:1], list(allowed))}: the options are "
            f"{shorten(sorted(allowed), 20)}"
        )
    found = {name: value for name, value in given.items() if value is not None}
    return Options(
        classes=_check_classes(found.get("classes")),
        # Not `make`: a request must not have files of the server read.
        groups=ClassGroups.from_mapping(found["groups"]) if "groups" in found else None,
        only=_check_only(found.get("only"), found.get("groups")),
        top=check_whole_number(found["top"], "top", 1) if "top" in found else None,
        abstain=_check_abstain(found.get("abstain", 0.0)),
        row=_check_row(found.get("row", 0)),
        label=_check_label(found.get("class")),
    )


def read_query(query: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the options in an address; `classes` may repeat, and each adds a candidate.

    >>> read_query([("top", "3"), ("classes", "okapi"), ("classes", "zebra")])
    {'top': 3, 'classes': ['okapi', 'zebra']}
    """
    options: dict[str, Any] = {}
    for name, text in query:
        if name == "classes":
            options.setdefault(name, []).append(text)
        elif name in options:
            raise InputError(f"{name} is given twice: give it once")
        else:
            options[name] = _read_number(name, text)
    return options


def _read_number(name: str, text: str) -> Any:
    try:
        return {"top": int, "abstain": float}.get(name, str)(text)
    except ValueError:
        raise InputError(f"{name}={text!r} is not a number: give one") from None


def _check_classes(value: Any) -> Any:
    if value is not None and not isinstance(value, dict | list):
        raise InputError(
            f"classes is a {type(value).__name__}: give a list of labels that the model knows, or descriptions by label"
        )
    return value


def _check_only(value: Any, groups: Any) -> list[str] | None:
    if value is None:
        return None
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise InputError(f"only={value!r} is not a name or a list of names: give names of groups")
    if groups is None:
        raise InputError(f"only={value!r} names groups, but groups is missing: say which labels each of them has")
    return listed


def _check_abstain(value: Any) -> float:
    if not is_real(value):
        raise InputError(f"abstain={value!r} is not a probability: give a number between 0 and 1")
    return check_probability(value, "abstain")


def _check_row(value: Any) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InputError(f"row={value!r} is neither a number nor a name: give the number of the row, from 0")
    return value


def _check_label(value: Any) -> Any:
    if isinstance(value, dict | list):
        raise InputError(f"class={value!r} is not a label: give one")
    return value
