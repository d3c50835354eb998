"""Structured losses and margins: values against a plain double loop, weights against differences."""

import math

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from unseen.learning import MatrixMargin, Maximum, RankingSum, SoftMaximum, ZeroOneMargin
from unseen.learning.losses import SoftRankingSum, make_loss, soften
from unseen.learning.margins import make_margin
from unseen.utils.arrays import namespace, to_numpy
from unseen.utils.errors import InputError

N, M = 6, 4
LOSSES = [Maximum(), SoftMaximum(0.3), RankingSum(), SoftRankingSum(0.3)]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
few = settings(max_examples=25, deadline=None, derandomize=True)


def distinct(draw_matrix):
    """Entries that differ by more than finite differences and subgradients can confuse."""
    return draw_matrix.map(lambda scores: scores + 1e-3 * np.random.default_rng(0).normal(size=scores.shape))


scores_of_rows = distinct(hnp.arrays(np.float64, (N, M), elements=st.floats(-4, 4, width=32)))
true_classes = hnp.arrays(np.int64, N, elements=st.integers(0, M - 1))
row_weights = st.none() | hnp.arrays(np.float64, N, elements=st.floats(0.1, 3.0))
delta = hnp.arrays(np.float64, (M, M), elements=st.floats(0.0, 3.0)).map(lambda D: D - np.diag(np.diag(D)))
margins = st.just(ZeroOneMargin()) | delta.map(MatrixMargin)


def delta_of(margin):
    return margin.matrix if isinstance(margin, MatrixMargin) else 1.0 - np.eye(M)


def by_double_loop(loss, scores, y, margin, weights):
    total = 0.0
    for i in range(N):
        true = scores[i, y[i]]
        augmented = [scores[i, j] + delta_of(margin)[y[i], j] for j in range(M)]
        match loss:
            case Maximum():
                slack = max(augmented) - true
            case SoftMaximum(temperature):
                slack = temperature * math.log(sum(math.exp(a / temperature) for a in augmented)) - true
            case RankingSum():
                slack = sum(max(0.0, augmented[j] - true) for j in range(M) if j != y[i])
            case SoftRankingSum(temperature):
                slack = sum(temperature * math.log(1 + math.exp((a - true) / temperature)) for a in augmented)
        total += slack if weights is None else weights[i] * slack
    return total


def value_and_weights(loss, scores, y, margin, weights):
    """Losses may overwrite the scores, so they get a copy."""
    return loss.value_and_weights(scores.copy(), y, margin, weights)


@every_loss
@few
@given(scores=scores_of_rows, y=true_classes, margin=margins, weights=row_weights)
def test_value_is_that_of_a_double_loop(loss, scores, y, margin, weights):
    value, G = value_and_weights(loss, scores, y, margin, weights)
    assert value == pytest.approx(by_double_loop(loss, scores, y, margin, weights), abs=1e-9)
    np.testing.assert_allclose(G.sum(axis=1), 0, atol=1e-12)


@every_loss
@few
@given(scores=scores_of_rows, y=true_classes, margin=margins, weights=row_weights)
def test_weights_are_a_subgradient_of_the_convex_part(loss, scores, y, margin, weights):
    """c(scores) = loss + k (score of the true class) is convex and non-decreasing in every score."""
    k = loss.true_weight(M) * (np.ones(N) if weights is None else weights)
    rows = np.arange(N)
    value, G = value_and_weights(loss, scores, y, margin, weights)
    slope = G.copy()
    slope[rows, y] += k
    assert np.all(slope >= -1e-12)
    rng = np.random.default_rng(1)
    for size in (0.01, 1.0, 10.0):
        other = scores + size * rng.normal(size=scores.shape)
        other_value, _ = value_and_weights(loss, other, y, margin, weights)
        c, other_c = value + k @ scores[rows, y], other_value + k @ other[rows, y]
        assert other_c >= c + np.sum(slope * (other - scores)) - 1e-9


@every_loss
def test_the_true_class_is_subtracted_as_often_as_it_can_lose(loss):
    """A row that every other class beats by far takes just the weight k from its true class: no smaller k would do."""
    _, G = loss.value_and_weights(np.array([[0.0, 50.0, 50.0, 50.0]]), np.array([0]), ZeroOneMargin(), None)
    assert G[0, 0] == pytest.approx(-loss.true_weight(M))


