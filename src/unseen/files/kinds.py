"""List the classes that a model file may hold, by name.

A class of this package has its own name ("JFA"). A registered class from outside has its qualified name
("package.module:Class"), so that it cannot be mistaken for one of ours.
"""

import re
from dataclasses import is_dataclass
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from unseen import learning, models, similarity
from unseen.confidence import CoverageCurve, HeldOutAccuracy
from unseen.confidence.alone import AloneCalibration
from unseen.features import STEPS, DescriptionScaling, FeatureScaling
from unseen.files.tree_reader import Kinds
from unseen.learning.losses import LOSSES
from unseen.learning.solvers import SOLVERS
from unseen.models import MODELS
from unseen.models.attributes.machines.attribute_tree import AttributeTree
from unseen.models.compatibility.novelty import NoveltyDetector
from unseen.models.compatibility.tanh_network import TanhNetwork
from unseen.models.densities.gaussian_choice import Choice
from unseen.models.densities.gaussian_classes import GaussianClasses, Shape
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.models.exemplars.description_regression import DescriptionKernel, DescriptionRegression
from unseen.models.exemplars.exemplar_regression import ExemplarRegression
from unseen.models.exemplars.phantom_classes import PhantomClasses
from unseen.models.state import KeepsState
from unseen.similarity import SIMILARITIES
from unseen.transduction import REFINEMENTS
from unseen.transduction.space import WhitenedSpace
from unseen.utils.registry import Registry, is_qualified

# A cache on disk is not part of a model, and reading it may run code.
SKIPPED_PARAMETERS = {"memory"}

# How scikit-learn names fitted attributes.
_LEFT_BY_FIT = re.compile(r"[A-Za-z]\w*_", flags=re.ASCII)


def _list_members(module: Any) -> list[type]:
    return [member for name in module.__all__ if isinstance(member := getattr(module, name), type)]


_MODELS_AND_WRAPPERS = {kind.__name__: kind for kind in _list_members(models) if issubclass(kind, KeepsState)}

# Estimators of scikit-learn that have other estimators as parameters.
_HOLDERS = {kind.__name__: kind for kind in (FrozenEstimator, Pipeline)}

# Losses, solvers, sets of weights, and fitted parts of some models: plain dataclasses, rebuilt from their fields.
_FITTED = (
    AloneCalibration,
    AttributeTree,
    Choice,
    ClassStatistics,
    CoverageCurve,
    DescriptionKernel,
    DescriptionRegression,
    DescriptionScaling,
    ExemplarRegression,
    FeatureScaling,
    GaussianClasses,
    HeldOutAccuracy,
    NoveltyDetector,
    PhantomClasses,
    Shape,
    TanhNetwork,
    WhitenedSpace,
)
_PARTS = {
    kind.__name__: kind
    for kind in (*_list_members(learning), *_list_members(similarity), *_FITTED)
    if is_dataclass(kind)
}


def estimators() -> Kinds:
    """Return models, wrappers, refinements and preparation steps, by their names in a file."""
    return _MODELS_AND_WRAPPERS | _HOLDERS | _name_kinds(MODELS) | _name_kinds(REFINEMENTS) | _name_kinds(STEPS)


def parts() -> Kinds:
    """Return the dataclasses that occur in parameters and fitted states, by their names in a file."""
    return _PARTS | _name_kinds(LOSSES) | _name_kinds(SOLVERS)


def similarities() -> Kinds:
    """Return the similarities, which are rebuilt from parameters and weights, by their names in a file."""
    return _name_kinds(SIMILARITIES)


def name_of(kind: type, known: Kinds) -> str | None:
    """Return the name of a class in a file, or None if it is not known."""
    return next((name for name, listed in known.items() if listed is kind), None)


def _name_kinds(registry: Registry[Any]) -> dict[str, type]:
    return {name if is_qualified(name) else kind.__name__: kind for name, kind in registry.items()}


def may_have(kind: type, name: str) -> bool:
    """Tell whether a fitted estimator of this kind may have an attribute of this name."""
    return name in kind._fitted_names() if issubclass(kind, KeepsState) else bool(_LEFT_BY_FIT.fullmatch(name))


def state_of(estimator: Any) -> dict[str, Any]:
    """Return the fitted attributes by name; empty before `fit`."""
    if isinstance(estimator, KeepsState):
        return estimator._state()
    return {
        name: value for name, value in vars(estimator).items() if value is not None and may_have(type(estimator), name)
    }


def restore(estimator: Any, state: dict[str, Any]) -> None:
    """Restore the fitted state of an estimator."""
    if not state:
        return
    if isinstance(estimator, KeepsState):
        estimator._restore(state)
    else:
        vars(estimator).update(state)
