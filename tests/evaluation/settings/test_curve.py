"""The curve and the constant of calibrated stacking, against doing it the slow way."""

import numpy as np
import pytest

from unseen.data import make_zero_shot
from unseen.data.class_table import ClassTable
from unseen.evaluation.metrics import harmonic_mean
from unseen.evaluation.settings.calibration import choose_gamma, find_best_gamma, plan_rehearsal
from unseen.evaluation.settings.curve import SeenUnseenCurve, group_answers, trace_curve
from unseen.models import ESZSL
from unseen.utils.errors import InputError

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


def test_rehearsals_hold_out_classes_and_rows_of_training_only():
    data = make_zero_shot(n_seen=12, n_unseen=4, n_per_class=10, random_state=0)
    parts = plan_rehearsal(data, np.random.default_rng(0))
    assert len(parts.unseen) == 3
    rows = np.concatenate([parts.train, parts.test_seen, parts.test_unseen])
    assert sorted(rows) == sorted(data.train)
    assert set(data.y[parts.train]) == set(data.y[parts.test_seen]) == set(parts.seen)
    assert set(data.y[parts.test_unseen]) == set(parts.unseen)
    assert len(parts.test_seen) == 2 * len(parts.seen)


def test_constant_is_chosen_without_unseen_rows_or_descriptions():
    data = make_zero_shot(n_seen=10, n_unseen=3, random_state=1)
    seen = []

    class Spy(ESZSL):
        def fit(self, X, y, classes=None):
            seen.append(set(classes) | set(y))
            return super().fit(X, y, classes=classes)

        def decision_function(self, X, classes=None):
            seen.append(set(classes))
            return super().decision_function(X, classes=classes)

    choose_gamma(Spy().fit(data.X_train, data.y_train, classes=data.seen_table), data, folds=2, seed=0)
    assert set.union(*seen) == set(data.seen_classes)


def test_constant_depends_on_the_seed_only():
    data = make_zero_shot(random_state=1)
    model = ESZSL().fit(data.X_train, data.y_train, classes=data.seen_table)
    assert choose_gamma(model, data, folds=2, seed=3) == choose_gamma(model, data, folds=2, seed=3)


def test_too_few_seen_classes_or_rows_get_a_sentence():
    with pytest.raises(InputError, match="dataset has 2 seen classes"):
        plan_rehearsal(make_zero_shot(n_seen=2, n_unseen=2, random_state=0), np.random.default_rng(0))
    with pytest.raises(InputError, match="one training row for each seen class"):
        plan_rehearsal(make_zero_shot(n_seen=4, n_unseen=2, n_per_class=1, random_state=0), np.random.default_rng(0))
