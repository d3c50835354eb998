"""COSTA against its equations, written as loops, and what it does with seen candidates and with attributes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.model_selection import ParameterGrid
from sklearn.svm import LinearSVC

from unseen.data import ZeroShotDataset
from unseen.models import COSTA
from unseen.models.exemplars.label_weights import solve_label_weights
from unseen.utils.errors import InputError

GRID = list(ParameterGrid({"absence": [True, False], "ridge": [0.1, 10.0], "similarity": ["dice", "binarised"]}))
SIGNS = ((1, True, True), (-1, True, False), (-1, False, True), (1, False, False))


def fit(data: ZeroShotDataset, **parameters: Any) -> COSTA:
    return COSTA(**{"random_state": 0, **parameters}).fit(data.X_train, data.y_train, classes=data.classes)


def presence(values: Any, seen: Any) -> Any:
    """The presence of one attribute in classes, given its values in seen classes."""
    mean = sum(seen) / len(seen)
    deviation = sum(abs(value - mean) for value in seen) / len(seen)
    return [min(1, max(0, 0.5 + (value - mean) / (5 * deviation))) for value in values]


def compare(one: Any, two: Any, similarity: str, absence: bool) -> float:
    """The similarity of two classes, given the presence of every attribute in them."""
    total = 0.0
    for sign, first, second in SIGNS if absence else SIGNS[:1]:
        c_1, c_2 = ([p if has else 1 - p for p in values] for has, values in ((first, one), (second, two)))
        both = sum(p * q for p, q in zip(c_1, c_2, strict=True))
        kinds = {
            "normalised": both / sum(c_1),
            "sqrt": (both / sum(c_1)) ** 0.5,
            "dice": both / (sum(c_1) + sum(c_2)),
        }
        total += sign * kinds["normalised" if similarity == "binarised" else similarity]
    return total


@pytest.mark.parametrize("absence", [True, False])
@pytest.mark.parametrize("similarity", ["normalised", "binarised", "sqrt", "dice"])
def test_scores_follow_the_paper(similarity: Any, absence: bool, data: ZeroShotDataset) -> None:
    model = fit(data, similarity=similarity, absence=absence, scaling=None, C=0.3)
    seen, unseen = data.seen_table.vectors, data.unseen_table.vectors
    seed = np.random.RandomState(0).randint(2**31)
    machines = LinearSVC(C=0.3, dual=True, tol=0.1, random_state=seed).fit(data.X_train, data.y_train)
    W = np.column_stack([machines.coef_, machines.intercept_])
    W -= W.mean(axis=0)
    have, new = (np.transpose([presence(v, s) for v, s in zip(t.T, seen.T, strict=True)]) for t in (seen, unseen))
    raw = np.array([[compare(one, two, similarity, absence) for two in have] for one in (*have, *new)])
    if similarity == "binarised":
        raw = raw > np.mean([raw[i, j] for i in range(14) for j in range(14) if i != j])
    S, T = raw[:14] * 1.0, raw[14:] * 1.0
    np.fill_diagonal(S, 0)
    a = solve_label_weights(S, W, model.ridge)
    np.testing.assert_allclose(model.label_weights_, a, rtol=1e-6)
    made = np.array([sum(a[k] * t[k] * W[k] for k in range(14)) for t in T])
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    expected = data.X_test_unseen @ made[:, :-1].T + made[:, -1]
    np.testing.assert_allclose(model.decision_function(data.X_test_unseen, data.unseen_table), expected, rtol=1e-6)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.01, 10))
def test_weights_predict_the_classifier_left_out(seed: int, ridge: float) -> None:
    rng = np.random.default_rng(seed)
    n, W, S = 5, rng.normal(size=(5, 4)), rng.random((5, 5))
    W -= W.mean(axis=0)
    np.fill_diagonal(S, 0)

    def miss(a: Any) -> float:
        total = 0.0
        for left_out in range(n):
            others = [k for k in range(n) if k != left_out]
            V = W - W[others].mean(axis=0)
            total += np.sum((V[left_out] - sum(a[k] * S[left_out, k] * V[k] for k in others)) ** 2)
        return total

    # Quadratic, so that second differences are its curvature.
    curvature = np.mean([(miss(e) + miss(-e)) / 2 - miss(0 * e) for e in np.eye(n)])
    common = minimize(lambda c: miss(np.full(n, c[0])), [0.0], tol=1e-12).x[0]
    best = minimize(lambda a: miss(a) + ridge * curvature * np.sum((a - common) ** 2), np.zeros(n), tol=1e-12)
    np.testing.assert_allclose(solve_label_weights(S, W, ridge), best.x, atol=1e-4)


def test_a_large_ridge_makes_all_weights_the_same(data: ZeroShotDataset) -> None:
    weights = fit(data, ridge=1e9).label_weights_
    np.testing.assert_allclose(weights, weights.mean(), rtol=1e-6)
    assert weights.mean() > 0
    assert np.ptp(fit(data, ridge=0.1).label_weights_) > 0.1 * weights.mean()


def test_seen_classes_keep_their_classifiers(data: ZeroShotDataset) -> None:
    model = fit(data, scaling=None)
    own = model.classifiers_ / np.linalg.norm(model.classifiers_, axis=1, keepdims=True)
    expected = data.X_test_seen @ own[:, :-1].T + own[:, -1]
    np.testing.assert_allclose(model.decision_function(data.X_test_seen), expected)
    both = model.decision_function(data.X_test_seen, data.classes)
    np.testing.assert_allclose(both[:, data.classes.index_of(data.seen_classes)], expected)


def test_an_attribute_that_all_have_alike_adds_no_sign(data: ZeroShotDataset) -> None:
    # It is half present everywhere, so that the four terms with their signs cancel.
    wide = {label: [*vector, 7.0] for label, vector in zip(data.classes.labels, data.classes.vectors, strict=True)}
    model = COSTA(random_state=0).fit(data.X_train, data.y_train, classes=wide)
    parts = model.contributions(data.X_test_unseen, data.y_test_unseen)
    scores = model.decision_function(data.X_test_unseen, data.unseen_classes)
    own = scores[np.arange(len(scores)), data.unseen_table.index_of(data.y_test_unseen)]
    np.testing.assert_allclose(parts.sum(axis=1), own)
    assert np.abs(parts[:, -1]).mean() < 0.2 * np.abs(parts[:, :-1]).mean()


@pytest.mark.parametrize("scaling", ["auto", None])
def test_a_grid_agrees_with_single_fits(scaling: Any, data: ZeroShotDataset) -> None:
    models = COSTA(scaling=scaling, random_state=0).fit_grid(data.X_train, data.y_train, data.classes, GRID)
    for point, model in zip(GRID, models, strict=True):
        single = fit(data, **point, scaling=scaling)
        assert model.get_params() == single.get_params()
        for classes in (data.unseen_classes, None):
            expected = single.decision_function(data.X_test_unseen, classes)
            np.testing.assert_array_equal(model.decision_function(data.X_test_unseen, classes), expected)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"similarity": "cosine"}, "similarity='cosine' is not known: choose one of 'normalised'"),
        ({"absence": "yes"}, "absence must be True or False, got 'yes'"),
        ({"ridge": -1}, "ridge must be a finite number of at least 0"),
        ({"C": 0}, "C must be a finite number above 0"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)
