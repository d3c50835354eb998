"""A model once it is fitted: here, or in a file."""

import os
from dataclasses import dataclass
from typing import Any, TypeAlias

from unseen.confidence import CoverageCurve
from unseen.files import ModelFile, read_model_file, save
from unseen.files.model_file import check_fitted, find_feature_names
from unseen.models.wrappers.calibrated import calibration_of
from unseen.selection import Selection
from unseen.selection.grid import Estimator


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
