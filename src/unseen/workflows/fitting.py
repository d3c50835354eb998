"""Fit a model to data, and open models that are fitted already."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from unseen.confidence import CoverageCurve, HeldOutAccuracy
from unseen.data import TrainingRows, ZeroShotDataset
from unseen.data.splits import Split
from unseen.files import ModelFile, read_model_file, save
from unseen.files.checking import check_fitted, find_feature_names
from unseen.models import Calibrated
from unseen.models.wrappers.calibrated import calibration_of
from unseen.selection import Selection
from unseen.selection.grid import Estimator
from unseen.selection.grid import fit as fit_model
from unseen.utils.devices import find_device
from unseen.utils.errors import InputError
from unseen.utils.progress import OnProgress, Progress, ignore
from unseen.workflows.choice.choosing import AUTO, EFFORTS, choose
from unseen.workflows.choice.decision import Choice
from unseen.workflows.inputs.data import Named, find_encoder, load_to_learn
from unseen.workflows.making import add_refinement, make_features, make_model
from unseen.workflows.searching import search
from unseen.workflows.views import view_fit


@dataclass(frozen=True, eq=False)
class Fitted:
    """The result of `fit`.

    Attributes
    ----------
    model : estimator
        The fitted model.
    data : str
        Name of the data.
    n_rows : int
        Number of training rows.
    search : Selection or None
        Search that chose the parameters, if there was one.
    choice : Choice or None
        Automatic choice of preparation and model, if there was one.
    encoder : dict or None
        Encoder of the features, if known.
    feature_names : tuple of str or None
        Names of the feature columns, if they have names.
    """

    model: Estimator
    data: str
    n_rows: int
    search: Selection | None = None
    choice: Choice | None = None
    encoder: dict[str, Any] | None = None
    feature_names: tuple[str, ...] | None = None

    @property
    def expected(self) -> CoverageCurve | None:
        """Expected coverage curve for unseen classes, measured on held-out seen classes; None if not calibrated."""
        calibration = calibration_of(self.model)
        return None if calibration is None else calibration.curve_

    @property
    def held_out(self) -> HeldOutAccuracy | None:
        """Accuracy on held-out seen classes, with its range; None if not calibrated."""
        calibration = calibration_of(self.model)
        return None if calibration is None else calibration.held_out_

    @property
    def expected_accuracy(self) -> float | None:
        """Expected accuracy for unseen classes when all rows are answered; None if there were too few rows to tell.

        It holds for as many candidates as were held out together (`held_out.n_candidates`).
        """
        return self.held_out.accuracy if self.held_out is not None and self.held_out.is_estimate else None

    def _repr_html_(self) -> str:
        return view_fit(self)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write a model file, including how model and parameters were chosen, and the encoder of the features."""
        save(
            self.model,
            path,
            encoder=self.encoder,
            selection=self.search,
            choice=None if self.choice is None else self.choice.as_record(),
            feature_names=self.feature_names,
            force=force,
        )


# A model file or its path, the result of `fit`, or a fitted estimator.
AnyModel: TypeAlias = str | os.PathLike[str] | ModelFile | Fitted | Estimator


