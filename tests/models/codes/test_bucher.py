"""Bucher et al.: the loss against loops, its gradient against finite differences, and how starts are chosen."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import Bucher
from unseen.models.codes.adam import Adam
from unseen.models.codes.attribute_metric import AttributeMetric
from unseen.utils.errors import InputError

LAM, MU = 0.3, 0.01


def make_problem(seed: int) -> tuple[AttributeMetric, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    psi = rng.random((4, 3))
    X, y = rng.normal(size=(7, 5)), rng.integers(0, 4, 7)
    return AttributeMetric.start(5, psi, 2, rng), X, psi[y], psi[(y + 1) % 4]


def measure_slowly(metric: AttributeMetric, X: Any, own: Any, other: Any) -> float:
    total = 0.0
    for x, right, wrong in zip(X, own, other, strict=True):
        attributes = np.array([max(0.0, float(x @ w) + b) for w, b in zip(metric.W_X.T, metric.b_X, strict=True)])
        for sign, y in ((1, right), (-1, wrong)):
            S = np.linalg.norm((attributes - y) @ metric.W_A)
            total += max(0.0, 1 - sign * (metric.tau[0] - S**2))
        total += LAM * np.linalg.norm(right - attributes) ** 2
    squares = np.sum(metric.W_X**2) + np.sum(metric.b_X**2) + np.sum(metric.W_A**2)
    return float(total / len(X) + MU * squares)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_the_loss_is_that_of_explicit_loops(seed: int) -> None:
    metric, *rows = make_problem(seed)
    assert metric.evaluate(*rows, LAM, MU)[0] == pytest.approx(measure_slowly(metric, *rows))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_the_gradient_is_that_of_finite_differences(seed: int) -> None:
    metric, *rows = make_problem(seed)
    _, gradient = metric.evaluate(*rows, LAM, MU)
    # The loss has kinks, so that a step across one may differ in a few places.
    misses = []
    for part, slopes in zip(metric.parts, gradient, strict=True):
        for at in np.ndindex(part.shape):
            before, values = part[at], []
            for change in (1e-6, -1e-6):
                part[at] = before + change
                values.append(metric.evaluate(*rows, LAM, MU)[0])
            part[at] = before
            misses.append(abs((values[0] - values[1]) / 2e-6 - slopes[at]))
    assert np.quantile(misses, 0.9) < 1e-6
    assert max(misses) < 2.0


def test_adam_goes_where_scipy_goes() -> None:
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(6, 3)), rng.normal(size=6)
    x = np.zeros(3)
    adam = Adam([x], 0.02)
    for _ in range(2000):
        adam([A.T @ (A @ x - b)])
    np.testing.assert_allclose(x, minimize(lambda z: np.sum((A @ z - b) ** 2), np.zeros(3)).x, atol=1e-3)


def test_the_score_is_minus_the_squared_distance(data: ZeroShotDataset) -> None:
    model = fit(data)
    phi = model._feature_scaling.apply(data.X_test_unseen)
    psi = model._description_scaling.apply(data.unseen_table.vectors)
    scores = model.decision_function(data.X_test_unseen, classes=data.unseen_table)
    for i in (0, 5):
        attributes = np.maximum(0, phi[i] @ model.W_X_ + model.b_X_)
        expected = [-np.sum(((attributes - y) @ model.W_A_) ** 2) for y in psi]
        np.testing.assert_allclose(scores[i], expected)


def fit(data: ZeroShotDataset, **parameters: Any) -> Bucher:
    model = Bucher(**{"step": 0.02, "n_starts": 2, "random_state": 0} | parameters)
    return model.fit(data.X_train, data.y_train, classes=data.seen_table)


def test_attributes_start_at_zero_and_unseen_classes_may_lie_below(data: ZeroShotDataset) -> None:
    vectors = data.classes.vectors * 7 + 3
    table = ClassTable(vectors, data.classes.labels)
    model = Bucher(n_starts=1, random_state=0).fit(data.X_train, data.y_train, classes=table)
    seen = model._description_scaling.apply(table.select(data.seen_classes).vectors)
    np.testing.assert_allclose(seen.min(axis=0), 0, atol=1e-12)
    assert np.mean(np.sum((seen - seen.mean(axis=0)) ** 2, axis=1)) == pytest.approx(1)
    assert model._description_scaling.apply(table.select(data.unseen_classes).vectors).min() < 0
    raw = Bucher(n_starts=1, scaling=None, random_state=0).fit(data.X_train, data.y_train, classes=table)
    np.testing.assert_array_equal(raw._description_scaling.apply(vectors), vectors)


def test_the_best_start_is_kept_and_tuned(data: ZeroShotDataset) -> None:
    model = fit(data, n_starts=3, max_epochs=6)
    assert [len(start) for start in model.validation_accuracy_] == [6, 6, 6]
    best = max(model.validation_accuracy_, key=max)
    assert model.n_iter_ == int(np.argmax(best)) + 1 + 5
    untuned = fit(data, n_starts=3, max_epochs=6, tuning_epochs=0)
    assert untuned.validation_accuracy_ == model.validation_accuracy_
    assert not np.allclose(untuned.W_X_, model.W_X_)


def test_without_held_out_classes_one_start_makes_all_epochs(data: ZeroShotDataset) -> None:
    for model in (fit(data, validation_share=0), Bucher(random_state=0).fit(data.X_train, data.y_train)):
        assert model.validation_accuracy_ == []
        assert model.n_iter_ == model.max_epochs


def test_the_width_of_the_metric(data: ZeroShotDataset) -> None:
    assert fit(data, m=0.31).W_A_.shape == (10, 3)
    assert fit(data, m=0.001).W_A_.shape == (10, 1)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"m": 0}, "m must be a finite number above 0"),
        ({"mu": -1}, "mu must be a finite number of at least 0"),
        ({"n_starts": 0}, "n_starts must be a whole number of at least 1"),
        ({"validation_share": 1.0}, "validation_share=1.0 is not a share of the classes"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters: Any, sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)
