"""Measure the accuracy of a model on the unseen classes of a dataset."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unseen.data import ZeroShotDataset
from unseen.data.splits import Split
from unseen.evaluation import EvaluationResult
from unseen.evaluation import evaluate as measure
from unseen.evaluation.protocol import evaluate_fitted
from unseen.files import ModelFile
from unseen.selection.grid import Estimator
from unseen.utils.devices import find_device
from unseen.utils.errors import InputError, shorten
from unseen.utils.progress import Counter, OnProgress, Progress, ignore
from unseen.utils.wrapping import is_transductive
from unseen.workflows.fitting import Fitted, open_model
from unseen.workflows.inputs.data import Named, find_encoder, load_to_measure
from unseen.workflows.inputs.pictures import refuse_other_encoder
from unseen.workflows.making import make_model


def evaluate(
    model: str | os.PathLike[str] | ModelFile | Fitted | Estimator,
    data: Named | ZeroShotDataset,
    setting: str | None = None,
    *,
    split: Split = None,
    settings: Mapping[str, Any] | None = None,
    unit_norm: bool = False,
    pca: int | None = None,
    whiten: bool = False,
    refine: str | None = None,
    trials: int = 1,
    features: Any = None,
    device: str | None = None,
    seed: int = 0,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> EvaluationResult:
    """Measure the accuracy of a model on unseen classes, fitting it first if needed.

    Parameters
    ----------
    model : str, path-like, ModelFile, Fitted or estimator
        A model file, the result of `fit`, or a model to fit: its name or an unfitted estimator. A model that was fitted
        on any of the unseen classes raises an error.
    data : str, path-like or ZeroShotDataset
    setting : str, optional
        Setting as for `unseen.evaluate`; by default "standard", or "transductive" for a transductive model.
    split, features, **options
        As for `unseen.data.load_dataset`, if `data` is a name or path.
    settings, unit_norm, pca, whiten, refine
        As for `make_model`, for a model that is fitted here.
    trials : int, default 1
        Number of trials, for a model that is fitted here.
    device : str, optional
        A device of PyTorch, such as "cuda", to which the features are sent once; by default NumPy works on the
        processor.
    seed : int, default 0
        Random seed, from which the seed of each trial is drawn.
    on_progress : callable, optional

    Examples
    --------
    >>> evaluate("eszsl", "digit-pairs").mean("mean per-class accuracy") > 0.8
    True
    """
    file, made = None, None
    # Before reading the data, so that a wrong name is reported at once.
    if device is not None:
        find_device(device)
    if is_fitted_model(model):
        _refuse_changes(model, settings=settings, unit_norm=unit_norm, pca=pca, whiten=whiten, refine=refine)
        file = open_model(model)
    else:
        made = make_model(model, settings, unit_norm=unit_norm, pca=pca, whiten=whiten, refine=refine, seed=seed)
    dataset = load_to_measure(data, split, features, on_progress=on_progress, **options)
    if file is not None:
        dataset = dataset.reorder(file.feature_names)
        refuse_other_encoder(file.encoder, find_encoder(data, features), dataset.name)
        on_progress(Progress("measuring"))
        name = Path(model).name if isinstance(model, str | os.PathLike) else None
        return evaluate_fitted(file.model, dataset.send_to(device), setting or choose_setting(file.model), name=name)
    counter = Counter("fitting and measuring", trials, on_progress)
    chosen = setting or choose_setting(made)
    return measure(
        made, dataset.send_to(device), chosen, trials=trials, random_state=seed, on_trial=lambda *_: counter()
    )


def is_fitted_model(model: Any) -> bool:
    """Return whether a model is fitted already: a model file, or the result of `fit`."""
    if isinstance(model, str | os.PathLike):
        return Path(model).is_file()
    return isinstance(model, ModelFile | Fitted)


def choose_setting(model: Estimator) -> str:
    """Return the setting for a model: "standard", or "transductive" if it answers whole batches."""
    return "transductive" if is_transductive(model) else "standard"


def _refuse_changes(model: Any, **changes: Any) -> None:
    given = [name for name, value in changes.items() if value]
    if given:
        name = model if isinstance(model, str | os.PathLike) else "the model"
        raise InputError(f"{name} is fitted already, but {shorten(given)} is for a model to fit: leave it out")
