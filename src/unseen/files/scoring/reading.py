"""Open a model file to ask it, with scikit-learn only where the model needs it."""

import os
import re
from pathlib import Path
from typing import Any

from unseen import __version__
from unseen.confidence.alone import AloneCalibration
from unseen.confidence.coverage import CoverageCurve
from unseen.features.scaling import DescriptionScaling, FeatureScaling
from unseen.files.container import Arrays, read_container
from unseen.files.model_file import ModelFile, make_model_file
from unseen.files.scoring.fields import Fields, NeedsEstimator
from unseen.files.scoring.layers import Layer
from unseen.files.scoring.models import MODELS
from unseen.files.scoring.steps import STEPS
from unseen.files.tree_reader import TreeReader
from unseen.learning.losses import Maximum, RankingSum, SoftMaximum
from unseen.models.densities.gaussian_classes import GaussianClasses
from unseen.models.exemplars.description_regression import DescriptionKernel, DescriptionRegression
from unseen.similarity import AdaptiveSimilarity, BilinearSimilarity, DirectSimilarity

_SIMILARITIES = {kind.__name__: kind for kind in (AdaptiveSimilarity, BilinearSimilarity, DirectSimilarity)}
_PARTS = {
    kind.__name__: kind
    for kind in (
        AloneCalibration,
        CoverageCurve,
        DescriptionKernel,
        DescriptionRegression,
        DescriptionScaling,
        FeatureScaling,
        GaussianClasses,
        Maximum,
        RankingSum,
        SoftMaximum,
    )
}


class _ScorerReader(TreeReader):
    """Read of each estimator only what scores need."""

    def __init__(self, arrays: Arrays) -> None:
        super().__init__(arrays, _PARTS, _SIMILARITIES)

    def _read_estimator(self, tree: dict[str, Any]) -> Any:
        read = MODELS.get(tree["estimator"]) or STEPS.get(tree["estimator"])
        if read is None:
            raise NeedsEstimator
        return read(Fields(self, tree))


def open_to_ask(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model file for `predict_proba` alone.

    Where the scores of the model are two products, the `model` of what is returned is a `Layer`, which answers as the
    estimator does without importing scikit-learn, SciPy or pandas. Otherwise it is the estimator.

    Parameters
    ----------
    path : path-like
        The model file.
    """
    header, arrays = read_container(Path(path))
    try:
        # A newer version may have written what this one would leave out in silence; the full reader refuses it.
        if not _is_newer(header["versions"]["unseen"]):
            return make_model_file(header, _ScorerReader(arrays).read(header["model"]), Path(path))
    except (NeedsEstimator, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        # Whatever is wrong with the file, the full reader has a sentence for it.
        pass
    from unseen.files.loading import make_model

    return make_model(header, arrays, Path(path))


def is_layer(model: Any) -> bool:
    """Tell whether a model is what `open_to_ask` makes of a file without scikit-learn."""
    return type(model).__module__ == Layer.__module__


def _is_newer(version: str) -> bool:
    """Tell whether a file is from a later version of unseen than this one."""
    return _read_numbers(version) > _read_numbers(__version__)


def _read_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)[:3]]
