"""Evaluate a model on a dataset: draw seeds, fit, and measure."""

import inspect
import time
from collections.abc import Mapping
from typing import Any, overload

import numpy as np

from unseen.data import ZeroShotDataset
from unseen.evaluation.metrics import Candidates
from unseen.evaluation.result import EvaluationResult
from unseen.evaluation.running import OnTrial, Task, draw_tasks, run_tasks
from unseen.evaluation.seeding import declares_randomness
from unseen.evaluation.settings.inductive import Setting, make_setting
from unseen.evaluation.splits.result import SplitResult
from unseen.evaluation.trial import Trial
from unseen.models import Blend
from unseen.utils.errors import InputError, shorten
from unseen.utils.validation import check_whole_number
from unseen.utils.wrapping import list_refinements, unwrap

LARGEST_SEED = 2**32 - 1


@overload
def evaluate(
    model: Any,
    dataset: ZeroShotDataset,
    setting: str | Setting = "standard",
    *,
    trials: int | None = None,
    class_splits: None = None,
    n_unseen: None = None,
    random_state: int = 0,
    name: str | None = None,
    on_trial: OnTrial | None = None,
    finished: Mapping[int, Trial] | None = None,
    n_jobs: int | None = None,
) -> EvaluationResult: ...


@overload
def evaluate(
    model: Any,
    dataset: ZeroShotDataset,
    setting: str | Setting = "standard",
    *,
    trials: None = None,
    class_splits: int,
    n_unseen: int | None = None,
    random_state: int = 0,
    name: str | None = None,
    on_trial: OnTrial | None = None,
    finished: Mapping[int, Trial] | None = None,
    n_jobs: int | None = None,
) -> SplitResult: ...


def evaluate(
    model: Any,
    dataset: ZeroShotDataset,
    setting: str | Setting = "standard",
    *,
    trials: int | None = None,
    class_splits: int | None = None,
    n_unseen: int | None = None,
    random_state: int = 0,
    name: str | None = None,
    on_trial: OnTrial | None = None,
    finished: Mapping[int, Trial] | None = None,
    n_jobs: int | None = None,
) -> EvaluationResult | SplitResult:
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
    trials : int, optional
        Number of trials on the dataset's own split, by default 10. A model without any `random_state` has one trial,
        because all would be the same.
    class_splits : int, optional
        Number of random class splits, instead of trials on the dataset's own split: each is one trial, in which the
        dataset is split anew (`unseen.data.resplit`) and the model, with any search in it, fitted on the seen classes
        of this split. The first splits are the same however many there are, and the same for every model.
    n_unseen : int, optional
        Number of unseen classes in each class split, by default as many as the dataset has.
    random_state : int, default 0
        Random seed, from which the seed of each trial is drawn. The seed of a class split decides its classes too.
    name : str, optional
        Name of the model in tables; by default its class.
    on_trial : callable, optional
        Function called with the number of each trial and its outcome as soon as it is done.
    finished : mapping of int to Trial, optional
        Trials of an interrupted run by number, as `on_trial` was given them. They are not run again.
    n_jobs : int, optional
        Number of processes that run trials, -1 for one on each core; by default trials run in this process. Finished
        trials then reach `on_trial` in any order.

    Returns
    -------
    EvaluationResult or SplitResult
        A `SplitResult` if `class_splits` is given.

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
    check_whole_number(random_state, "random_state", 0, LARGEST_SEED)
    chosen = make_setting(setting)
    tasks = _plan(model, dataset, trials, class_splits, n_unseen, random_state)
    # Drawn first, so that a split without the rows that the setting needs is refused before the work begins.
    candidates = [chosen.candidates(task.split(dataset)) for task in (tasks if class_splits else tasks[:1])]
    done = run_tasks(model, dataset, chosen, tasks, finished or {}, on_trial, n_jobs)
    if class_splits is None:
        return _make_result(model, dataset, chosen, candidates[0], done, name)
    n_unseen = tasks[0].n_unseen or 0
    return SplitResult(
        name=name or name_of(model),
        model=repr(model),
        dataset=dataset.name,
        setting=chosen.name,
        trials=tuple(done),
        candidates=tuple(candidates),
        n_seen=len(dataset.seen_classes) + len(dataset.unseen_classes) - n_unseen,
        n_unseen=n_unseen,
    )


def _plan(
    model: Any,
    dataset: ZeroShotDataset,
    trials: int | None,
    class_splits: int | None,
    n_unseen: int | None,
    random_state: int,
) -> list[Task]:
    """List the trials to run, on the dataset's own split or on random ones."""
    if class_splits is None:
        if n_unseen is not None:
            raise InputError(
                f"n_unseen={n_unseen!r} is for random class splits: give class_splits too, or leave it out"
            )
        total = check_whole_number(10 if trials is None else trials, "trials", 1)
        return draw_tasks(random_state, total if declares_randomness(model) else 1)
    if trials is not None:
        raise InputError(
            f"trials={trials!r} and class_splits={class_splits!r}: give one of them; each class split is one trial"
        )
    total = check_whole_number(class_splits, "class_splits", 2)
    n_classes = len(dataset.seen_classes) + len(dataset.unseen_classes)
    n = len(dataset.unseen_classes) if n_unseen is None else n_unseen
    return draw_tasks(random_state, total, check_whole_number(n, "n_unseen", 1, n_classes - 2))


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
    started = time.perf_counter()
    measurement = chosen.measure(model, dataset, seed=0)
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
    refinements = [type(part).__name__ for part in reversed(list_refinements(model))]
    return " + ".join([_name_core(unwrap(model)), *refinements])


def _name_core(core: Any) -> str:
    if not isinstance(core, Blend):
        return type(core).__name__
    return f"Blend({', '.join(_name_core(unwrap(part)) for part in core.named_models.values())})"
