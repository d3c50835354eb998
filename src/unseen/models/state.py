"""What a fitted model keeps: the one hook through which model files see it."""

from collections.abc import Mapping
from typing import Any, ClassVar


class KeepsState:
    """Mixin of estimators that say themselves which attributes `fit` leaves behind.

    A subclass names its own in `_fitted`; those of its bases are added. One whose attributes are not plain values,
    arrays, tables or estimators overrides `_state` and `_restore`.
    """

    _fitted: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def _fitted_names(cls) -> list[str]:
        """List the attributes of a fitted model, those of base classes first."""
        own = (name for kind in reversed(cls.__mro__) for name in vars(kind).get("_fitted", ()))
        return list(dict.fromkeys(own))

    def _state(self) -> dict[str, Any]:
        """Return the fitted attributes by name; empty before `fit`."""
        return {name: getattr(self, name) for name in self._fitted_names() if name in vars(self)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state that `_state` of the same class returned."""
        vars(self).update(state)
