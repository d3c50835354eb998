"""The curve and the constant of calibrated stacking, against doing it the slow way."""

import numpy as np
import pytest

from unseen.confidence.seen_unseen import (
    SeenUnseenCurve,
    find_best_gamma,
    group_answers,
    harmonic_mean,
    trace_curve,
)
from unseen.data.class_table import ClassTable

N_SEEN, N_UNSEEN = 3, 2


class GivenScores:
    """A model whose rows of X are the scores."""

    def decision_function(self, X, classes):
        return X


@pytest.fixture(params=[0, 1, 2])
def problem(request):
    """Scores of 40 rows of seen and 30 of unseen classes, in eighths, so that ties occur and are exact."""
    rng = np.random.default_rng(request.param)
    true_seen, true_unseen = rng.integers(0, N_SEEN, 40), N_SEEN + rng.integers(0, N_UNSEEN, 30)
    scores = [rng.standard_normal((len(true), 5)) + np.eye(5)[true] for true in (true_seen, true_unseen)]
    return [(8 * part).round() / 8 for part in scores], [true_seen, true_unseen]


def accuracies(problem, gamma):
    """Mean per-class accuracy of seen and unseen rows, by subtracting gamma and taking the largest."""
    found = []
    for scores, true in zip(*problem, strict=True):
        shifted = scores - gamma * (np.arange(5) < N_SEEN)
        right = shifted.argmax(axis=1) == true
        found.append(np.mean([right[true == label].mean() for label in np.unique(true)]))
    return found


def traced(problem):
    seen, unseen = ClassTable.one_hot(["a", "b", "c"]), ClassTable(np.eye(3)[:N_UNSEEN], ["d", "e"])
    answers = [group_answers(GivenScores(), scores, seen, unseen) for scores in problem[0]]
    return trace_curve(answers[0], problem[1][0], answers[1], problem[1][1])


def test_curve_is_what_a_sweep_of_constants_finds(problem):
    curve = traced(problem)
    # Midway between the points, where rounding cannot decide.
    for left, right, unseen, seen in zip(
        curve.gamma, curve.gamma[1:-1], curve.unseen[1:], curve.seen[1:], strict=False
    ):
        assert accuracies(problem, (left + right) / 2) == pytest.approx([seen, unseen])


def test_curve_runs_from_all_seen_to_all_unseen(problem):
    curve = traced(problem)
    assert (curve.unseen[0], curve.seen[-1]) == (0.0, 0.0)
    assert curve.seen[0] == pytest.approx(accuracies(problem, -100)[0])
    assert curve.unseen[-1] == pytest.approx(accuracies(problem, 100)[1])
    assert np.all(np.diff(curve.unseen) >= 0)
    assert np.all(np.diff(curve.seen) <= 0)
    assert 0 <= curve.area <= curve.seen[0] * curve.unseen[-1] + 1e-12


def test_answers_with_a_constant_agree_with_the_shifted_scores(problem):
    seen, unseen = ClassTable.one_hot(["a", "b", "c"]), ClassTable(np.eye(3)[:N_UNSEEN], ["d", "e"])
    answers = group_answers(GivenScores(), problem[0][0], seen, unseen)
    for gamma in (0.0, 0.25, -0.33):
        shifted = problem[0][0] - gamma * (np.arange(5) < N_SEEN)
        np.testing.assert_array_equal(answers.answers(gamma), shifted.argmax(axis=1))


def test_best_constant_has_the_best_mean_harmonic_mean(problem):
    curve = traced(problem)
    grid = np.linspace(-5, 5, 2001)
    best = max(harmonic_mean(*accuracies(problem, gamma)) for gamma in grid)
    assert harmonic_mean(*accuracies(problem, find_best_gamma([curve]))) >= best - 1e-12


def test_a_model_that_never_recognises_an_unseen_class_is_left_as_it_is():
    curve = SeenUnseenCurve(np.array([0.0, 1.0]), np.zeros(2), np.array([1.0, 0.0]))
    assert find_best_gamma([curve]) == 0.0


def test_a_row_of_weight_two_counts_twice_within_its_class(problem):
    rng = np.random.default_rng(3)
    times = [rng.integers(1, 4, len(true)) for true in problem[1]]
    seen, unseen = ClassTable.one_hot(["a", "b", "c"]), ClassTable(np.eye(3)[:N_UNSEEN], ["d", "e"])
    answers = [group_answers(GivenScores(), scores, seen, unseen) for scores in problem[0]]
    weighted = trace_curve(answers[0], problem[1][0], answers[1], problem[1][1], tuple(times))
    repeated = [[np.repeat(part, times[at], axis=0) for at, part in enumerate(side)] for side in problem]
    np.testing.assert_allclose(weighted.seen, traced(repeated).seen)
    np.testing.assert_allclose(weighted.unseen, traced(repeated).unseen)


def test_shifted_answers_are_those_of_shifted_scores(problem):
    seen, unseen = ClassTable.one_hot(["a", "b", "c"]), ClassTable(np.eye(3)[:N_UNSEEN], ["d", "e"])
    answers = group_answers(GivenScores(), problem[0][0], seen, unseen)
    np.testing.assert_array_equal(answers.shift(-0.25).answers(), answers.answers(0.25))
