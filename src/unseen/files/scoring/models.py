"""Read models whose scores are affine from a file, and the wrappers around them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from unseen.files.scoring.fields import Fields, NeedsEstimator
from unseen.files.scoring.layers import AffineModel, BlendedModels, CalibratedModel, Layer, PreparedModel
from unseen.files.scoring.steps import Step, Steps
from unseen.learning.losses import find_probability_temperature
from unseen.models.scoring import LinearForm, score_bilinear
from unseen.similarity import AffineSimilarity


def _read_affine(
    find: Callable[[Fields], Callable[[Any], LinearForm]], temperature: Callable[[Fields], float] = lambda fields: 1.0
) -> Callable[[Fields], AffineModel]:
    """Return the reader of a model, given readers of how it scores scaled descriptions and of its temperature."""

    def read(fields: Fields) -> AffineModel:
        return AffineModel(
            fields.state("classes_"),
            fields.state("table_"),
            int(fields.state("n_features_in_")),
            temperature(fields),
            feature_scaling=fields.state("_feature_scaling"),
            description_scaling=fields.state("_description_scaling"),
            against=find(fields),
        )

    return read


def _find_matrix(name: str) -> Callable[[Fields], Callable[[Any], LinearForm]]:
    return lambda fields: partial(score_bilinear, fields.state(name))


def _find_similarity(fields: Fields) -> Callable[[Any], LinearForm]:
    similarity = fields.state("similarity_")
    if not isinstance(similarity, AffineSimilarity):
        raise NeedsEstimator
    return similarity.linear_form


def _find_loss_temperature(fields: Fields) -> float:
    return find_probability_temperature(fields.parameter("loss"), fields.parameter("temperature"))


def _find_gaussians(fields: Fields) -> Callable[[Any], LinearForm]:
    return partial(fields.state("gaussians_").linear_form, penalties=fields.state("class_penalties_"))


def _read_blend(fields: Fields) -> BlendedModels:
    factors = (fields.state("weights_") / fields.state("spreads_")).tolist()
    terms = [(factor, model) for factor, model in zip(factors, fields.state("models_"), strict=True) if factor]
    return BlendedModels(
        fields.state("classes_"),
        fields.state("table_"),
        int(fields.state("n_features_in_")),
        sum(factor * _check_layer(model).temperature for factor, model in terms),
        factors=[factor for factor, _ in terms],
        models=[model for _, model in terms],
    )


def _read_prepared(fields: Fields) -> PreparedModel:
    model = _check_layer(fields.state("model_"))
    features, descriptions = (fields.state_or_none(name) for name in ("features_", "descriptions_"))
    if not all(step is None or isinstance(step, Step | Steps) for step in (features, descriptions)):
        raise NeedsEstimator
    width = int((model if features is None else features).n_features_in_)
    return PreparedModel(fields.state("table_"), model, features, descriptions, width)


def _read_calibrated(fields: Fields) -> CalibratedModel:
    names = ("temperature_", "curve_", "seen_penalty_", "alone_")
    return CalibratedModel(_check_layer(fields.state("model_")), *map(fields.state_or_none, names))


def _check_layer(model: Any) -> Layer:
    if not isinstance(model, AffineModel | BlendedModels | PreparedModel | CalibratedModel):
        raise NeedsEstimator
    return model


_of_similarity = _read_affine(_find_similarity, _find_loss_temperature)
_of_V, _of_W = _read_affine(_find_matrix("V_")), _read_affine(_find_matrix("W_"))

# By their names in a file.
MODELS: Mapping[str, Callable[[Fields], Any]] = {
    "ALE": _of_W,
    "BilinearSVM": _of_similarity,
    "Blend": _read_blend,
    "Calibrated": _read_calibrated,
    "DeViSE": _of_W,
    "DirectJFA": _of_similarity,
    "ESZSL": _of_V,
    "GaussianJFA": _read_affine(_find_gaussians),
    "JFA": _of_similarity,
    "Prepared": _read_prepared,
    "Qiao": _of_V,
    "SJE": _of_W,
    "StructuralSVM": _of_similarity,
}
