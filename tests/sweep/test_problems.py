"""Which settings are one problem: the change of variables, against the ordinary estimator."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen import JFA
from unseen.learning import Smooth
from unseen.sweep.problems import coordinates, find_distinct
from unseen.sweep.settings import make_settings, parse_values
from unseen.utils.errors import InputError

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
    np.testing.assert_allclose(coordinates(one[None])[0, :3], coordinates(two[None])[0, :3], atol=1e-12)
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
    problems = find_distinct(PAPER)
    assert len(problems) == 5745
    assert len(find_distinct(PAPER, unit_length=False)) == 7225
    assert problems.of_setting.shape == (14641,)
    place = coordinates(PAPER)[:, :3] - coordinates(problems.settings)[problems.of_setting][:, :3]
    far = np.log(10) * np.abs(place)
    assert (far <= problems.spread[problems.of_setting] + 1e-12).all()
    assert problems.spread.max() < np.log(10) * 0.02


def test_nothing_is_merged_when_nothing_may_be():
    few = make_settings([1.0, 3.0], [1.0])
    exact = find_distinct(few, merge=1e-12)
    assert exact.spread.max() < 1e-10


@pytest.mark.parametrize(("text", "expected"), [("-1:1:2", [0.1, 10.0]), ("2", [100.0]), ("1,5", [1.0, 5.0])])
def test_values(text, expected):
    assert parse_values(text, "grid") == expected


@pytest.mark.parametrize("text", ["5:-5", "a:b", "1:2:0", "x", ""])
def test_bad_values_are_refused_with_a_sentence(text):
    with pytest.raises(InputError, match=r"give e\.g\. -5:5"):
        parse_values(text, "grid")


def test_bad_grids_are_refused_with_a_sentence():
    with pytest.raises(InputError, match=r"grid holds 0\.0: give values that are positive"):
        make_settings([0.0, 1.0], [1.0])
    with pytest.raises(InputError, match="lambda holds nothing"):
        make_settings([1.0], [])
    with pytest.raises(InputError, match="more than 2,000,000"):
        make_settings(range(1, 100), [1.0])
