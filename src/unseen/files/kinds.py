"""What a model file may hold: the classes that loading makes, by name, and nothing else.

A class of this package is named by itself ("JFA"). One from outside that was registered has the name that it was
registered under ("package.module:Class"), so that it cannot be taken for one of ours.
"""

import re
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from unseen import learning, models, similarity
from unseen.confidence import CoverageCurve
from unseen.features import STEPS, DescriptionScaling, FeatureScaling
from unseen.learning.losses import LOSSES
from unseen.learning.solvers import SOLVERS
from unseen.models import MODELS
from unseen.models.state import KeepsState
from unseen.similarity import SIMILARITIES
from unseen.transduction import REFINEMENTS
from unseen.transduction.space import WhitenedSpace
from unseen.utils.registry import Registry, is_qualified

Kinds = Mapping[str, type]

# A cache on disk is not part of a model, and reading one may run code.
SKIPPED_PARAMETERS = {"memory"}

# How scikit-learn writes what `fit` leaves behind.
_LEFT_BY_FIT = re.compile(r"[A-Za-z]\w*_", flags=re.ASCII)


def _list_members(module: Any) -> list[type]:
    return [member for name in module.__all__ if isinstance(member := getattr(module, name), type)]


_MODELS_AND_WRAPPERS = {kind.__name__: kind for kind in _list_members(models) if issubclass(kind, KeepsState)}

# Estimators of scikit-learn that hold others, which are their parameters.
_HOLDERS = {kind.__name__: kind for kind in (FrozenEstimator, Pipeline)}

# Losses, solvers, sets of weights, and what `fit` learns in some models: plain dataclasses, made of their fields.
_LEARNED = (CoverageCurve, DescriptionScaling, FeatureScaling, WhitenedSpace)
_PARTS = {
    kind.__name__: kind
    for kind in (*_list_members(learning), *_list_members(similarity), *_LEARNED)
    if is_dataclass(kind)
}


def estimators() -> Kinds:
    """Return models, wrappers around them, refinements and steps of preparation, by their names in a file."""
    return _MODELS_AND_WRAPPERS | _HOLDERS | _name_kinds(MODELS) | _name_kinds(REFINEMENTS) | _name_kinds(STEPS)


def parts() -> Kinds:
    """Return the dataclasses that parameters and fitted states are made of, by their names in a file."""
    return _PARTS | _name_kinds(LOSSES) | _name_kinds(SOLVERS)


def similarities() -> Kinds:
    """Return the similarities, made of their parameters and then given their weights, by their names in a file."""
    return _name_kinds(SIMILARITIES)


def name_of(kind: type, known: Kinds) -> str | None:
    """Return the name of a class in a file, or None if it is not among those known."""
    return next((name for name, listed in known.items() if listed is kind), None)


def _name_kinds(registry: Registry[Any]) -> dict[str, type]:
    return {name if is_qualified(name) else kind.__name__: kind for name, kind in registry.items()}


def may_have(kind: type, name: str) -> bool:
    """Tell whether a fitted estimator of this kind may have an attribute of this name."""
    return name in kind._fitted_names() if issubclass(kind, KeepsState) else bool(_LEFT_BY_FIT.fullmatch(name))


def state_of(estimator: Any) -> dict[str, Any]:
    """Return what `fit` left behind, empty if it was not called."""
    if isinstance(estimator, KeepsState):
        return estimator._state()
    return {
        name: value for name, value in vars(estimator).items() if value is not None and may_have(type(estimator), name)
    }


def restore(estimator: Any, state: dict[str, Any]) -> None:
    """Give an estimator its state back."""
    if not state:
        return
    if isinstance(estimator, KeepsState):
        estimator._restore(state)
    else:
        vars(estimator).update(state)