def fit(
    data: Named | TrainingRows | ZeroShotDataset,
    model: str | Estimator | None = None,
    *,
    effort: str | None = None,
    split: Split = None,
    settings: Mapping[str, Any] | None = None,
    unit_norm: bool = False,
    pca: int | None = None,
    whiten: bool = False,
    refine: str | None = None,
    select: bool | Mapping[str, Sequence[Any]] = False,
    halving: bool = True,
    calibrate: bool = True,
    features: Any = None,
    device: str | None = None,
    jobs: int = 1,
    seed: int = 0,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> Fitted:
    """Fit a model on the seen classes of a dataset.

    Parameters
    ----------
    data : str, path-like, TrainingRows or ZeroShotDataset
        Name or path as for `unseen.data.load_training`, or loaded data.
    model : str or estimator, optional
        As for `make_model`. By default, or with "auto", it is chosen on held-out seen classes, together with the
        preparation of features and descriptions. Without a name, `settings` and `select` are those of JFA.
    effort : "quick", "normal" or "best", optional
        How much is tried for what is chosen automatically: seconds, under a minute, or minutes. By default "normal"
        where the model is chosen; for a named model nothing is chosen unless an effort is given, and then its
        preparation is.
    settings, unit_norm, pca, whiten, refine
        As for `make_model`. `unit_norm`, `pca` and `whiten` say how features are prepared, so that it is not chosen.
    split, features, **options
        As for `unseen.data.load_training`, if `data` is a name or path.
    select : bool or mapping of str to sequence, default False
        Whether to choose parameters on held-out seen classes: True takes the default grid of the model, a mapping is
        the grid itself.
    halving : bool, default True
        Whether `select` stops hopeless points early; see `unseen.selection.select`.
    calibrate : bool, default True
        Whether to calibrate, on held-out seen classes (5 more fits): probabilities, and the scores of seen classes
        where the candidates are seen and unseen ones.
    device : str, optional
        A device of PyTorch, such as "cuda", to which the rows are sent once and where all of the work is then done; by
        default NumPy works on the processor.
    jobs : int, default 1
        Number of processes for the search, or of threads for the automatic choice.
    seed : int, default 0
        Random seed for all parts.
    on_progress : callable, optional
        Function called with the progress.

    Examples
    --------
    >>> fitted = fit("digit-pairs", "eszsl")
    >>> fitted.n_rows, fitted.expected_accuracy > 0.5
    (2100, True)
    """
    named = _find_named(model, settings, select)
    effort = "normal" if named is None and effort is None else effort
    # Before reading the data, so that a wrong name is reported at once.
    _check_effort(effort, select)
    if device is not None:
        find_device(device)
    prepared = make_features(unit_norm=unit_norm, pca=pca, whiten=whiten, seed=seed)
    given: dict[str, Any] = {"unit_norm": unit_norm, "pca": pca, "whiten": whiten} if effort is None else {}
    plain = make_model(named or "jfa", settings, **given, seed=seed)
    made = add_refinement(plain, refine, seed=seed)
    rows = load_to_learn(data, split, features, on_progress=on_progress, **options).send_to(device)
    found, choice = None, None
    if effort is not None:
        choice = choose(
            rows,
            effort,
            model=None if named is None else plain,
            features=AUTO if prepared is None else prepared,
            jobs=jobs,
            seed=seed,
            on_progress=on_progress,
        )
        made = add_refinement(choice.model, refine, seed=seed)
    if select:
        grid = select if isinstance(select, Mapping) else None
        found = search(made, rows, grid, halving=halving, jobs=jobs, seed=seed, on_progress=on_progress)
        made = made.set_params(**found.best_params)
    if calibrate:
        made = Calibrated(made, random_state=seed)
    on_progress(Progress(f"learning from {len(rows.y):,} rows" + (" and calibrating" if calibrate else "")))
    fitted = fit_model(made, rows.X, rows.y, rows.classes)
    return Fitted(fitted, rows.name, len(rows.y), found, choice, find_encoder(data, features), rows.feature_names)


def _find_named(model: Any, settings: Any, select: Any) -> str | Estimator | None:
    """Return the model that was asked for, or None if it is to be chosen."""
    if model is not None and not (isinstance(model, str) and model == AUTO):
        return model
    return "jfa" if settings or select else None


def _check_effort(effort: str | None, select: Any) -> None:
    if effort is not None:
        EFFORTS.find(effort, "effort")
        if select:
            raise InputError(
                f"effort={effort!r} chooses a preparation for the parameters of the model, and select chooses these "
                "parameters: give one of them"
            )


def open_model(model: AnyModel) -> ModelFile:
    """Return a fitted model together with its record.

    Parameters
    ----------
    model : path-like, ModelFile, Fitted or fitted estimator
    """
    if isinstance(model, str | os.PathLike):
        return read_model_file(model)
    if isinstance(model, ModelFile):
        return model
    if isinstance(model, Fitted):
        choice = None if model.choice is None else model.choice.as_record()
        return ModelFile(model.model, model.encoder, choice=choice, feature_names=model.feature_names)
    check_fitted(model)
    return ModelFile(model, feature_names=find_feature_names(model))
