"""Compute the similarity f(x, y; W, omega) of an image and a class description, both of which may be displaced."""

from unseen.similarity.adaptive import AdaptiveSimilarity
from unseen.similarity.alternating.alternate import AlternatingResult, alternate, alternate_all, constrained_scores
from unseen.similarity.base import AffineSimilarity, Similarity
from unseen.similarity.bilinear import BilinearSimilarity
from unseen.similarity.direct import DirectSimilarity
from unseen.similarity.omega import Omega
from unseen.similarity.registry import SIMILARITIES
from unseen.similarity.sets.feasible import AllSpace, Ball, Box, FeasibleSet, NonNegative, Simplex
from unseen.similarity.sets.weights import (
    AllMatrices,
    FrobeniusBall,
    Intersection,
    NonNegativeMatrices,
    SpectralBall,
    WeightSet,
)

__all__ = [
    "SIMILARITIES",
    "AdaptiveSimilarity",
    "AffineSimilarity",
    "AllMatrices",
    "AllSpace",
    "AlternatingResult",
    "Ball",
    "BilinearSimilarity",
    "Box",
    "DirectSimilarity",
    "FeasibleSet",
    "FrobeniusBall",
    "Intersection",
    "NonNegative",
    "NonNegativeMatrices",
    "Omega",
    "Similarity",
    "Simplex",
    "SpectralBall",
    "WeightSet",
    "alternate",
    "alternate_all",
    "constrained_scores",
]
