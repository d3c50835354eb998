"""Show a studio in a notebook."""

import html
from dataclasses import dataclass
from typing import Any

from unseen.studio.opening import open_studio
from unseen.studio.session import Studio
from unseen.utils.validation import check_whole_number
from unseen.workflows.fitting import AnyModel


@dataclass(frozen=True, eq=False)
class StudioView:
    """A studio as a notebook shows it: the page in a frame, which cannot reach the notebook around it.

    Attributes
    ----------
    studio : Studio
    height : int
        Height of the frame in pixels.
    """

    studio: Studio
    height: int = 860

    def __repr__(self) -> str:
        shown, candidates = self.studio.shown, self.studio.candidates
        return f"<Studio: {len(shown.names):,} rows of {shown.name or 'data'} among {len(candidates)} candidates>"

    def _repr_html_(self) -> str:
        page = html.escape(self.studio.page())
        return (
            f'<iframe title="unseen studio" srcdoc="{page}" sandbox="allow-scripts allow-downloads" '
            f'style="width:100%;height:{self.height}px;border:1px solid #8886;border-radius:8px"></iframe>'
        )


def show_studio(model: AnyModel, data: Any, classes: Any = None, *, height: int = 860, **options: Any) -> StudioView:
    """Open a studio inside a notebook.

    Parameters
    ----------
    model, data, classes, **options
        As for `open_studio`.
    height : int, default 860
        Height of the page in pixels.

    Examples
    --------
    >>> from unseen import JFA, load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> show_studio(JFA().fit(data.X_train, data.y_train, classes=data.classes), data)
    <Studio: 900 rows of digit-pairs among 30 candidates>
    """
    return StudioView(open_studio(model, data, classes, **options), check_whole_number(height, "height", 100))
