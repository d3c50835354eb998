"""Settings that are the same problem, against the ordinary estimator."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen import JFA
from unseen.learning import Smooth
from unseen.sweep.problems import find_distinct_problems, problem_coordinates
from unseen.sweep.settings import make_settings

PAPER = make_settings([10.0**k for k in range(-5, 6)], [1.0])


def same_problem(setting, share):
    """Return another setting of the same kappa, beta and mu."""
    w1, w2, w3, w4, lam = setting
    a, b = w1 + w3, w2 + w4
    # kappa = w1 w2 / sqrt(ab), beta = w2^2 / b and mu = lam a b stay if b, w2, a, w1 grow by c, c^1/2, 1/c, c^-1/2.
    c = share**2
    w1, w2, a, b = w1 / share, w2 * share, a / c, b * c
    return np.array([w1, w2, a - w1, b - w2, lam])


@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=st.integers(0, 1000))
def test_equal_problems_give_equal_models(data, seed):
    rng = np.random.default_rng(seed)
    one = np.array([*rng.uniform(20, 60, size=2), *rng.uniform(60, 200, size=2), 1.0])
    two = same_problem(one, rng.uniform(0.8, 1.25))
    np.testing.assert_allclose(problem_coordinates(one[None])[0, :3], problem_coordinates(two[None])[0, :3], atol=1e-12)
    models = [
        JFA(tuple(setting[:4]), solver=Smooth(tol=1e-10, max_iter=3000)).fit(
            data.X_train, data.y_train, classes=data.classes
        )
        for setting in (one, two)
    ]
    assert models[0].objective_ == pytest.approx(models[1].objective_, rel=1e-6)
    hats = [model.similarity_.W / model.similarity_.omega.limit for model in models]
    np.testing.assert_allclose(hats[0], hats[1], atol=1e-3 * np.abs(hats[0]).max())
    answers = [model.predict(data.X_test_unseen, classes=data.unseen_table) for model in models]
    assert (answers[0] == answers[1]).mean() > 0.98


def test_the_paper_grid_has_this_many_distinct_problems():
    problems = find_distinct_problems(PAPER)
    assert len(problems) == 4553
    assert len(find_distinct_problems(PAPER, unit_length=False)) == 7225
    assert problems.of_setting.shape == (14641,)
    of_setting, of_solved = problem_coordinates(PAPER)[:, :3], problem_coordinates(problems.settings)[:, :3]
    of_solved = of_solved[problems.of_setting]
    far = np.abs(10 ** (of_setting - of_solved) - 1)
    spread = problems.spread[problems.of_setting]
    assert (far <= spread * (1 + 1e-9) + 1e-12).all()
    # All differ by the width of merging at the most, but for a beta that is far below kappa.
    assert problems.spread[:, [0, 2]].max() < 10**0.02 - 1
    others = far[:, 1] > 10**0.02 - 1
    assert others.sum() > 2000
    for log_kappa, log_beta, _ in (of_setting[others].T, of_solved[others].T):
        assert (log_beta < log_kappa - 2 + 0.02).all()


def test_parts_are_what_little_differences_make_of_problems(monkeypatch):
    problems = find_distinct_problems(PAPER)
    assert set(problems.take_apart([])) == set(range(len(problems)))
    apart = problems.take_apart(range(len(problems)))
    assert sorted(set(apart)) == list(range(len(problems.settings)))
    coordinates = problem_coordinates(PAPER)[:, :3]
    solved = problem_coordinates(problems.settings)[:, :3][apart]
    assert np.abs(coordinates - solved).max() < 0.001
    own = apart >= len(problems)
    assert (np.abs(10 ** (coordinates - solved) - 1) <= problems.spread[apart] * (1 + 1e-9) + 1e-12)[own].all()
    assert problems.spread[len(problems) :].max() < 10**0.001 - 1
    monkeypatch.setattr("unseen.sweep.problems.NEGLIGIBLE_BETA", 1e-300)
    exact = find_distinct_problems(PAPER, merge=0.001)
    assert len(exact) == len(exact.settings) == len(problems.settings) == 8517
    # The same settings belong together.
    assert len(set(zip(apart, exact.of_setting, strict=True))) == 8517


def test_a_problem_alone_is_taken_apart():
    problems = find_distinct_problems(PAPER)
    merged = problems.of_setting[np.argmax(problems.part_of_setting >= len(problems))]
    apart = problems.take_apart([merged])
    assert set(problems.of_setting[apart != problems.of_setting]) == {merged}
    assert merged in apart


def test_a_beta_far_below_kappa_does_not_matter(data):
    """With the largest beta that counts as none, learning ends with nearly the same weights as with hardly any."""
    hats, objectives = [], []
    for beta_to_kappa in (1e-2, 1e-8):
        # b = w2 makes beta = b, and kappa^2 = w1^2 b / a; mu = a b for lambda = 1.
        kappa, mu = 0.3, 1.0
        beta = kappa * beta_to_kappa
        a = mu / beta
        w1 = kappa * np.sqrt(a / beta)
        setting = np.array([w1, beta, a - w1, 0.0, 1.0])
        np.testing.assert_allclose(
            problem_coordinates(setting[None])[0, :3], np.log10([kappa, beta, mu]), rtol=1e-6, atol=1e-6
        )
        model = JFA(tuple(setting[:4]), solver=Smooth(tol=1e-8, max_iter=3000))
        model.fit(data.X_train, data.y_train, classes=data.classes)
        hats.append(model.similarity_.W / model.similarity_.omega.limit)
        objectives.append(model.objective_)
    assert objectives[0] == pytest.approx(objectives[1], rel=0.02)
    np.testing.assert_allclose(hats[0], hats[1], atol=0.05 * np.abs(hats[0]).max())


def test_nothing_is_merged_when_nothing_may_be():
    few = make_settings([1.0, 3.0], [1.0])
    exact = find_distinct_problems(few, merge=1e-12)
    assert exact.spread.max() < 1e-10
