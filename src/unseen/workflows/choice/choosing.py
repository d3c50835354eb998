"""Choose preparation, model and parameters on held-out seen classes, one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from unseen.data import TrainingRows
from unseen.features import list_description_choices, list_feature_choices
from unseen.models import ESZSL, BilinearSVM, Blend, GaussianJFA
from unseen.models.densities.gaussian_choice import DEFAULT, FEWEST_CLASSES
from unseen.models.exemplars.description_regression import are_equidistant
from unseen.models.wrappers.blend_weights import choose_weights, measure_spreads
from unseen.models.wrappers.rehearsal import Rehearsed
from unseen.selection.grid import Estimator
from unseen.utils.progress import OnProgress, ignore
from unseen.utils.registry import Registry
from unseen.workflows.choice.decision import Choice, Decision
from unseen.workflows.choice.trials import N_FOLDS, Recipe, Trials
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
        Number of classes that are held out over all folds, if there are so many; fewer are divided anew.
    most_repeats : int
        Number of times that they are divided, at most.
    blends : bool
        Whether other models, and averages of them with the Gaussian one, are tried too.
    thorough : bool
        Whether rarer preparations and all combinations of the parameters of the Gaussian model are tried.
    """

    most_rows: int
    held_out: int
    most_repeats: int
    blends: bool
    thorough: bool


EFFORTS: Registry[Effort] = Registry(
    "effort",
    {
        "quick": Effort(3_000, 100, 2, blends=False, thorough=False),
        "normal": Effort(5_000, 150, 3, blends=True, thorough=False),
        "best": Effort(10_000, 450, 5, blends=True, thorough=True),
    },
)

# Models beside the Gaussian one, with values of their parameters that are chosen in turn. They start from what was the
# best for held-out classes of CUB.
PEERS: Sequence[tuple[Estimator, Mapping[str, Sequence[float]]]] = (
    (BilinearSVM(1.0, temperature=0.3), {"temperature": (0.1, 0.3, 1.0, 3.0), "lam": (0.3, 1.0, 3.0, 10.0)}),
    (ESZSL(100.0, lam=1.0), {"gamma": (1.0, 10.0, 100.0, 1000.0)}),
)


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
    Options are tried from the plainest on. A preparation or parameter replaces the one before only if it is better by
    more than chance: if the mean difference in accuracy over the held-out classes exceeds its standard error. Models
    that learn by L-BFGS are not fitted to the end for these decisions (see `unseen.selection.rounds`). Of models and
    their averages, all of them fitted to the end, the best is taken. The weights with which an average is measured come
    from other classes.

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
    n_repeats = min(amount.most_repeats, -(-amount.held_out // len(labels)))
    most_rows = max(amount.most_rows, 2 * _count_components(features))
    trials = Trials(rows, most_rows, n_repeats, jobs=jobs, seed=seed, on_progress=on_progress)
    return _Chooser(trials, amount, model, seed).run(effort, features)


def _find_obstacle(rows: TrainingRows, labels: NDArray[Any]) -> str:
    if len(labels) < FEWEST_CLASSES:
        return f"{len(labels)} classes are too few to hold some out (at least {FEWEST_CLASSES} are needed)"
    if are_equidistant(rows.classes.select(labels).vectors):
        return "the descriptions do not say which classes are alike, so that held-out classes cannot be recognised"
    return ""


def _count_components(features: Any) -> int:
    """Return how many principal components a preparation makes, for which there have to be rows."""
    parameters = features.get_params() if hasattr(features, "get_params") else {}
    return max((size for name, size in parameters.items() if name.endswith("n_components") and size), default=0)


def _fall_back(rows: TrainingRows, effort: str, model: Estimator | None, features: Any, missing: str) -> Choice:
    """Take what needs no choice."""
    made = GaussianJFA() if model is None else model
    if isinstance(features, str) and features == AUTO:
        features = list_feature_choices(rows.X[:1, :], max(1, len(rows.y) // 2))[0]
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
        gaussian = GaussianJFA(**asdict(DEFAULT))
        return [gaussian, PEERS[0][0]] if self.effort.blends else [gaussian]

    def _choose_preparation(self, about: str, recipes: list[Recipe], listed: list[Any]) -> list[Recipe]:
        options = [[replace(recipe, **{about: option}) for recipe in recipes] for option in listed]
        flat = self._rehearse([recipe.cut_short() for option in options for recipe in option], about)
        size = len(recipes)
        accuracies = [self.trials.measure(flat[at : at + size]) for at in range(0, len(flat), size)]
        return options[self._decide(about, list(map(name_preparation, listed)), accuracies)]

    def _choose_model(self, recipes: list[Recipe]) -> tuple[Estimator, float]:
        if self.model is not None:
            (alone,) = self._rehearse(recipes, "the model")
            return self.model, float(self.trials.measure([alone]).mean())
        parts, names = [GaussianJFA(thorough=self.effort.thorough)], ["gaussian"]
        for peer, tried in PEERS if self.effort.blends else ():
            parts.append(self._tune(recipes[0], peer, tried))
            names.append(name_model(parts[-1], *tried))
        runs = self._rehearse([replace(recipes[0], model=part) for part in parts], "models")
        accuracies = [self.trials.measure([run]) for run in runs]
        options = list(parts)
        for size in range(2, len(parts) + 1):
            options.append(self._blend(parts[:size], runs[:size]))
            names.append(f"{', '.join(names[: size - 1])} and {names[size - 1]}, averaged")
            accuracies.append(self._measure_blend(runs[:size]))
        # Averages were ahead in nearly all class splits that this was developed on, by more than folds can show.
        at = self._decide("model", names, accuracies, errors=0.0)
        return options[at], float(accuracies[at].mean())

    def _tune(self, recipe: Recipe, model: Estimator, tried: Mapping[str, Sequence[float]]) -> Estimator:
        """Choose the parameters of a model, one after the other."""
        for name, values in tried.items():
            start = getattr(model, name)
            others = [value for value in values if value != start]
            options = [model, *(clone(model).set_params(**{name: value}) for value in others)]
            about = f"{name} of {name_model(model)}"
            runs = self._rehearse([replace(recipe, model=option).cut_short() for option in options], about)
            accuracies = [self.trials.measure([run]) for run in runs]
            model = options[self._decide(about, [f"{value:g}" for value in (start, *others)], accuracies)]
        return model

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

    def _decide(
        self, about: str, names: Sequence[str], accuracies: Sequence[NDArray[np.float64]], errors: float = 1.0
    ) -> int:
        """Return the place of the best option, where one replaces a plainer one only if better by standard errors."""
        chosen = 0
        for at, accuracy in enumerate(accuracies):
            gains = accuracy - accuracies[chosen]
            if gains.mean() > errors * gains.std() / len(gains) ** 0.5:
                chosen = at
        tried = {name: float(values.mean()) for name, values in zip(names, accuracies, strict=True)}
        self.decisions.append(Decision(about, names[chosen], tried))
        return chosen

    def _rehearse(self, recipes: list[Recipe], about: str) -> list[list[Rehearsed]]:
        return self.trials.rehearse(recipes, f"choosing {about} on held-out seen classes")
