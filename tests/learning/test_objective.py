"""The objective of learning: against the pass that forms every latent pair, and its two convex halves."""

from dataclasses import replace

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

import unseen.utils.arrays
from unseen.features import Rows
from unseen.learning import MatrixMargin, Maximum, RankingSum, SoftMaximum
from unseen.utils.arrays import namespace, to_numpy

LOSSES = [Maximum(), SoftMaximum(0.3), RankingSum()]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_kind = pytest.mark.parametrize("kind", ["adaptive", "bilinear", "direct"])
few = settings(max_examples=20, deadline=None, derandomize=True)
UNEQUAL = np.array([0.5, 1.0, 2.0, 0.1, 3.0])


@few
@given(seed=st.integers(0, 10**6), d_s=st.integers(1, 7), share=st.floats(0.05, 0.95), lam=st.floats(0.0, 10.0))
def test_evaluate_is_the_straightforward_pass(make_problem, random_weights, seed, d_s, share, lam):
    problem = make_problem(seed=seed, d_s=d_s, lam=lam, loss=Maximum())
    W = random_weights(problem, seed, share)
    value, gradient = problem.evaluate(W)
    omega = problem.similarity.omega
    expected = reference.straightforward_pass(W, omega, problem.phi.X, problem.y, problem.psi, lam=lam)
    assert value == pytest.approx(expected.value, rel=1e-9)
    np.testing.assert_allclose(gradient, expected.gradient, atol=1e-8 * (1 + np.abs(expected.gradient).max()))
    scores = problem.similarity.with_weights(W).scores(problem.phi.X, problem.psi, exact=True)
    np.testing.assert_allclose(scores, expected.scores, atol=1e-8 * (1 + np.abs(scores).max()))
    augmented = scores + (np.arange(len(problem.psi))[None, :] != problem.y[:, None])
    # Descriptions that are alike tie, and rounding decides between them: it has to be one of the worst.
    found = np.take_along_axis(augmented, expected.worst[:, None], axis=1)[:, 0]
    np.testing.assert_allclose(found, augmented.max(axis=1), rtol=1e-12, atol=1e-12)


@every_kind
@pytest.mark.parametrize("weights", [None, UNEQUAL], ids=["unweighted", "weighted"])
def test_gradient_agrees_with_finite_differences(make_problem, random_weights, kind, weights):
    problem = make_problem(kind, loss=SoftMaximum(0.3), margin=MatrixMargin(2 - 2 * np.eye(5)), weights=weights)
    W = random_weights(problem)
    _, gradient = problem.evaluate(W)
    rng = np.random.default_rng(1)
    for _ in range(5):
        direction = rng.normal(size=W.shape)
        ahead, behind = (problem.evaluate(W + s * 1e-6 * direction)[0] for s in (1, -1))
        assert np.sum(gradient * direction) == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-5)


@every_kind
@every_loss
def test_blocks_of_rows_change_nothing(monkeypatch, make_problem, random_weights, kind, loss):
    whole = make_problem(kind, loss=loss, weights=UNEQUAL)
    W = random_weights(whole)
    expected = [part(W) for part in (whole.evaluate, whole.convex_part, whole.concave_part)]
    assert len(whole.phi.blocks(whole.psi.shape[0])) == 1
    monkeypatch.setattr(unseen.utils.arrays, "BLOCK_BYTES", 600)
    cut = replace(whole)
    assert len(cut.phi.blocks(cut.psi.shape[0])) > 3
    for (value, gradient), part in zip(expected, (cut.evaluate, cut.convex_part, cut.concave_part), strict=True):
        cut_value, cut_gradient = part(W)
        assert cut_value == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(cut_gradient, gradient, rtol=1e-9, atol=1e-10)


@every_kind
@every_loss
@pytest.mark.parametrize("weights", [None, UNEQUAL], ids=["unweighted", "weighted"])
def test_padding_of_rows_changes_nothing(monkeypatch, make_problem, random_weights, kind, loss, weights):
    monkeypatch.setattr(unseen.utils.arrays, "BLOCK_BYTES", 600)
    plain = make_problem(kind, loss=loss, weights=weights)
    padded = replace(plain, phi=plain.phi.pad())
    assert padded.phi.padded
    W = random_weights(plain)
    for name in ("evaluate", "convex_part", "concave_part"):
        (value, gradient), (with_ones, other) = getattr(plain, name)(W), getattr(padded, name)(W)
        assert with_ones == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(other, gradient, rtol=1e-9, atol=1e-10)


@every_kind
@every_loss
@pytest.mark.parametrize("weights", [None, UNEQUAL], ids=["unweighted", "weighted"])
def test_the_parts_add_up(make_problem, random_weights, kind, loss, weights):
    problem = make_problem(kind, loss=loss, weights=weights, lam=0.7)
    W = random_weights(problem)
    whole, convex, concave, regulariser = (
        part(W) for part in (problem.evaluate, problem.convex_part, problem.concave_part, problem.regulariser)
    )
    assert regulariser[0] == pytest.approx(0.35 * np.sum(W**2))
    assert whole[0] == pytest.approx(convex[0] - concave[0] + regulariser[0])
    np.testing.assert_allclose(whole[1], convex[1] - concave[1] + regulariser[1], atol=1e-9)


