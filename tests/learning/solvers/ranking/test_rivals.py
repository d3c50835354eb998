"""The rivals of SJE, ALE, DeViSE and LatEm against literal transcriptions of the papers' rules."""

from typing import Any

import numpy as np
import pytest

from unseen.learning.solvers.ranking.rivals import (
    AllViolating,
    FirstViolating,
    MostViolating,
    RandomRival,
    Rivals,
    SampledRank,
)
from unseen.utils.arrays import to_numpy


def literal_draws(scores: Any, y: int, order: Any) -> Any:
    """Draw classes in the given order until one violates the margin; return the weights of the scores."""
    n_classes, G = len(scores), np.zeros(len(scores))
    for k, rival in enumerate((c for c in order if c != y), start=1):
        if 1 + scores[rival] - scores[y] > 0:
            beta = sum(1 / j for j in range(1, (n_classes - 1) // k + 1))
            G[rival], G[y] = beta, -beta
            break
    return G


def test_sampled_rank_draws_until_a_class_violates(xp: Any) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=2.0, size=(200, 7))
    scores[0] = [9.0, 0, 0, 0, 0, 0, 0]
    y = rng.integers(7, size=200)
    y[0] = 0
    G = SampledRank().weights(xp.asarray(scores.copy()), xp.asarray(y), np.random.default_rng(1))
    order = np.argsort(-np.random.default_rng(1).random(scores.shape), axis=1)
    expected = [literal_draws(*row) for row in zip(scores, y, order, strict=True)]
    np.testing.assert_allclose(to_numpy(G), expected)
    assert not np.any(expected[0])


def test_sampled_rank_weights_low_ranks_more() -> None:
    scores, y = np.zeros((4000, 6)), np.zeros(4000, dtype=int)
    scores[2000:, 1:5] = -9.0
    G = SampledRank().weights(scores, y, np.random.default_rng(0))
    all_above, one_above = -G[:2000, 0], -G[2000:, 0]
    assert all_above == pytest.approx(1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5)
    assert one_above.mean() < 0.7 * all_above.mean()
    assert np.all(G[2000:, 5] == one_above)


def test_most_violating_is_the_structured_maximum(xp: Any) -> None:
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(100, 5)), rng.integers(5, size=100)
    G = MostViolating().weights(xp.asarray(scores.copy()), xp.asarray(y), rng)
    rival = (scores + 1.0 - np.eye(5)[y]).argmax(axis=1)
    np.testing.assert_array_equal(to_numpy(G), np.eye(5)[rival] - np.eye(5)[y])


def draw_problem() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.normal(scale=0.5, size=(200, 7)), rng.integers(7, size=200)


def test_all_violating_is_the_gradient_of_the_ranking_hinge(xp: Any) -> None:
    scores, y = draw_problem()

    def loss(scores: Any) -> float:
        others = ((row, c) for row in range(len(y)) for c in range(7) if c != y[row])
        return sum(max(0.0, 0.3 - scores[row, y[row]] + scores[row, c]) for row, c in others)

    G = to_numpy(AllViolating(0.3).weights(xp.asarray(scores.copy()), xp.asarray(y), np.random.default_rng(0)))
    for row, column in [(0, 0), (0, y[0]), (7, 3), (11, y[11])]:
        step = np.zeros_like(scores)
        step[row, column] = 1e-7
        assert (loss(scores + step) - loss(scores - step)) / 2e-7 == pytest.approx(G[row, column], abs=1e-5)


def test_first_violating_is_the_first_in_random_order(xp: Any) -> None:
    scores, y = draw_problem()
    scores[0], y[0] = [9.0, 0, 0, 0, 0, 0, 0], 0
    G = to_numpy(FirstViolating(0.3).weights(xp.asarray(scores.copy()), xp.asarray(y), np.random.default_rng(1)))
    order = np.argsort(-np.random.default_rng(1).random(scores.shape), axis=1)
    for row in range(len(y)):
        violating = [c for c in order[row] if c != y[row] and 0.3 + scores[row, c] > scores[row, y[row]]]
        expected = np.eye(7)[violating[0]] - np.eye(7)[y[row]] if violating else np.zeros(7)
        np.testing.assert_array_equal(G[row], expected)
    assert not G[0].any()


def test_a_random_rival_is_any_other_class_that_violates(xp: Any) -> None:
    scores, y = np.zeros((3000, 4)), np.ones(3000, dtype=int)
    scores[:, 3] = -1.5
    G = to_numpy(RandomRival().weights(xp.asarray(scores), xp.asarray(y), np.random.default_rng(0)))
    # A third each for 0 and 2, and a third of the rows drew the class that does not violate.
    np.testing.assert_allclose(G.mean(axis=0), [1 / 3, -2 / 3, 1 / 3, 0], atol=0.04)
    assert set(G[:, 1]) == {0.0, -1.0}


@pytest.mark.parametrize(
    "rule", [MostViolating(), SampledRank(), AllViolating(0.1), FirstViolating(0.1), RandomRival()], ids=str
)
def test_rows_of_weights_sum_to_nothing(rule: Rivals) -> None:
    scores, y = draw_problem()
    np.testing.assert_allclose(rule.weights(scores, y, np.random.default_rng(0)).sum(axis=1), 0, atol=1e-12)
