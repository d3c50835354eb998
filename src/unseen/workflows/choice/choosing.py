"""Choose preparation, model and parameters on held-out seen classes, one after the other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from unseen.data import TrainingRows
from unseen.features import list_description_choices, list_feature_choices
from unseen.models import BilinearSVM, Blend, GaussianJFA
from unseen.models.exemplars.description_regression import are_equidistant
from unseen.models.exemplars.gaussian_choice import DEFAULT, FEWEST_CLASSES
from unseen.models.wrappers.blend_weights import choose_weights
from unseen.models.wrappers.rehearsal import Rehearsed
from unseen.selection.grid import Estimator
from unseen.utils.progress import OnProgress, ignore
from unseen.utils.registry import Registry
from unseen.workflows.choice.decision import Choice, Decision
from unseen.workflows.choice.trials import N_FOLDS, Recipe, Trials, measure_spreads
from unseen.workflows.choice.words import name_model, name_preparation

AUTO: Final = "auto"


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    Attributes
    ----------
    most_rows : int
        Number of rows that choices are made on, at most.
    held_out : int
        Number of classes that are held out over all folds, at least; where there are fewer, they are divided anew.
    blends : bool
        Whether a bilinear model and its average with the Gaussian one are tried too.
    thorough : bool
        Whether rarer preparations and all combinations of the parameters of the Gaussian model are tried.
    """

    most_rows: int
    held_out: int
    blends: bool
    thorough: bool


EFFORTS: Registry[Effort] = Registry(
    "effort",
    {
        "quick": Effort(3_000, 100, blends=False, thorough=False),
        "normal": Effort(5_000, 150, blends=True, thorough=False),
        "best": Effort(20_000, 450, blends=True, thorough=True),
    },
)

# Values of the bilinear model, chosen in turn from this start, which was the best for held-out classes of CUB.
START: Mapping[str, float] = {"lam": 1.0, "temperature": 0.3}
TRIED: Mapping[str, Sequence[float]] = {"temperature": (0.1, 0.3, 1.0, 3.0), "lam": (0.3, 1.0, 3.0, 10.0)}


