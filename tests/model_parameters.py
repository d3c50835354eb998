"""Set a parameter wherever a model has it: in itself, or in the parts of a blend."""

from typing import Any

from sklearn.base import clone


def with_scaling(model: Any, scaling: str | None) -> Any:
    """Return an unfitted copy in which the model, or every part of it, scales its data like this."""
    copy = clone(model)
    named = [name for name in copy.get_params() if name.split("__")[-1] == "scaling"]
    return copy.set_params(**dict.fromkeys(named, scaling))
