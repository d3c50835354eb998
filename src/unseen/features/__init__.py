"""Prepare features phi(x) and class descriptions psi(y) for the similarity."""

from typing import TYPE_CHECKING

from unseen.utils.importing import import_on_use

if TYPE_CHECKING:
    from unseen.features.descriptions.choices import list_description_choices
    from unseen.features.descriptions.kernel_map import KernelMap
    from unseen.features.descriptions.logit import Logit
    from unseen.features.descriptions.simplex_coder import SimplexCoder
    from unseen.features.feature_choices import list_feature_choices
    from unseen.features.reading.rows import Rows
    from unseen.features.reduction import PAPER_DIMENSIONS, dimension_reduction
    from unseen.features.rowwise import SquareRoot, UnitNorm
    from unseen.features.scaling import DescriptionScaling, FeatureScaling
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
        "descriptions.choices": ["list_description_choices"],
        "feature_choices": ["list_feature_choices"],
        "descriptions.kernel_map": ["KernelMap"],
        "descriptions.logit": ["Logit"],
        "reduction": ["PAPER_DIMENSIONS", "dimension_reduction"],
        "reading.rows": ["Rows"],
        "rowwise": ["SquareRoot", "UnitNorm"],
        "scaling": ["DescriptionScaling", "FeatureScaling"],
        "descriptions.simplex_coder": ["SimplexCoder"],
        "steps": ["STEPS", "make_preparation"],
        "whitening": ["Whitening"],
    },
)