def choose(
    rows: TrainingRows,
    effort: str = "normal",
    *,
    model: Estimator | None = None,
    features: Any = AUTO,
    jobs: int = 1,
    seed: int = 0,
    on_progress: OnProgress = ignore,
) -> Choice:
    """Choose how to prepare features and descriptions, and which model learns from them.

    Parameters
    ----------
    rows : TrainingRows
    effort : "quick", "normal" (default) or "best"
        A name of `EFFORTS`.
    model : estimator, optional
        The model, if only its preparation is to be chosen.
    features : transformer or None, optional
        The preparation of features, if it is not to be chosen.
    jobs : int, default 1
        Number of threads.
    seed : int, default 0
        Random seed of the held-out classes and of all parts.
    on_progress : callable, optional

    Notes
    -----
    A choice that is less plain is made only if it is better by more than chance: if the mean difference in accuracy
    over the held-out classes exceeds its standard error.

    Examples
    --------
    >>> from unseen.data import load_training
    >>> choice = choose(load_training("digit-pairs"), "quick")
    >>> [decision.about for decision in choice.decisions], choice.accuracy > 0.9
    (['features', 'descriptions', 'model'], True)
    """
    amount = EFFORTS.find(effort, "effort")
    labels = np.unique(rows.y)
    missing = _find_obstacle(rows, labels)
    if missing:
        return _fall_back(rows, effort, model, features, missing)
    n_repeats = -(-amount.held_out // len(labels))
    trials = Trials(rows, amount.most_rows, n_repeats, jobs=jobs, seed=seed, on_progress=on_progress)
    return _Chooser(trials, amount, model, seed).run(effort, features)


def _find_obstacle(rows: TrainingRows, labels: NDArray[Any]) -> str:
    if len(labels) < FEWEST_CLASSES:
        return f"{len(labels)} classes are too few to hold some out (at least {FEWEST_CLASSES} are needed)"
    if are_equidistant(rows.classes.select(labels).vectors):
        return "the descriptions do not say which classes are alike, so that held-out classes cannot be recognised"
    return ""


def _fall_back(rows: TrainingRows, effort: str, model: Estimator | None, features: Any, missing: str) -> Choice:
    """Take what needs no choice."""
    made = GaussianJFA() if model is None else model
    if isinstance(features, str) and features == AUTO:
        features = list_feature_choices(rows.X[:1], max(1, len(rows.X) // 2))[0]
    note = (
        f"Nothing was chosen, because {missing}: {name_model(made)} learns from features {name_preparation(features)}."
    )
    return Choice(Recipe(features, None, made).make(), effort, note=note)


class _Chooser:
    """Make one decision after the other."""

    def __init__(self, trials: Trials, effort: Effort, model: Estimator | None, seed: int) -> None:
        self.trials, self.effort, self.model, self.seed = trials, effort, model, seed
        self.decisions: list[Decision] = []

    def run(self, effort: str, features: Any) -> Choice:
        recipes = [Recipe(None, None, judge) for judge in self._list_judges()]
        if isinstance(features, str) and features == AUTO:
            listed = list_feature_choices(
                self.trials.X, self.trials.fewest_rows, thorough=self.effort.thorough, random_state=self.seed
            )
            recipes = self._choose_preparation("features", recipes, listed)
        else:
            recipes = [replace(recipe, features=features) for recipe in recipes]
        recipes = self._choose_preparation("descriptions", recipes, list_description_choices(self.trials.table.vectors))
        model, accuracy = self._choose_model(recipes)
        made = replace(recipes[0], model=model).make()
        n_candidates = -(-self.trials.n_classes // N_FOLDS)
        return Choice(made, effort, tuple(self.decisions), accuracy, n_candidates)

    def _list_judges(self) -> list[Estimator]:
        """Return the models by whose average preparations are judged, with parameters that suit most data."""
        if self.model is not None:
            return [self.model]
        shape = (DEFAULT.within_shrinkage, DEFAULT.between_shrinkage)
        gaussian = GaussianJFA(
            DEFAULT.kernel,
            width=DEFAULT.width,
            ridge=DEFAULT.ridge,
            within_shrinkage=shape[0],
            between_shrinkage=shape[1],
        )
        return [gaussian, BilinearSVM(**START)] if self.effort.blends else [gaussian]

    def _choose_preparation(self, about: str, recipes: list[Recipe], listed: list[Any]) -> list[Recipe]:
        options = [[replace(recipe, **{about: option}) for recipe in recipes] for option in listed]
        flat = self._rehearse([recipe for option in options for recipe in option], about)
        size = len(recipes)
        accuracies = [self.trials.measure(flat[at : at + size]) for at in range(0, len(flat), size)]
        return options[self._decide(about, list(map(name_preparation, listed)), accuracies)]

    def _choose_model(self, recipes: list[Recipe]) -> tuple[Estimator, float]:
        if self.model is not None:
            (alone,) = self._rehearse(recipes, "the model")
            return self.model, float(self.trials.measure([alone]).mean())
        gaussian = replace(recipes[0], model=GaussianJFA(thorough=self.effort.thorough))
        parts = [gaussian]
        if self.effort.blends:
            parts.append(self._tune(recipes[1]))
        runs = self._rehearse(parts, "models")
        options = [recipe.model for recipe in parts]
        names, accuracies = list(map(name_model, options)), [self.trials.measure([run]) for run in runs]
        if len(parts) > 1:
            options.append(self._blend(options, runs))
            names.append("+".join(names))
            accuracies.append(self._measure_blend(runs))
        at = self._decide("model", names, accuracies)
        return options[at], float(accuracies[at].mean())

    def _tune(self, recipe: Recipe) -> Recipe:
        """Choose the parameters of the bilinear model, one after the other."""
        for name, values in TRIED.items():
            others = [value for value in values if value != START[name]]
            options = [recipe, *(replace(recipe, model=clone(recipe.model).set_params(**{name: v})) for v in others)]
            runs = self._rehearse(options, f"the {name} of the bilinear model")
            accuracies = [self.trials.measure([run]) for run in runs]
            recipe = options[self._decide(name, [f"{v:g}" for v in (START[name], *others)], accuracies)]
        return recipe

    def _blend(self, models: list[Estimator], runs: list[list[Rehearsed]]) -> Blend:
        weights, _ = choose_weights(self.trials.compare(runs))
        named = [(name_model(model), model) for model in models]
        return Blend(named, weights.tolist(), spreads=measure_spreads(runs).tolist(), random_state=self.seed)

    def _measure_blend(self, runs: list[list[Rehearsed]]) -> NDArray[np.float64]:
        """Return the accuracy of a blend for each class, with weights that were chosen on the other classes."""
        folds = self.trials.compare(runs)
        weights = []
        for at in range(len(folds)):
            start = at - at % N_FOLDS
            others = [folds[k] for k in range(start, start + N_FOLDS) if k != at]
            weights.append(choose_weights(others)[0])
        return self.trials.measure(runs, weights)

    def _decide(self, about: str, names: Sequence[str], accuracies: Sequence[NDArray[np.float64]]) -> int:
        """Return the place of the best option if it is better than the first by more than chance, else of the first."""
        best = int(np.argmax([values.mean() for values in accuracies]))
        gains = accuracies[best] - accuracies[0]
        chosen = best if gains.mean() > gains.std() / len(gains) ** 0.5 else 0
        tried = {name: float(values.mean()) for name, values in zip(names, accuracies, strict=True)}
        self.decisions.append(Decision(about, names[chosen], tried))
        return chosen

    def _rehearse(self, recipes: list[Recipe], about: str) -> list[list[Rehearsed]]:
        return self.trials.rehearse(recipes, f"choosing {about} on held-out seen classes")
