"""Choose parameters on held-out seen classes."""

from collections.abc import Mapping, Sequence
from typing import Any

from unseen.data import TrainingRows
from unseen.selection import Selection, select
from unseen.selection.grid import Estimator, find_full_name
from unseen.utils.errors import InputError
from unseen.utils.progress import OnProgress, Progress, ignore
from unseen.utils.wrapping import unwrap


def search(
    model: Estimator,
    rows: TrainingRows,
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    halving: bool = True,
    jobs: int = 1,
    seed: int = 0,
    on_progress: OnProgress = ignore,
) -> Selection:
    """Choose the best point of a grid on held-out seen classes.

    Parameters
    ----------
    model : estimator
        The model, as from `make_model`.
    rows : TrainingRows
    grid : mapping of str to sequence, optional
        Values of each parameter. Parameters of the innermost model need no prefix. By default the model's own small
        grid.
    halving : bool, default True
        Whether hopeless points are stopped early; see `unseen.selection.select`.
    jobs : int, default 1
        Number of processes.
    seed : int, default 0
        Random seed for the held-out classes.
    on_progress : callable, optional

    Examples
    --------
    >>> from unseen.data import load_training
    >>> from unseen.workflows import make_model
    >>> found = search(make_model("eszsl"), load_training("digit-pairs"), {"gamma": [1, 100]})
    >>> found.best_params
    {'gamma': 1}
    """
    full = {find_full_name(model, name): values for name, values in (grid or find_grid(model)).items()}

    def tell(done: int = 0, total: int | None = None) -> None:
        on_progress(Progress("searching on held-out seen classes", done, total))

    tell()
    return select(
        model, full, rows.X, rows.y, rows.classes, halving=halving, n_jobs=jobs, on_fits=tell, random_state=seed
    )  # fmt: skip


def find_grid(model: Estimator) -> Mapping[str, Sequence[Any]]:
    """Return the default grid of the innermost model.

    >>> from unseen.models import SJE
    >>> find_grid(SJE())
    {'step': [0.01, 0.03, 0.1, 0.3]}
    """
    core = unwrap(model)
    grid: Mapping[str, Sequence[Any]] = getattr(core, "default_grid", {})
    if not grid:
        raise InputError(
            f"model={type(core).__name__} has no default grid: give the values to choose from (--grid NAME=V1,V2)"
        )
    return grid