@every_kind
@every_loss
@few
@given(seed=st.integers(0, 10**6), t=st.floats(0.01, 0.99))
def test_both_parts_are_convex_inside_the_domain(make_problem, random_weights, kind, loss, seed, t):
    """The whole score is a supremum of functions linear in W; CCCP and its certificate rest on this."""
    problem = make_problem(kind, loss=loss)
    A, B = random_weights(problem, seed, 0.98), random_weights(problem, seed + 1, 0.9)
    for part in (problem.convex_part, problem.concave_part):
        (at_A, slope), (at_B, _), (between, _) = (part(W) for W in (A, B, (1 - t) * A + t * B))
        slack = 1e-9 * (1 + abs(at_A) + abs(at_B))
        assert between <= (1 - t) * at_A + t * at_B + slack
        assert at_B >= at_A + np.sum(slope * (B - A)) - slack


def test_the_short_score_alone_is_not_convex(make_problem):
    """Why the parts need the term that scores leave out."""
    problem = make_problem(omega=(2.0, 0.2, 0.0, 0.0), noise=1.0)
    row = replace(problem, phi=Rows(problem.phi.X[:1]), y=problem.y[:1])
    similarity, rng = row.similarity, np.random.default_rng(0)

    def sag(exact):
        """How far the score of the true class lies below the chord, at the worst of some random chords."""
        worst = np.inf
        for _ in range(200):
            A, B = (W / np.linalg.norm(W, 2) * 0.95 * similarity.omega.limit for W in rng.normal(size=(2, 4, 3)))
            f = [
                similarity.with_weights(W).scores(row.phi.X, row.psi, exact=exact)[0, row.y[0]]
                for W in (A, B, (A + B) / 2)
            ]
            worst = min(worst, (f[0] + f[1]) / 2 - f[2])
        return worst

    assert sag(exact=True) >= -1e-9
    assert sag(exact=False) < -1e-3


def test_class_weights_are_repeated_rows(make_problem, random_weights):
    for loss in LOSSES:
        weighted = make_problem(loss=loss, weights=np.array([1.0, 2.0, 3.0, 1.0, 2.0]))
        times = weighted.weights.astype(int)
        repeated = replace(
            weighted, weights=None, y=np.repeat(weighted.y, times), phi=Rows(np.repeat(weighted.phi.X, times, axis=0))
        )
        W = random_weights(weighted)
        for name in ("evaluate", "convex_part", "concave_part"):
            (value, gradient), (wanted, wanted_gradient) = (getattr(p, name)(W) for p in (weighted, repeated))
            assert value == pytest.approx(wanted)
            np.testing.assert_allclose(gradient, wanted_gradient, atol=1e-9)


@every_kind
def test_batches_add_up_to_the_loss(make_problem, random_weights, kind):
    problem = make_problem(kind, loss=SoftMaximum(), weights=UNEQUAL)
    W = random_weights(problem)
    batches = np.array_split(np.random.default_rng(0).permutation(problem.n_rows), 4)
    values, gradients = zip(*[problem.evaluate_batch(W, batch) for batch in batches], strict=True)
    value, gradient = problem.evaluate(W)
    regulariser, shrinking = problem.regulariser(W)
    assert sum(values) == pytest.approx(value - regulariser)
    np.testing.assert_allclose(sum(gradients), gradient - shrinking, atol=1e-9)


@every_kind
@every_loss
def test_every_library_gives_the_same(xp, make_problem, random_weights, kind, loss):
    expected_problem = make_problem(kind, loss=loss, weights=UNEQUAL)
    W = random_weights(expected_problem)
    for dtype, rtol in ((xp.float64, 1e-9), (xp.float32, 1e-4)):
        problem = make_problem(kind, loss=loss, weights=UNEQUAL, xp=xp, dtype=dtype)
        for name in ("evaluate", "convex_part", "concave_part"):
            value, gradient = getattr(problem, name)(xp.asarray(W))
            wanted, wanted_gradient = getattr(expected_problem, name)(W)
            assert namespace(gradient) is namespace(problem.psi)
            assert gradient.dtype == xp.float64
            assert value == pytest.approx(wanted, rel=rtol)
            scale = np.abs(wanted_gradient).max()
            np.testing.assert_allclose(to_numpy(gradient), wanted_gradient, atol=10 * rtol * scale)


def test_a_large_offset_that_classes_share_costs_no_digits(make_problem, random_weights):
    """With large w2 and w4 every score has about -w2/4 beside it: too much for single precision."""
    omega = (1.0, 1e5, 100.0, 1e5)
    double = make_problem(loss=SoftMaximum(), omega=omega, lam=0.0)
    single = make_problem(loss=SoftMaximum(), omega=omega, lam=0.0, dtype=np.float32)
    W = random_weights(double, share=1e-4)
    value, gradient = double.evaluate(W)
    rough, rough_gradient = single.evaluate(W)
    assert rough == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(rough_gradient, gradient, atol=1e-5 * np.abs(gradient).max())
