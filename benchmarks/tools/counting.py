"""Count calls, because counts are the same on a busy machine."""

from functools import wraps


class CallCount:
    """Count the calls of a method of a class while a block runs; nothing of the calls is kept.

    Attributes
    ----------
    calls : int
        How many there were.
    """

    def __init__(self, owner: type, method: str) -> None:
        self._owner, self._method = owner, method
        self.calls = 0

    def __enter__(self) -> "CallCount":
        self._original = original = getattr(self._owner, self._method)

        @wraps(original)
        def count(*arguments: object, **named: object) -> object:
            self.calls += 1
            return original(*arguments, **named)

        setattr(self._owner, self._method, count)
        return self

    def __exit__(self, *_: object) -> None:
        setattr(self._owner, self._method, self._original)
