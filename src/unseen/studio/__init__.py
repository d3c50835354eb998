"""A page on which to see what a model recognises, change the description of a class, and watch every answer follow."""

from unseen.studio.opening import open_studio
from unseen.studio.session import Studio

__all__ = ["Studio", "open_studio"]