@every_loss
@few
@given(scores=scores_of_rows, y=true_classes, margin=margins, weights=row_weights)
def test_weights_are_the_derivative_by_every_score(loss, scores, y, margin, weights):
    _, G = value_and_weights(loss, scores, y, margin, weights)
    if not loss.smooth:  # away from corners only: there is one where two augmented scores are equal
        augmented = np.sort(scores + delta_of(margin)[y], axis=1)
        to_true = np.abs(scores + delta_of(margin)[y] - scores[np.arange(N), y][:, None])
        to_true[np.arange(N), y] = 1.0
        if min(np.diff(augmented, axis=1).min(), to_true.min()) < 1e-4:
            return
    numeric = np.empty_like(scores)
    for index in np.ndindex(scores.shape):
        step = np.zeros_like(scores)
        step[index] = 1e-6
        ahead, behind = (by_double_loop(loss, scores + s * step, y, margin, weights) for s in (1, -1))
        numeric[index] = (ahead - behind) / 2e-6
    np.testing.assert_allclose(G, numeric, atol=1e-5)


@few
@given(scores=scores_of_rows, y=true_classes, margin=margins, temperature=st.floats(1e-4, 2.0))
def test_soft_maximum_lies_above_the_maximum_by_a_known_bound(scores, y, margin, temperature):
    hard, _ = value_and_weights(Maximum(), scores, y, margin, None)
    soft, _ = value_and_weights(SoftMaximum(temperature), scores, y, margin, None)
    assert hard - 1e-9 <= soft <= hard + N * temperature * math.log(M) + 1e-9


def test_soft_maximum_becomes_the_maximum_as_it_cools():
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(N, M)), rng.integers(M, size=N)
    hard, hard_weights = value_and_weights(Maximum(), scores, y, ZeroOneMargin(), None)
    soft, soft_weights = value_and_weights(SoftMaximum(1e-4), scores, y, ZeroOneMargin(), None)
    assert soft == pytest.approx(hard, abs=1e-9)
    np.testing.assert_allclose(soft_weights, hard_weights, atol=1e-9)


def test_soft_maximum_of_huge_scores_does_not_overflow():
    scores = np.array([[1e6, -1e6, 0.0], [0.0, 1e6, 1e6]])
    value, G = SoftMaximum(0.1).value_and_weights(scores, np.array([0, 0]), ZeroOneMargin(), None)
    assert value == pytest.approx(1e6 + 1 + 0.1 * math.log(2))
    np.testing.assert_allclose(G, [[0, 0, 0], [-1, 0.5, 0.5]], atol=1e-12)


def test_a_row_that_wins_by_its_margin_costs_nothing():
    scores = np.array([[3.0, 1.0, 0.0]])
    for loss in (Maximum(), RankingSum()):
        value, G = value_and_weights(loss, scores, np.array([0]), ZeroOneMargin(), None)
        assert value == pytest.approx(0.0)
        np.testing.assert_array_equal(G, 0)


# Margins


@every_loss
@few
@given(scores=scores_of_rows, y=true_classes)
def test_the_zero_one_margin_is_its_matrix(loss, scores, y):
    short = value_and_weights(loss, scores, y, ZeroOneMargin(), None)
    by_matrix = value_and_weights(loss, scores, y, make_margin(1 - np.eye(M), range(M)), None)
    assert short[0] == pytest.approx(by_matrix[0], abs=1e-9)
    np.testing.assert_allclose(short[1], by_matrix[1], atol=1e-9)


def test_a_callable_margin_is_asked_for_every_pair_of_labels():
    margin = make_margin(lambda true, other: len(true) * len(other), ["a", "bb", "cccc"])
    np.testing.assert_array_equal(margin.matrix, [[0, 2, 4], [2, 0, 8], [4, 8, 0]])
    assert make_margin(None, "ab") == ZeroOneMargin()


def test_a_margin_may_differ_from_the_way_back():
    margin = make_margin([[0.0, 2.0], [5.0, 0.0]], ["a", "b"])
    scores = np.zeros((2, 2))
    value, _ = Maximum().value_and_weights(scores, np.array([0, 1]), margin, None)
    assert value == 7.0


