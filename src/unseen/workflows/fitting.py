"""Learn from data: make the model, choose its parameters, calibrate it, fit it."""

from collections.abc import Mapping, Sequence
from typing import Any

from unseen.data import TrainingRows, ZeroShotDataset
from unseen.data.splits import Split
from unseen.models import Calibrated
from unseen.selection.grid import Estimator
from unseen.selection.grid import fit as fit_model
from unseen.utils.progress import OnProgress, Progress, ignore
from unseen.workflows.fitted import Fitted
from unseen.workflows.loading import Named, find_encoder, load_to_learn
from unseen.workflows.making import make_model
from unseen.workflows.searching import search


def fit(
    data: Named | TrainingRows | ZeroShotDataset,
    model: str | Estimator = "jfa",
    *,
    split: Split = None,
    settings: Mapping[str, Any] | None = None,
    unit_norm: bool = False,
    pca: int | None = None,
    whiten: bool = False,
    refine: str | None = None,
    select: bool | Mapping[str, Sequence[Any]] = False,
    calibrate: bool = True,
    features: Any = None,
    jobs: int = 1,
    seed: int = 0,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> Fitted:
    """Learn from the seen classes of a dataset.

    Parameters
    ----------
    data : str, path-like, TrainingRows or ZeroShotDataset
        As for `unseen.data.load_training`, or loaded already.
    model, settings, unit_norm, pca, whiten, refine
        As for `make_model`.
    split, features, **options
        As for `unseen.data.load_training`, for data that are named.
    select : bool or mapping of str to sequence, default False
        Whether to choose parameters on held-out seen classes: from the small grid of the model, or from this grid.
    calibrate : bool, default True
        Whether to calibrate probabilities on held-out seen classes (5 more fits).
    jobs : int, default 1
        How many processes the search uses.
    seed : int, default 0
        Random seed of all parts.
    on_progress : callable, optional
        Told what is being done.

    Examples
    --------
    >>> fitted = fit("digit-pairs", "eszsl")
    >>> fitted.n_rows, fitted.expected_accuracy > 0.5
    (2100, True)
    """
    # Before reading the data, so that a slip in a name shows at once.
    made = make_model(model, settings, unit_norm=unit_norm, pca=pca, whiten=whiten, refine=refine, seed=seed)
    rows = load_to_learn(data, split, features, on_progress=on_progress, **options)
    found = None
    if select:
        grid = select if isinstance(select, Mapping) else None
        found = search(made, rows, grid, jobs=jobs, seed=seed, on_progress=on_progress)
        made = made.set_params(**found.best_params)
    if calibrate:
        made = Calibrated(made, random_state=seed)
    on_progress(Progress(f"learning from {len(rows.X):,} rows" + (" and calibrating" if calibrate else "")))
    fitted = fit_model(made, rows.X, rows.y, rows.classes)
    return Fitted(fitted, rows.name, len(rows.X), found, find_encoder(data, features), rows.feature_names)
