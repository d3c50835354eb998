"""Define the exception that `unseen` raises for bad input."""


class InputError(ValueError):
    """Bad input. The message names the argument, the offending value and the remedy."""


def shorten(values: object, limit: int = 5) -> str:
    """List the first few members of a collection for a message, and say how many more there are.

    >>> shorten(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    members = [repr(getattr(v, "item", lambda v=v: v)()) for v in values]  # type: ignore[attr-defined]
    if len(members) <= limit:
        return ", ".join(members)
    return f"{', '.join(members[:limit])} and {len(members) - limit} more"
