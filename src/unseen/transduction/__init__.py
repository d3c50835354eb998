"""A whole batch of unlabelled rows at once: refinements that wrap any model, one file each, named after their paper."""

from unseen.transduction.base import TransductiveClassifier, is_transductive
from unseen.transduction.spzsr import SPZSR

__all__ = ["SPZSR", "TransductiveClassifier", "is_transductive"]
