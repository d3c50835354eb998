"""Try recipes on held-out seen classes, doing nothing twice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from unseen.data import TrainingRows
from unseen.features.anywhere import fit_rows, transform_rows
from unseen.models import Prepared
from unseen.models.base import core_of
from unseen.models.wrappers.blend_weights import HeldOut, measure_spreads
from unseen.models.wrappers.rehearsal import Rehearsed, rehearse
from unseen.selection import ClassKFold
from unseen.selection.folds import Fold, make_class_disjoint_folds
from unseen.selection.grid import Estimator
from unseen.selection.rounds import SECOND_STEPS, cut_short
from unseen.selection.rows_of_classes import draw_rows_of_classes
from unseen.selection.trials import ignore_limits
from unseen.utils.arrays import take_rows, widen
from unseen.utils.errors import InputError
from unseen.utils.progress import OnProgress, Progress, ignore
from unseen.utils.workers import count_cores, limit_jobs

Floats = NDArray[np.float64]

# A third of the classes is held out at a time.
N_FOLDS = 3


@dataclass(frozen=True, eq=False)
class Recipe:
    """How features and descriptions are prepared, and a model that learns from them."""

    features: Any
    descriptions: Any
    model: Estimator

    def cut_short(self) -> Self:
        """Return the recipe with a model that is not fitted to the end, if it can be stopped early."""
        limits = cut_short(self.model, {}, SECOND_STEPS)
        return replace(self, model=clone(self.model).set_params(**limits)) if limits else self

    def make(self) -> Estimator:
        """Make the model, with the preparation around it."""
        if self.features is None and self.descriptions is None:
            return clone(self.model)
        return Prepared(
            clone(self.model),
            features=clone(self.features, safe=False),
            descriptions=clone(self.descriptions, safe=False),
        )


class Trials:
    """Folds of held-out seen classes, on which recipes are tried.

    Parameters
    ----------
    rows : TrainingRows
    most_rows : int
        Of more rows only so many are used, drawn evenly from the classes.
    n_repeats : int
        Number of times that the classes are divided anew.
    jobs : int, default 1
        Number of threads.
    seed : int, default 0
    on_progress : callable, optional
    """

    def __init__(
        self,
        rows: TrainingRows,
        most_rows: int,
        n_repeats: int,
        *,
        jobs: int = 1,
        seed: int = 0,
        on_progress: OnProgress = ignore,
    ) -> None:
        labels, encoded = np.unique(rows.y, return_inverse=True)
        random = np.random.default_rng(seed)
        drawn = draw_evenly(encoded, most_rows, random)
        self.X, self.y, self.encoded = widen(take_rows(rows.X, drawn)), rows.y[drawn], encoded[drawn]
        self.table = rows.classes.select(labels)
        shares = np.bincount(encoded) / np.bincount(self.encoded)
        # A drawn row stands for those of its class that were not, so that regularisers keep their meaning.
        self.weights = None if len(drawn) == len(encoded) else shares[self.encoded]
        self.folds = [fold for _ in range(n_repeats) for fold in self._divide(int(random.integers(2**31)))]
        self.jobs, self.on_progress = jobs, on_progress
        self._prepared: dict[tuple[int, str], Any] = {}
        self._rehearsed: dict[str, list[Rehearsed]] = {}
        self._done = 0

    @property
    def n_classes(self) -> int:
        """Number of seen classes."""
        return len(self.table)

    @cached_property
    def fewest_rows(self) -> int:
        """Number of rows that are left to learn from, whichever classes are held out, here and in calibration."""
        counts = np.sort(np.bincount(self.encoded))
        return int(0.8 * counts[: self.n_classes - -(-self.n_classes // N_FOLDS)].sum())

    def rehearse(self, recipes: Sequence[Recipe], about: str) -> list[list[Rehearsed]]:
        """Return what each recipe answers about the held-out classes of each fold."""
        keys = [joblib.hash((recipe.features, recipe.descriptions, recipe.model)) for recipe in recipes]
        missing = {key: recipe for key, recipe in zip(keys, recipes, strict=True) if key not in self._rehearsed}
        total, self._done = len(missing) * len(self.folds), 0
        self.on_progress(Progress(about, 0, total))
        jobs = limit_jobs(self.jobs, total) or 1
        # By recipe within fold, so that no two threads prepare the same features.
        tasks = [joblib.delayed(self._visit)(at, missing, about, total) for at in range(len(self.folds))]
        with ignore_limits(), threadpool_limits(max(1, count_cores() // jobs) if jobs > 1 else None, user_api="blas"):
            by_fold = joblib.Parallel(jobs, require="sharedmem")(tasks) if missing else []
        for key, found in zip(missing, zip(*by_fold, strict=True), strict=True):
            self._rehearsed[key] = list(found)
        return [self._rehearsed[key] for key in keys]

    def measure(self, parts: Sequence[list[Rehearsed]], weights: Sequence[Floats] | None = None) -> Floats:
        """Return the accuracy of each held-out class, for parts averaged by the weights of each fold, or evenly."""
        if weights is None:
            weights = [np.full(len(parts), 1 / len(parts))] * len(self.folds)
        right, counts = np.zeros(self.n_classes), np.zeros(self.n_classes)
        for fold, held_out, own in zip(self.folds, self.compare(parts), weights, strict=True):
            places = self.encoded[fold.test]
            right += np.bincount(places, held_out.find_right(own), self.n_classes)
            counts += np.bincount(places, minlength=self.n_classes)
        return np.asarray(right / counts)

    def compare(self, parts: Sequence[list[Rehearsed]]) -> list[HeldOut]:
        """Return the scores of several parts on a common scale, fold by fold."""
        spreads = measure_spreads(parts)
        return [HeldOut.of(runs, spreads) for runs in zip(*parts, strict=True)]

    def _divide(self, seed: int) -> list[Fold]:
        splitter = ClassKFold(N_FOLDS, random_state=seed)
        return list(make_class_disjoint_folds(splitter, self.X, self.y, self.table))

    def _visit(self, at: int, recipes: dict[str, Recipe], about: str, total: int) -> list[Rehearsed]:
        found = []
        for recipe in recipes.values():
            model = Recipe(None, recipe.descriptions, recipe.model).make()
            weights = self.weights if has_fit_parameter(core_of(recipe.model), "sample_weight") else None
            found.append(rehearse(model, self._prepare(at, recipe.features), self.y, self.folds[at], weights))
            self._done += 1
            self.on_progress(Progress(about, self._done, total))
        return found

    def _prepare(self, at: int, features: Any) -> Any:
        """Return all rows, prepared as the rows of the fold's training classes say."""
        steps = [] if features is None else _list_steps(features)
        if not steps:
            return self.X
        key = (at, joblib.hash(steps))
        if key not in self._prepared:
            # Step by step, because preparations that begin alike share their beginning.
            before, train = self._prepare(at, steps[:-1]), self.folds[at].train
            try:
                step = fit_rows(clone(steps[-1]), take_rows(before, train), self.y[train])
                self._prepared[key] = transform_rows(step, before)
            except ValueError as error:  # of scikit-learn, such as more principal components than features
                reason = " ".join(str(error).split())
                raise InputError(
                    f"features={steps[-1]!r} cannot be fitted to the {len(train)} rows that are left when classes are "
                    f"held out ({reason}): change its parameters"
                ) from error
        return self._prepared[key]


def _list_steps(features: Any) -> list[Any]:
    if isinstance(features, list):
        return features
    return [step for _, step in features.steps] if isinstance(features, Pipeline) else [features]


def draw_evenly(encoded: NDArray[np.int64], most: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Draw at most so many rows, the same number of each class as far as there are any; at least two of each.

    >>> encoded = np.array([0, 0, 0, 0, 0, 1, 1])
    >>> np.bincount(encoded[draw_evenly(encoded, 5, np.random.default_rng(0))]).tolist()
    [3, 2]
    """
    counts = np.bincount(encoded)
    share = 2
    while np.minimum(counts, share + 1).sum() <= most and share < counts.max():
        share += 1
    return draw_rows_of_classes(encoded, share, random)
