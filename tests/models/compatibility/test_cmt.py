"""CMT: its gradient against finite differences, what it learns against scipy, and novelty against loops."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

import unseen
from unseen.data import ClassTable, ZeroShotDataset
from unseen.features import Rows
from unseen.models import CMT
from unseen.models.compatibility.tanh_network import MappingLoss, TanhNetwork
from unseen.utils.errors import InputError


def literal_loss(network: TanhNetwork, X: Any, y: Any, psi: Any, weights: Any, lam: float) -> float:
    total = 0.0
    for x, c, weight in zip(X, y, weights, strict=True):
        mapped = network.theta_2 @ np.tanh(network.theta_1 @ x + network.b_1) + network.b_2
        total += weight * np.sum((psi[c] - mapped) ** 2)
    return 0.5 * total / sum(weights) + 0.5 * lam * sum(np.sum(part**2) for part in network.parts)


def draw_problem() -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(12, 4)), np.arange(12) % 3, rng.normal(size=(3, 5)), rng.random(12) + 0.5


def test_the_gradient_is_that_of_the_loss(xp: Any) -> None:
    X, y, psi, weights = draw_problem()
    loss = MappingLoss(Rows(xp.asarray(X)), xp.asarray(y), xp.asarray(psi), xp.asarray(weights), 0.1)
    network = TanhNetwork.draw(4, 3, 5, np.random.default_rng(1))
    network = network.unflatten(network.flatten() + 0.1)
    value, gradient = loss.evaluate(network)
    assert value == pytest.approx(literal_loss(network, X, y, psi, weights, 0.1))
    flat = network.flatten()
    for at in range(len(flat)):
        step = 1e-6 * np.eye(len(flat))[at]
        ends = [literal_loss(network.unflatten(flat + way), X, y, psi, weights, 0.1) for way in (step, -step)]
        assert gradient[at] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)


def test_learns_as_well_as_a_slow_reference() -> None:
    X, y, psi, _ = draw_problem()
    # Fewer classes than attributes: the model learns in the span of the descriptions, the reference does not.
    model = CMT(hidden=2, lam=0.1, max_iter=500, scaling=None, random_state=0)
    model.fit(X, y, classes=ClassTable(psi, [0, 1, 2]))
    network = TanhNetwork.draw(4, 2, 5, np.random.default_rng(0))

    def slow(flat: Any) -> float:
        return literal_loss(network.unflatten(flat), X, y, psi, np.ones(12), 0.1)

    # The loss is not convex: the best of some starts.
    starts = [TanhNetwork.draw(4, 2, 5, np.random.default_rng(seed)).flatten() for seed in range(4)]
    best = min(minimize(slow, start).fun for start in starts)
    assert literal_loss(model.network_, X, y, psi, np.ones(12), 0.1) == pytest.approx(best, rel=1e-3)


def test_the_nearest_description_wins(data: ZeroShotDataset) -> None:
    model = CMT(20, max_iter=20, scaling=None, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    mapped, psi = model.network_.map(data.X_test_unseen), data.unseen_table.vectors
    distances = [[np.sum((row - description) ** 2) for description in psi] for row in mapped]
    scores = model.decision_function(data.X_test_unseen, classes=data.unseen_table)
    np.testing.assert_allclose(scores, -np.array(distances), atol=1e-9)


# Novelty


@pytest.fixture(scope="module")
def detecting(data: ZeroShotDataset) -> CMT:
    model = CMT(20, max_iter=30, novelty=0.1, scaling=None, random_state=0)
    return model.fit(data.X_train, data.y_train, classes=data.classes)


def literal_density(model: CMT, mapped: Any, data: ZeroShotDataset) -> float:
    """Return the largest density of a seen class: an isometric Gaussian around its description."""
    densities = []
    for label, psi in zip(data.seen_table.labels, data.seen_table.vectors, strict=True):
        own = model.network_.map(data.X_train[data.y_train == label])
        variance = np.mean((own - psi) ** 2)
        densities.append(multivariate_normal(psi, variance * np.eye(len(psi))).logpdf(mapped))
    return max(densities)


def test_novel_rows_go_to_unseen_classes_and_others_to_seen_ones(detecting: CMT, data: ZeroShotDataset) -> None:
    on_training = [literal_density(detecting, row, data) for row in detecting.network_.map(data.X_train)]
    # Of 140 training rows, 14 are novel.
    threshold = np.sort(on_training)[14]
    plain = CMT(20, max_iter=30, scaling=None, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    X = np.concatenate([data.X_test_seen[::4], data.X_test_unseen[::4]])
    found = detecting.predict(X, classes=data.classes)
    kinds = set()
    for x, label in zip(X, found, strict=True):
        [mapped] = detecting.network_.map(x[None])
        candidates = data.unseen_table if literal_density(detecting, mapped, data) < threshold else data.seen_table
        assert label == plain.predict(x[None], classes=candidates)[0]
        kinds.add(label in data.seen_classes)
    assert kinds == {True, False}


def test_among_candidates_of_one_kind_novelty_changes_nothing(detecting: CMT, data: ZeroShotDataset) -> None:
    plain = CMT(20, max_iter=30, scaling=None, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    for candidates in (data.unseen_table, data.seen_table):
        labels = [model.predict(data.X_test_unseen, classes=candidates) for model in (detecting, plain)]
        np.testing.assert_array_equal(*labels)


def test_contributions_and_files_know_of_novelty(detecting: CMT, data: ZeroShotDataset, tmp_path: Path) -> None:
    X, y = data.X_test_seen, data.y_test_seen
    scores = detecting.decision_function(X, classes=data.classes)
    expected = scores[np.arange(len(X)), data.classes.index_of(y)]
    np.testing.assert_allclose(detecting.contributions(X, y).sum(axis=1), expected, atol=1e-9)
    unseen.save(detecting, tmp_path / "m.unseen")
    again = unseen.load(tmp_path / "m.unseen").decision_function(X, classes=data.classes)
    np.testing.assert_array_equal(again, scores)


def test_novelty_in_other_libraries(xp: Any, detecting: CMT, data: ZeroShotDataset) -> None:
    model = CMT(20, max_iter=30, novelty=0.1, scaling=None, random_state=0)
    model.fit(xp.asarray(data.X_train), data.y_train, classes=data.classes)
    expected = detecting.predict(data.X_test_unseen, classes=data.classes)
    for one in (model, detecting):
        np.testing.assert_array_equal(one.predict(xp.asarray(data.X_test_unseen), classes=data.classes), expected)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hidden": 0}, "hidden must be a whole number of at least 1, got 0"),
        ({"lam": -1}, "lam must be a finite number of at least 0, got -1"),
        ({"novelty": 1.5}, "novelty=1.5 is not a share of the training rows"),
        ({"novelty": "auto"}, "novelty='auto' is not a share of the training rows"),
    ],
)
def test_settings_that_are_refused(settings: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        CMT(**settings).fit(data.X_train, data.y_train, classes=data.classes)
