"""Prepare features phi(x) and class descriptions psi(y) for the similarity."""

from typing import TYPE_CHECKING

from unseen.utils.importing import import_on_use

if TYPE_CHECKING:
    from unseen.features.description_choices import list_description_choices
    from unseen.features.feature_choices import list_feature_choices
    from unseen.features.kernel_map import KernelMap
    from unseen.features.logit import Logit
    from unseen.features.reduction import PAPER_DIMENSIONS, dimension_reduction
    from unseen.features.rows import Rows
    from unseen.features.rowwise import SquareRoot, UnitNorm
    from unseen.features.scaling import DescriptionScaling, FeatureScaling
    from unseen.features.simplex_coder import SimplexCoder
    from unseen.features.steps import STEPS, make_preparation
    from unseen.features.whitening import Whitening

__all__ = [
    "PAPER_DIMENSIONS",
    "STEPS",
    "DescriptionScaling",
    "FeatureScaling",
    "KernelMap",
    "Logit",
    "Rows",
    "SimplexCoder",
    "SquareRoot",
    "UnitNorm",
    "Whitening",
    "dimension_reduction",
    "list_description_choices",
    "list_feature_choices",
    "make_preparation",
]

__getattr__, __dir__ = import_on_use(
    __name__,
    {
        "description_choices": ["list_description_choices"],
        "feature_choices": ["list_feature_choices"],
        "kernel_map": ["KernelMap"],
        "logit": ["Logit"],
        "reduction": ["PAPER_DIMENSIONS", "dimension_reduction"],
        "rows": ["Rows"],
        "rowwise": ["SquareRoot", "UnitNorm"],
        "scaling": ["DescriptionScaling", "FeatureScaling"],
        "simplex_coder": ["SimplexCoder"],
        "steps": ["STEPS", "make_preparation"],
        "whitening": ["Whitening"],
    },
)
