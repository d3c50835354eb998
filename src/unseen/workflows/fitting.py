"""Fit a model: make it, choose its parameters, calibrate it. Open models that are fitted already."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from unseen.confidence import CoverageCurve
from unseen.data import TrainingRows, ZeroShotDataset
from unseen.data.splits import Split
from unseen.files import ModelFile, read_model_file, save
from unseen.files.model_file import check_fitted, find_feature_names
from unseen.models import Calibrated
from unseen.models.wrappers.calibrated import calibration_of
from unseen.selection import Selection
from unseen.selection.grid import Estimator
from unseen.selection.grid import fit as fit_model
from unseen.utils.progress import OnProgress, Progress, ignore
from unseen.workflows.inputs.data import Named, find_encoder, load_to_learn
from unseen.workflows.making import make_model
from unseen.workflows.searching import search


@dataclass(frozen=True, eq=False)
class Fitted:
    """What `fit` made.

    Attributes
    ----------
    model : estimator
        Fitted.
    data : str
        What the data are called.
    n_rows : int
        How many rows it learned from.
    search : Selection or None
        How its parameters were chosen, if they were.
    encoder : dict or None
        What encoded the features, where that is known.
    feature_names : tuple of str or None
        What the columns of the features are called, where they have names.
    """

    model: Estimator
    data: str
    n_rows: int
    search: Selection | None = None
    encoder: dict[str, Any] | None = None
    feature_names: tuple[str, ...] | None = None

    @property
    def expected(self) -> CoverageCurve | None:
        """What to expect for unseen classes, as measured on held-out seen ones; None if it is not calibrated."""
        calibration = calibration_of(self.model)
        return None if calibration is None else calibration.curve_

    @property
    def expected_accuracy(self) -> float | None:
        """The share of answers to expect right for unseen classes when all rows are answered."""
        return None if self.expected is None else float(self.expected.accuracy[0])

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write a model file, with how the parameters were chosen and what encoded the features."""
        save(
            self.model,
            path,
            encoder=self.encoder,
            selection=self.search,
            feature_names=self.feature_names,
            force=force,
        )


# A model file or its path, what `fit` returned, or a fitted estimator.
AnyModel: TypeAlias = str | os.PathLike[str] | ModelFile | Fitted | Estimator


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


def open_model(model: AnyModel) -> ModelFile:
    """Return a fitted model with what is known of it.

    Parameters
    ----------
    model : path-like, ModelFile, Fitted or fitted estimator
    """
    if isinstance(model, str | os.PathLike):
        return read_model_file(model)
    if isinstance(model, ModelFile):
        return model
    if isinstance(model, Fitted):
        return ModelFile(model.model, model.encoder, feature_names=model.feature_names)
    check_fitted(model)
    return ModelFile(model, feature_names=find_feature_names(model))
