"""Evaluate a model on a dataset: draw seeds, fit, and measure."""

import inspect
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from unseen.data import ZeroShotDataset
from unseen.evaluation.metrics import Candidates
from unseen.evaluation.result import EvaluationResult
from unseen.evaluation.seeding import declares_randomness, trial_seed, with_seed
from unseen.evaluation.settings.inductive import Setting, make_setting
from unseen.evaluation.trial import Trial
from unseen.models import Calibrated
from unseen.utils.errors import InputError, shorten
from unseen.utils.validation import check_whole_number
from unseen.utils.wrapping import iterate_layers, list_refinements, unwrap

LARGEST_SEED = 2**32 - 1


def evaluate(
    model: Any,
    dataset: ZeroShotDataset,
    setting: str | Setting = "standard",
    *,
    trials: int = 10,
    random_state: int = 0,
    name: str | None = None,
    on_trial: Callable[[int, Trial], None] | None = None,
) -> EvaluationResult:
    """Measure how well a model recognises the unseen classes of a dataset.

    Each trial fits a copy of the model, with its own random seed, on the training rows and the descriptions of the seen
    classes only. The model gets the descriptions of the unseen classes only when it predicts.

    Parameters
    ----------
    model : estimator
        A model with the methods of `unseen.models`: `fit(X, y, classes=)`, `predict(X, classes=)` and, for the
        generalized and the retrieval setting, `decision_function(X, classes=)`.
    dataset : ZeroShotDataset
    setting : "standard" (default), "generalized", "retrieval", "transductive", "transductive-generalized" or a Setting
        What to evaluate. `Generalized(folds=...)` sets how many folds choose the constant of calibrated stacking.
        Transductive models (`unseen.transduction`) need a transductive setting, and all other models one of the others.
    trials : int, default 10
        Number of trials. A model without any `random_state` has one trial, because all would be the same.
    random_state : int, default 0
        Random seed, from which the seed of each trial is drawn.
    name : str, optional
        Name of the model in tables; by default its class.
    on_trial : callable, optional
        Function called with the number of each trial and its outcome as soon as it is done.

    Returns
    -------
    EvaluationResult

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.models import ESZSL
    >>> result = evaluate(ESZSL(), load_dataset("digit-pairs"), trials=1)
    >>> result.mean("mean per-class accuracy") > 0.5
    True
    """
    check_model(model)
    if not isinstance(dataset, ZeroShotDataset):
        raise InputError(f"dataset is a {type(dataset).__name__}: give a ZeroShotDataset, e.g. of load_dataset")
    check_whole_number(trials, "trials", 1)
    check_whole_number(random_state, "random_state", 0, LARGEST_SEED)
    chosen = make_setting(setting)
    candidates = chosen.candidates(dataset)
    done = []
    for number in range(trials if declares_randomness(model) else 1):
        trial = run_trial(model, dataset, chosen, trial_seed(random_state, number))
        done.append(trial)
        if on_trial is not None:
            on_trial(number, trial)
    return _make_result(model, dataset, chosen, candidates, done, name)


def evaluate_fitted(
    model: Any, dataset: ZeroShotDataset, setting: str | Setting = "standard", *, name: str | None = None
) -> EvaluationResult:
    """Measure a fitted model, for example one from a file, in a single trial.

    Parameters
    ----------
    model : estimator
        A model fitted without any of the unseen classes of the dataset.
    dataset, setting, name
        As for `evaluate`.
    """
    chosen = make_setting(setting)
    candidates = chosen.candidates(dataset)
    shown = np.intersect1d(model.classes_, dataset.unseen_classes)
    if shown.size:
        raise InputError(
            f"model was fitted on {shorten(shown)}, which the split of {dataset.name} leaves unseen: fit it on the "
            "seen classes of this split"
        )
    if model.n_features_in_ != dataset.X.shape[1]:
        raise InputError(
            f"dataset has {dataset.X.shape[1]} features, but the model was fitted on {model.n_features_in_}: "
            "extract them in the same way"
        )
    # A calibrated model has the scores of the model inside, which is quicker to fit.
    inside = next(layer for layer in iterate_layers(model) if not isinstance(layer, Calibrated))
    started = time.perf_counter()
    measurement = chosen.measure(inside, dataset, seed=0)
    trial = Trial(**vars(measurement), predict_seconds=time.perf_counter() - started)
    return _make_result(model, dataset, chosen, candidates, [trial], name)


def _make_result(
    model: Any,
    dataset: ZeroShotDataset,
    setting: Setting,
    candidates: Candidates,
    trials: list[Trial],
    name: str | None,
) -> EvaluationResult:
    return EvaluationResult(
        name=name or name_of(model),
        model=repr(model),
        dataset=dataset.name,
        setting=setting.name,
        candidates=candidates,
        trials=tuple(trials),
        random=declares_randomness(model),
    )


def run_trial(model: Any, dataset: ZeroShotDataset, setting: Setting, seed: int) -> Trial:
    """Fit a copy of the model with this seed and measure it."""
    fitted = with_seed(model, seed)
    started = time.perf_counter()
    fitted.fit(dataset.X_train, dataset.y_train, classes=dataset.seen_table)
    learned = time.perf_counter()
    measurement = setting.measure(fitted, dataset, seed)
    finished = time.perf_counter()
    return Trial(
        **vars(measurement),
        seed=seed,
        fit_seconds=learned - started,
        predict_seconds=finished - learned,
        parameters=_find_choice(fitted),
    )


def _find_choice(fitted: Any) -> dict[str, Any] | None:
    """Return the parameters that a search chose, as values that JSON can hold."""
    chosen = getattr(fitted, "best_params_", None)
    return None if chosen is None else dict(json.loads(json.dumps(dict(chosen), default=repr)))


def check_model(model: Any) -> None:
    """Raise an error unless this is a zero-shot estimator."""
    if isinstance(model, type):
        raise InputError(f"model is the class {model.__name__}: give an instance, {model.__name__}()")
    for method in ("get_params", "fit", "predict"):
        if not hasattr(model, method):
            raise InputError(
                f"model={model!r} has no method {method}: give an estimator of unseen.models or one like them"
            )
    parameters = inspect.signature(model.fit).parameters.values()
    if not any(p.name == "classes" or p.kind is p.VAR_KEYWORD for p in parameters):
        raise InputError(
            f"model={model!r} does not take class descriptions (fit has no argument 'classes'): "
            "give an estimator of unseen.models or one like them"
        )


def name_of(model: Any) -> str:
    """Name a model by its class, without searches and preparations; a refinement adds its own name.

    >>> from unseen.models import ESZSL
    >>> from unseen.transduction import SPZSR
    >>> name_of(ESZSL()), name_of(SPZSR(ESZSL()))
    ('ESZSL', 'ESZSL + SPZSR')
    """
    return " + ".join(type(part).__name__ for part in (unwrap(model), *reversed(list_refinements(model))))