@pytest.mark.parametrize(
    ("margin", "sentence"),
    [
        (np.ones((2, 3)), r"margin has shape \(2, 3\) for 3 seen classes: give one of \(3, 3\)"),
        (-1 + np.eye(3), r"margin holds .*-1.0.*: every entry must be finite and at least 0"),
        (np.full((3, 3), np.nan), r"margin holds .*nan"),
        (np.ones((3, 3)), r"margin\[0\] is not 0 on the diagonal: set it to 0"),
        (lambda a, b: -1.0, r"margin holds .*-1.0"),
    ],
)
def test_bad_margins_are_refused_with_a_sentence(margin, sentence):
    with pytest.raises(InputError, match=sentence):
        make_margin(margin, "abc")


# By name, and on every library


def test_losses_are_found_by_name():
    assert make_loss("maximum", 0.5) == Maximum()
    assert make_loss("soft-maximum", 0.5) == SoftMaximum(0.5)
    assert make_loss("ranking", 0.5) == RankingSum()
    own = SoftMaximum(3.0)
    assert make_loss(own, 0.5) is own
    with pytest.raises(InputError, match=r"loss='hinge' is not known: choose one of 'maximum', 'ranking', 'soft-"):
        make_loss("hinge", 0.5)


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan"), float("inf")])
def test_bad_temperature_is_refused_with_a_sentence(temperature):
    with pytest.raises(InputError, match=f"temperature must be a finite number above 0, got {temperature!r}"):
        SoftMaximum(temperature)


@every_loss
@pytest.mark.parametrize("margin", [ZeroOneMargin(), MatrixMargin(2 * (1 - np.eye(M)))], ids=["zero-one", "matrix"])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_library_gives_the_same(xp, loss, margin, weighted):
    rng = np.random.default_rng(0)
    scores, y, weights = rng.normal(size=(N, M)), rng.integers(M, size=N), rng.uniform(size=N)
    expected, wanted = value_and_weights(loss, scores, y, margin, weights if weighted else None)
    for dtype, atol in ((xp.float64, 1e-12), (xp.float32, 1e-4)):
        row_weights = xp.asarray(weights, dtype=dtype) if weighted else None
        # Not a view of NumPy's memory: the loss may overwrite it.
        array = xp.asarray(scores.copy(), dtype=dtype)
        value, G = loss.value_and_weights(array, xp.asarray(y), margin, row_weights)
        assert namespace(G) is namespace(array)
        assert G.dtype == dtype
        assert float(value) == pytest.approx(expected, abs=10 * atol)
        np.testing.assert_allclose(to_numpy(G), wanted, atol=atol)


@pytest.mark.parametrize("loss", [Maximum(), RankingSum()], ids=repr)
@few
@given(scores=scores_of_rows, y=true_classes, margin=margins, weights=row_weights)
def test_the_smooth_form_falls_to_the_loss_with_the_temperature(loss, scores, y, margin, weights):
    exact, _ = value_and_weights(loss, scores, y, margin, weights)
    soft = [value_and_weights(soften(loss, t), scores, y, margin, weights)[0] for t in (1.0, 0.1, 0.01, 1e-4)]
    assert np.all(np.diff(soft) <= 1e-9)
    assert soft[-1] == pytest.approx(exact, abs=1e-4 * 3 * N * M)
    assert soft[-1] >= exact - 1e-9


def test_a_smooth_loss_is_not_softened():
    assert soften(SoftMaximum(0.3), 0.1) is None
    assert soften(RankingSum(), 0.1).smooth


@few
@given(spread=st.floats(0.1, 100.0), lead=st.floats(0.0, 100.0), y=true_classes, seed=st.integers(0, 2**32 - 1))
def test_soft_maximum_of_scores_near_and_far_apart(spread, lead, y, seed):
    """Scores stay as they are, or are measured from the true class or from each row's maximum; no one can tell."""
    scores = np.random.default_rng(seed).uniform(-spread, spread, size=(N, M)).astype(np.float32)
    scores[np.arange(N), y] += lead
    value, G = value_and_weights(SoftMaximum(0.1), scores, y, ZeroOneMargin(), None)
    augmented = (scores.astype(float) + delta_of(ZeroOneMargin())[y]) / 0.1
    exact = scipy.special.softmax(augmented, axis=1)
    exact[np.arange(N), y] -= 1
    np.testing.assert_allclose(G, exact, atol=1e-4)
    slacks = 0.1 * scipy.special.logsumexp(augmented, axis=1) - scores[np.arange(N), y]
    assert value == pytest.approx(slacks.sum(), rel=1e-5, abs=1e-3)
    others = np.arange(M)[None, :] != y[:, None]
    assert np.all(G[others] >= np.finfo(np.float32).tiny)  # subnormal numbers are slow
