"""A page on which to see what a model recognises, change the description of a class, and watch every answer follow.

In a notebook, ``unseen.studio(model, data)`` shows it: the package itself can be called, and does what `show_studio`
does.
"""

import sys
from types import ModuleType
from typing import Any

from unseen.studio.notebook import StudioView, show_studio
from unseen.studio.opening import open_studio
from unseen.studio.session import Studio
from unseen.studio.writing import write_studio

__all__ = ["Studio", "StudioView", "open_studio", "show_studio", "write_studio"]


class _CallablePackage(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> StudioView:
        return show_studio(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
