"""SSE against its equations, written as loops, and what is special to its templates and codes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize

from unseen.data import ClassTable, ZeroShotDataset
from unseen.features.descriptions.simplex import compute_simplex_codes
from unseen.models import SSE
from unseen.models.codes.code_contributions import share_among_attributes
from unseen.models.codes.template_features import SortedRows, embed
from unseen.models.codes.template_learning import TemplateObjective, TemplateProblem
from unseen.utils.errors import InputError

GRID = [{"gamma": gamma, "lambda_2": 10.0, "lambda_3": lambda_3} for gamma in (0.3, 1.0) for lambda_3 in (0.0, 3.0)]


def fit(data: ZeroShotDataset, table: ClassTable | None = None, **parameters: Any) -> SSE:
    return SSE(**{"random_state": 0, **parameters}).fit(data.X_train, data.y_train, classes=table or data.classes)


@pytest.fixture(scope="module")
def positive(data: ZeroShotDataset) -> ZeroShotDataset:
    """The same data with features and descriptions as in the paper: not negative, and descriptions of length 1."""
    shift = min(data.X_train.min(), data.X_test_unseen.min(), data.X_test_seen.min())
    vectors = data.classes.vectors - data.classes.vectors.min()
    table = ClassTable(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), data.classes.labels)
    return ZeroShotDataset(
        data.X - shift,
        data.y,
        table,
        train=data.train,
        test_seen=data.test_seen,
        test_unseen=data.test_unseen,
    )


def phi(x: Any, v: Any, embedding: str) -> Any:
    return np.minimum(x, v) if embedding == "intersection" else np.maximum(0, x - v)


@pytest.mark.parametrize("embedding", ["relu", "intersection"])
def test_scores_follow_the_paper(embedding: Any, positive: ZeroShotDataset) -> None:
    model = fit(positive, embedding=embedding, scaling=None)
    assert not model.signed_
    codes = compute_simplex_codes(positive.unseen_table.vectors, positive.seen_table.vectors, model.gamma)
    X = positive.X_test_unseen[::7]
    expected = [
        [sum(z[s] * model.w_ @ phi(x, v, embedding) for s, v in enumerate(model.templates_)) for z in codes] for x in X
    ]
    np.testing.assert_allclose(model.decision_function(X, positive.unseen_table), expected, rtol=1e-9)


@pytest.mark.parametrize(("lambda_2", "lambda_3"), [(3.0, 0.0), (0.0, 2.0), (1.0, 1.0)])
def test_the_machine_is_the_optimum(lambda_2: float, lambda_3: float, positive: ZeroShotDataset) -> None:
    weights = {"lambda_1": 0.0, "lambda_2": lambda_2, "lambda_3": lambda_3}
    model = fit(positive, scaling=None, max_iter=1, tol=1e-4, **weights)
    C = positive.seen_table.vectors
    Z, y = compute_simplex_codes(C, C, model.gamma), positive.seen_table.index_of(positive.y_train)
    V = np.array([positive.X_train[y == s].mean(axis=0) for s in range(len(C))])
    np.testing.assert_allclose(model.templates_, V)
    order = np.argsort(y, kind="stable")
    rivals = (y[order] + np.random.RandomState(0).randint(1, len(C), len(y))) % len(C)
    # For each constraint its features, its margin and the weight of its slack.
    constraints = []
    for one in range(len(C)):
        for other in set(range(len(C))) - {one}:
            rows = [
                sum((Z[one, s] - Z[other, s]) * phi(x, V[s], "relu") for s in range(len(C)))
                for x in positive.X_train[y == one]
            ]
            constraints.append((np.mean(rows, axis=0), 1 - C[one] @ C[other], lambda_2))
    for x, own, rival in zip(positive.X_train[order], y[order], rivals, strict=True):
        features = sum((Z[own, s] - Z[rival, s]) * phi(x, V[s], "relu") for s in range(len(C)))
        constraints.append((features, 1 - C[own] @ C[rival], lambda_3))
    A, margins, C_i = (np.array(part) for part in zip(*constraints, strict=True))
    primal = model.w_ @ model.w_ / 2 + C_i @ np.maximum(0, margins - A @ model.w_)
    assert model.objective_ == [pytest.approx(primal, rel=1e-9)]
    # The dual bounds the optimum from below, whatever its solver reaches.
    dual = minimize(
        lambda a: ((A.T @ a) @ (A.T @ a) / 2 - margins @ a, A @ (A.T @ a) - margins),
        np.zeros(len(A)),
        jac=True,
        bounds=[(0, limit) for limit in C_i],
        method="L-BFGS-B",
        options={"ftol": 1e-12, "maxiter": 5000, "maxfun": 5000},
    )
    assert -dual.fun * (1 - 1e-9) <= primal <= -dual.fun * 1.001


def test_both_embeddings_are_one_model(data: ZeroShotDataset) -> None:
    one, two = (fit(data, embedding=embedding, lambda_3=3.0) for embedding in ("relu", "intersection"))
    np.testing.assert_allclose(one.w_, -two.w_, atol=1e-6 * np.abs(one.w_).max())
    np.testing.assert_allclose(one.templates_, two.templates_, atol=1e-6)
    scores = [model.decision_function(data.X_test_unseen, data.unseen_classes) for model in (one, two)]
    first, second = (score - score.mean(axis=1, keepdims=True) for score in scores)
    np.testing.assert_allclose(first, second, atol=1e-6 * np.abs(first).max())


@pytest.mark.parametrize("embedding", ["relu", "intersection"])
def test_templates_move_only_where_the_objective_falls(embedding: Any, data: ZeroShotDataset) -> None:
    parameters = {"embedding": embedding, "lambda_2": 10.0, "lambda_3": 1.0, "tol": 1e-3}
    moved, still = fit(data, max_iter=4, **parameters), fit(data, max_iter=1, **parameters)
    assert moved.n_iter_ == len(moved.objective_) > 1
    assert np.all(np.diff(moved.objective_) < 0)
    assert moved.objective_[0] == still.objective_[0]
    assert not np.array_equal(moved.templates_, still.templates_)
    assert moved.templates_.min() >= 0
    # A step that is much too long does not lower it.
    refused = fit(data, max_iter=4, step=1e6, **parameters)
    assert refused.n_iter_ == 1
    np.testing.assert_array_equal(refused.templates_, still.templates_)


@pytest.mark.parametrize("embedding", ["relu", "intersection"])
def test_the_direction_of_templates_is_the_gradient(embedding: Any) -> None:
    rng = np.random.default_rng(0)
    X, atoms, y = rng.random((12, 3)), rng.random((4, 5)), np.repeat(np.arange(4), 3)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    rows = SortedRows.of(X, y, 4)
    problem = TemplateProblem(rows, embedding, atoms, (y + 1) % 4).with_codes(0.1)
    objective, w = TemplateObjective(0.3, 2.0, 1.5), rng.normal(size=3)

    def at(v: Any) -> Any:
        return problem.with_templates(v.reshape(4, 3))

    error = check_grad(
        lambda v: objective.measure(at(v), w),
        lambda v: objective.find_direction(at(v), w).ravel(),
        rng.random(12),
        epsilon=1e-7,
    )
    assert error < 1e-5


def test_a_grid_keeps_the_templates_at_the_means(data: ZeroShotDataset) -> None:
    models = SSE(max_iter=3, random_state=0).fit_grid(data.X_train, data.y_train, data.classes, GRID)
    for point, model in zip(GRID, models, strict=True):
        single = fit(data, **point, max_iter=1)
        assert model.get_params() == {**single.get_params(), "max_iter": 3}
        np.testing.assert_array_equal(model.templates_, single.templates_)
        expected = single.decision_function(data.X_test_unseen, data.unseen_classes)
        np.testing.assert_array_equal(model.decision_function(data.X_test_unseen, data.unseen_classes), expected)
        assert not hasattr(model, "problem")


def test_negative_features_become_two_columns(data: ZeroShotDataset) -> None:
    parts = np.concatenate([np.maximum(data.X_train, 0), np.maximum(-data.X_train, 0)], axis=1)
    one = fit(data, scaling=None)
    two = SSE(scaling=None, random_state=0).fit(parts, data.y_train, classes=data.classes)
    assert one.signed_
    assert not two.signed_
    np.testing.assert_array_equal(one.w_, two.w_)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from(["relu", "intersection"]))
def test_sums_over_blocks_are_sums_over_rows(seed: int, per_block: int, embedding: Any) -> None:
    rng = np.random.default_rng(seed)
    X, y, V = rng.normal(size=(11, 3)), rng.permutation(np.arange(11) % 4), rng.normal(size=(4, 3))
    rows, weights = SortedRows.of(X, y, 4), rng.normal(size=(11, 4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unseen.models.codes.template_features.BLOCK_BYTES", per_block * 4 * 3 * 8)
        means, mixed, exceeding = (
            rows.average_embedded(V, embedding),
            rows.mix_embedded(V, embedding, weights),
            rows.add_up_exceeding(V, weights),
        )
    for s, v in enumerate(V):
        for label in range(4):
            np.testing.assert_allclose(means[label, s], embed(X[y == label], v, embedding).mean(axis=0))
        np.testing.assert_allclose(exceeding[s], sum(weights[i, s] * (rows.X[i] > v) for i in range(11)), atol=1e-12)
    expected = [sum(weights[i, s] * embed(x, v, embedding) for s, v in enumerate(V)) for i, x in enumerate(rows.X)]
    np.testing.assert_allclose(mixed, expected, atol=1e-12)


def test_a_part_is_what_its_attribute_changes() -> None:
    rng = np.random.default_rng(1)
    atoms, psi, worth = rng.normal(size=(6, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 6))
    parts = share_among_attributes(worth, psi, atoms, 0.5)
    np.testing.assert_allclose(parts.sum(axis=1), np.sum(worth * compute_simplex_codes(psi, atoms, 0.5), axis=1))
    # Up to what all attributes share, a part is the derivative by its attribute times its value.
    shared = np.empty_like(psi)
    for attribute in range(4):
        ahead = psi.copy()
        ahead[:, attribute] += 1e-6
        change = compute_simplex_codes(ahead, atoms, 0.5) - compute_simplex_codes(psi, atoms, 0.5)
        shared[:, attribute] = parts[:, attribute] - np.sum(worth * change, axis=1) / 1e-6 * psi[:, attribute]
    np.testing.assert_allclose(shared, np.tile(shared[:, :1], 4), atol=1e-5)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"embedding": "tanh"}, "embedding='tanh' is not known: choose one of 'intersection', 'relu'"),
        ({"gamma": 0.0}, "gamma must be a finite number above 0"),
        ({"lambda_2": 0, "lambda_3": 0}, "lambda_2 and lambda_3 are both 0"),
        ({"lambda_1": -1.0}, "lambda_1 must be a finite number of at least 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)


def test_more_than_memory_holds_is_refused(data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unseen.models.codes.sse.MOST_BYTES", 14 * 14 * 31 * 8)
    with pytest.raises(InputError, match="X has 14 classes, each to be compared with templates of 32 numbers"):
        fit(data)
