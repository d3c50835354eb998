"""SynC against its equations, written out in loops."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from sklearn.model_selection import ParameterGrid

from unseen.data import ClassTable, ZeroShotDataset
from unseen.features import Rows
from unseen.models import SynC
from unseen.models.exemplars.phantom_classes import PhantomClasses
from unseen.models.exemplars.phantom_training import TEMPERATURE, PhantomObjective, SeenRows
from unseen.utils.errors import InputError

TIGHT: dict[str, Any] = {"tol": 1e-12, "max_iter": 1000}


@pytest.fixture(scope="module")
def small() -> tuple[Any, Any, Any, Any]:
    """Rows of 4 classes of 3 features, their classes, and descriptions of these and of 2 other classes."""
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(4), 5)
    seen, unseen = rng.random((4, 3)), rng.random((2, 3))
    return (seen @ rng.normal(size=(3, 3)))[y] + 0.3 * rng.normal(size=(20, 3)), y, seen, unseen


def fit(small: Any, **parameters: Any) -> SynC:
    X, y, seen, _ = small
    return SynC(scaling=None, **TIGHT, **parameters).fit(X, y, classes=ClassTable(seen, range(4)))


def weigh(descriptions: Any, seen: Any, kappa: float) -> Any:
    between = [math.dist(a, b) for a in seen for b in seen if math.dist(a, b) > 0]
    unit = float(np.median(between))
    near = [[math.exp(-kappa * (math.dist(a, b) / unit) ** 2) for b in seen] for a in descriptions]
    return np.array([[weight / sum(row) for weight in row] for row in near])


def compute_objective(V: Any, small: Any, loss: str, lam: float, kappa: float) -> float:
    X, y, seen, _ = small
    W = weigh(seen, seen, kappa) @ V.reshape(4, 3)
    apart = {(a, b): math.dist(seen[a], seen[b]) for a in range(4) for b in range(4)}
    unit = float(np.median([d for d in apart.values() if d > 0]))
    total = 0.0
    for x, true in zip(X, y, strict=True):
        scores = [float(w @ x) for w in W]
        if loss == "ovo":
            total += sum(max(0.0, 1 - (1 if c == true else -1) * scores[c]) ** 2 for c in range(4)) / 4
            continue
        margins = [apart[true, c] / unit if loss == "struct" else float(c != true) for c in range(4)]
        rivals = [(margins[c] + scores[c] - scores[true]) / TEMPERATURE for c in range(4)]
        total += TEMPERATURE * math.log(sum(math.exp(rival) for rival in rivals))
    return total / len(X) + lam / 2 * float((W**2).sum())


@pytest.mark.parametrize("loss", ["ovo", "cs", "struct"])
def test_scores_are_those_of_the_minimum_written_out(loss: str, small: Any) -> None:
    lam, kappa = 0.1, 2.0
    reference = minimize(compute_objective, np.zeros(12), (small, loss, lam, kappa), tol=1e-9)
    model = fit(small, lam=lam, kappa=kappa, loss=loss)
    assert compute_objective(model.V_, small, loss, lam, kappa) <= reference.fun * (1 + 1e-9)
    X, _, seen, unseen = small
    expected = X @ (weigh(unseen, seen, kappa) @ reference.x.reshape(4, 3)).T
    found = model.decision_function(X, classes=ClassTable(unseen, ["a", "b"]))
    np.testing.assert_allclose(found, expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("loss", ["ovo", "cs", "struct"])
def test_the_fast_version_has_the_same_minimum(loss: str, small: Any) -> None:
    slow, fast = (fit(small, lam=0.1, kappa=4.0, loss=loss, fast=fast) for fast in (False, True))
    np.testing.assert_allclose(fast.V_, slow.V_, atol=1e-4 * np.abs(slow.V_).max())


def test_margins_of_struct_are_distances(small: Any) -> None:
    X, y, seen, _ = small
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    hinge = (apart / np.median(apart[apart > 0])).max(axis=1)[y].mean()
    rows = SeenRows(Rows(X), y, seen)
    # While nothing is learned each row loses the largest margin to its class, up to the smoothing.
    value, _ = PhantomObjective(rows, "struct", 1.0).evaluate(np.zeros((4, 3)))
    assert hinge <= value <= hinge + TEMPERATURE * math.log(4)


def test_classes_far_from_all_phantoms_take_the_nearest(small: Any) -> None:
    X, _, seen, _ = small
    model = fit(small, kappa=2.0**5)
    far = ClassTable([seen[2] + 1e3 * (seen[2] - seen.mean(axis=0))], ["far"])
    [weights] = model.phantoms_.weigh(far.vectors)
    assert weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(model.decision_function(X, classes=far)[:, 0], X @ model.V_[weights.argmax()])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.floats(0.03, 32.0))
def test_gradients_of_the_weights(seed: int, kappa: float) -> None:
    rng = np.random.default_rng(seed)
    phantoms = PhantomClasses.at(rng.normal(size=(5, 3)), kappa)
    psi, values = rng.normal(size=(1, 3)), rng.normal(size=(1, 5))
    expected = approx_fprime(psi[0], lambda at: float((phantoms.weigh(at[None, :]) * values).sum()), 1e-7)
    np.testing.assert_allclose(phantoms.pull_back(psi, values)[0], expected, atol=1e-4 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("fast", [False, True])
def test_a_grid_agrees_with_single_fits(fast: bool, data: ZeroShotDataset) -> None:
    grid = list(ParameterGrid({"kappa": [2.0, 8.0], "lam": [0.1, 0.3], "scaling": ["auto", None]}))
    models = SynC(fast=fast, tol=1e-9).fit_grid(data.X_train, data.y_train, data.classes, grid)
    for point, model in zip(grid, models, strict=True):
        single = SynC(fast=fast, tol=1e-9, **point).fit(data.X_train, data.y_train, classes=data.classes)
        assert model.get_params() == single.get_params()
        expected = single.decision_function(data.X_test_unseen, data.unseen_classes)
        found = model.decision_function(data.X_test_unseen, data.unseen_classes)
        np.testing.assert_allclose(found, expected, atol=1e-3 * np.abs(expected).max())


def test_the_fast_version_is_trained_once_for_all_kappa(data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    trained, minimise = [], PhantomObjective.minimise
    monkeypatch.setattr(
        PhantomObjective, "minimise", lambda self, *args: trained.append(self.lam) or minimise(self, *args)
    )
    grid = list(ParameterGrid({"kappa": [0.5, 1.0, 2.0], "lam": [0.01, 0.1]}))
    list(SynC(fast=True).fit_grid(data.X_train, data.y_train, data.classes, grid))
    assert trained == [0.01, 0.1]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"lam": 0.0}, "lam must be a finite number above 0, got 0.0"),
        ({"kappa": -1.0}, "kappa must be a finite number above 0, got -1.0"),
        ({"loss": "hinge"}, "loss='hinge' is not known: choose one of 'ovo', 'cs', 'struct'"),
        ({"fast": "yes"}, "fast must be True or False, got 'yes'"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, got 0"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        SynC(**parameters).fit(data.X_train, data.y_train, classes=data.classes)
