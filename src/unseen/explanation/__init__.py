"""Why this class: attributes that an image moves, or that add to its score."""

from unseen.explanation.explanation import Explanation, explain
from unseen.explanation.figure import draw

__all__ = ["Explanation", "draw", "explain"]
