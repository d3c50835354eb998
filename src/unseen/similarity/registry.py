"""List the similarities by name."""

from unseen.similarity.adaptive import AdaptiveSimilarity
from unseen.similarity.base import Similarity
from unseen.similarity.bilinear import BilinearSimilarity
from unseen.similarity.direct import DirectSimilarity
from unseen.utils.registry import Registry

SIMILARITIES: Registry[type[Similarity]] = Registry(
    "similarity",
    {"adaptive": AdaptiveSimilarity, "bilinear": BilinearSimilarity, "direct": DirectSimilarity},
    other="a Similarity",
    outside=True,
)
