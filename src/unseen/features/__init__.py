"""phi(x) and psi(y): how raw features and descriptions become what the similarity compares."""

from unseen.features.rows import Rows
from unseen.features.scaling import DescriptionScaling, FeatureScaling

__all__ = ["DescriptionScaling", "FeatureScaling", "Rows"]
