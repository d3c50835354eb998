"""What a model file may hold: the classes that loading makes, by name, and nothing else."""

from dataclasses import is_dataclass
from typing import Any

from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from unseen import learning, models, similarity, transduction
from unseen.confidence import CoverageCurve
from unseen.features import DescriptionScaling, FeatureScaling, SimplexCoder, SquareRoot, UnitNorm, Whitening
from unseen.models.state import KeepsState
from unseen.transduction.space import WhitenedSpace

# Transformers, with what their `fit` leaves behind. A new step of preparation is one more line.
_EVERY = ("n_features_in_", "feature_names_in_")
_SPECTRUM = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_")
TRANSFORMERS: dict[type, tuple[str, ...]] = {
    FrozenEstimator: (),  # what it holds is a parameter
    Normalizer: _EVERY,
    PCA: (*_EVERY, *_SPECTRUM, "mean_", "n_components_", "n_samples_", "noise_variance_"),
    Pipeline: (),  # its steps are parameters
    SimplexCoder: (*_EVERY, "atoms_"),
    SquareRoot: _EVERY,
    StandardScaler: (*_EVERY, "mean_", "var_", "scale_", "n_samples_seen_"),
    TruncatedSVD: (*_EVERY, *_SPECTRUM),
    UnitNorm: _EVERY,
    Whitening: (*_EVERY, "mean_", "matrix_"),
}

# A cache on disk is no part of a model, and reading one may run code.
SKIPPED_PARAMETERS = {"memory"}


def _members(module: Any) -> list[type]:
    return [member for name in module.__all__ if isinstance(member := getattr(module, name), type)]


ESTIMATORS: dict[str, type] = {
    kind.__name__: kind
    for kind in (*_members(models), *_members(transduction), *TRANSFORMERS)
    if issubclass(kind, KeepsState) or kind in TRANSFORMERS
}

# Losses, solvers, sets of weights, and what `fit` learns in some models: plain dataclasses, made of their fields.
_LEARNED = (CoverageCurve, DescriptionScaling, FeatureScaling, WhitenedSpace)
PARTS: dict[str, type] = {
    kind.__name__: kind for kind in (*_members(learning), *_members(similarity), *_LEARNED) if is_dataclass(kind)
}

# What may be named as a class, not made: the similarities of `StructuralSVM`.
SIMILARITIES: dict[str, type] = {
    kind.__name__: kind for kind in _members(similarity) if issubclass(kind, similarity.Similarity)
}


def fitted_names(kind: type) -> list[str]:
    """List the attributes that a fitted estimator of this kind may have."""
    return kind._fitted_names() if issubclass(kind, KeepsState) else list(TRANSFORMERS[kind])


def state_of(estimator: Any) -> dict[str, Any]:
    """Return what `fit` left behind, empty if it was not called."""
    if isinstance(estimator, KeepsState):
        return estimator._state()
    return {name: value for name in TRANSFORMERS[type(estimator)] if (value := vars(estimator).get(name)) is not None}


def restore(estimator: Any, state: dict[str, Any]) -> None:
    """Give an estimator its state back."""
    if not state:
        return
    if isinstance(estimator, KeepsState):
        estimator._restore(state)
    else:
        vars(estimator).update(state)
