"""Read and restore the state of a fitted model, for model files."""

from collections.abc import Mapping
from typing import Any, ClassVar


class KeepsState:
    """Mixin for estimators that declare which attributes `fit` sets.

    A subclass lists its own in `_fitted`; those of its bases are added. A subclass whose attributes are not plain
    values, arrays, tables or estimators overrides `_state` and `_restore`.
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
        """Restore the state that `_state` of the same class returned."""
        vars(self).update(state)
