"""Prepare features phi(x) and class descriptions psi(y) for the similarity."""

from unseen.features.reduction import PAPER_DIMENSIONS, dimension_reduction
from unseen.features.rows import Rows
from unseen.features.rowwise import SquareRoot, UnitNorm, widen
from unseen.features.scaling import DescriptionScaling, FeatureScaling
from unseen.features.simplex_coder import SimplexCoder
from unseen.features.steps import STEPS, make_preparation
from unseen.features.whitening import Whitening

__all__ = [
    "PAPER_DIMENSIONS",
    "STEPS",
    "DescriptionScaling",
    "FeatureScaling",
    "Rows",
    "SimplexCoder",
    "SquareRoot",
    "UnitNorm",
    "Whitening",
    "dimension_reduction",
    "make_preparation",
    "widen",
]
