"""Alternating optimisation of Eq. eqn:ff: against a convex solver, the dense solve, and the paper's properties."""

import itertools

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import unseen.utils.arrays
from unseen.similarity.alternating.alternate import alternate, alternate_all, constrained_scores
from unseen.similarity.sets.feasible import AllSpace, Ball, Box, FeasibleSet, NonNegative, Simplex
from unseen.utils.arrays import namespace, to_numpy
from unseen.utils.errors import InputError

OMEGA = (1.0, 2.0, 0.5, 0.2)
D_T, D_S = 4, 3
SETS: list[FeasibleSet] = [AllSpace(), Ball(0.8), Simplex(), NonNegative(), Box(-0.3, 0.5)]
BOUNDED: list[FeasibleSet] = [Ball(0.8), Simplex(), Box(-0.3, 0.5)]
every_pair = pytest.mark.parametrize(("feasible_t", "feasible_s"), list(itertools.product(SETS, SETS)), ids=repr)
bounded_pairs = pytest.mark.parametrize(
    ("feasible_t", "feasible_s"), list(itertools.product(BOUNDED, BOUNDED)), ids=repr
)


def example(seed=0, n=4, d_t=D_T, d_s=D_S, rate=0.9):
    """Random pairs and a W with sigma_max(W)² = rate * omega_13 * omega_24."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(d_t, d_s))
    W *= np.sqrt(rate * (OMEGA[0] + OMEGA[2]) * (OMEGA[1] + OMEGA[3])) / np.linalg.norm(W, 2)
    return W, rng.normal(size=(n, d_t)), rng.normal(size=(n, d_s))


def dense(W, phi, psi):
    """H, and g and h of every pair, as Eq. eqn:H and Eq. eqn:fff write them."""
    w1, w2, w3, w4 = OMEGA
    H = np.block([[(w1 + w3) * np.eye(W.shape[0]), -W], [-W.T, (w2 + w4) * np.eye(W.shape[1])]])
    return H, np.hstack([w1 * phi, w2 * psi]), (w1 * np.sum(phi**2, axis=1) + w2 * np.sum(psi**2, axis=1)) / 2


def dense_value(W, phi, psi, z_t, z_s):
    H, g, h = dense(W, phi, psi)
    z = np.hstack([z_t, z_s])
    return np.sum(g * z, axis=1) - np.einsum("ni,ij,nj->n", z, H, z) / 2 - h


def constraints(feasible, d):
    """The set as clarabel takes it: (A, b, cones) with b - A z in the cones."""
    one = np.ones(d)
    match feasible:
        case Ball(radius):
            return np.vstack([np.zeros((1, d)), -np.eye(d)]), np.r_[radius, 0 * one], [clarabel.SecondOrderConeT(d + 1)]
        case Simplex(total):
            cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(d)]
            return np.vstack([one, -np.eye(d)]), np.r_[total, 0 * one], cones
        case NonNegative():
            return -np.eye(d), 0 * one, [clarabel.NonnegativeConeT(d)]
        case Box():
            bounds = np.r_[feasible.upper * one, -feasible.lower * one]
            return np.vstack([np.eye(d), -np.eye(d)]), bounds, [clarabel.NonnegativeConeT(2 * d)]
    # A constraint that never binds: clarabel wants at least one.
    return np.zeros((1, d)), np.ones(1), [clarabel.NonnegativeConeT(1)]


def maximum(W, phi, psi, feasible_t, feasible_s):
    """Solve every pair by interior points, to about 1e-8 (asked for more, it stalls on balls): z_t, z_s and value."""
    H, g, _ = dense(W, phi, psi)
    (A_t, b_t, cones_t), (A_s, b_s, cones_s) = constraints(feasible_t, D_T), constraints(feasible_s, D_S)
    A, P = sparse.block_diag([A_t, A_s], format="csc"), sparse.csc_matrix(np.triu(H))
    options = clarabel.DefaultSettings()
    options.verbose = False
    z = []
    for row in g:
        solution = clarabel.DefaultSolver(P, -row, A, np.r_[b_t, b_s], [*cones_t, *cones_s], options).solve()
        assert str(solution.status) == "Solved"
        z.append(solution.x)
    z_t, z_s = np.split(np.asarray(z), [D_T], axis=1)
    return z_t, z_s, dense_value(W, phi, psi, z_t, z_s)


# Where H is positive definite


@every_pair
@pytest.mark.parametrize("rate", [0.3, 0.99])
def test_agrees_with_a_convex_solver(feasible_t, feasible_s, rate):
    W, phi, psi = example(seed=1, rate=rate)
    z_t, z_s, best = maximum(W, phi, psi, feasible_t, feasible_s)
    result = alternate(W, OMEGA, phi, psi, feasible_t, feasible_s)
    assert result.optimality == "global"
    assert result.converged.all()
    size = 1 + np.abs(best)
    np.testing.assert_allclose(result.value / size, best / size, atol=1e-7)
    np.testing.assert_allclose(result.z_t, z_t, atol=1e-3 * np.abs(z_t).max())
    np.testing.assert_allclose(result.z_s, z_s, atol=1e-3 * np.abs(z_s).max())
    assert feasible_t.contains(result.z_t).all()
    assert feasible_s.contains(result.z_s).all()
    np.testing.assert_allclose(result.value, dense_value(W, phi, psi, result.z_t, result.z_s), atol=1e-10)


@every_pair
def test_gap_bounds_what_is_missing_and_shrinks(feasible_t, feasible_s):
    W, phi, psi = example(seed=2, rate=0.95)
    _, _, best = maximum(W, phi, psi, feasible_t, feasible_s)
    for max_iter in (1, 2, 3, 5, 8, 13, 21):
        result = alternate(W, OMEGA, phi, psi, feasible_t, feasible_s, max_iter=max_iter, tol=0.0)
        assert np.all(best - result.value <= result.gap + 1e-7)
        assert np.all(result.n_iter <= max_iter)
    assert np.all(alternate(W, OMEGA, phi, psi, feasible_t, feasible_s).gap <= 1e-10)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), rate=st.floats(0.01, 0.999), sets=st.tuples(*[st.sampled_from(SETS)] * 2))
def test_gap_bounds_what_is_missing_in_random_problems(seed, rate, sets):
    W, phi, psi = example(seed, rate=rate)
    best = alternate(W, OMEGA, phi, psi, *sets)
    for max_iter in (1, 3, 6):
        early = alternate(W, OMEGA, phi, psi, *sets, max_iter=max_iter)
        slack = 1e-11 * (1 + np.abs(best.value)) / (1 - rate)
        assert np.all(best.value - early.value <= early.gap + slack)


def test_gap_is_exact_in_one_dimension_without_constraints():
    W, phi, psi = example(n=6, d_t=1, d_s=1, rate=0.7)
    H, g, h = dense(W, phi, psi)
    best = np.sum(g * np.linalg.solve(H, g.T).T, axis=1) / 2 - h
    result = alternate(W, OMEGA, phi, psi, max_iter=1)
    np.testing.assert_allclose(result.gap, best - result.value, rtol=1e-9)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    length=st.floats(0.0, 100.0),
    rate=st.floats(0.01, 0.99),
    sets=st.tuples(*[st.sampled_from(SETS)] * 2),
)
def test_the_start_does_not_matter_for_the_global_maximum(seed, length, rate, sets):
    W, phi, psi = example(seed, rate=rate)
    start = length * np.random.default_rng(seed + 1).normal(size=psi.shape)
    one, other = (alternate(W, OMEGA, phi, psi, *sets, start=s, tol=1e-20) for s in (None, start))
    assert one.converged.all()
    assert other.converged.all()
    np.testing.assert_allclose(one.value, other.value, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.z_s, other.z_s, rtol=1e-6, atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), rate=st.floats(0.0, 0.999), d_t=st.integers(1, 9), d_s=st.integers(1, 9))
def test_all_space_agrees_with_the_dense_solve(seed, rate, d_t, d_s):
    W, phi, psi = example(seed, 5, d_t, d_s, rate)
    H, g, h = dense(W, phi, psi)
    z = np.linalg.solve(H, g.T).T
    result = alternate(W, OMEGA, phi, psi, tol=1e-24)
    assert result.converged.all()
    np.testing.assert_allclose(np.hstack([result.z_t, result.z_s]), z, rtol=1e-7, atol=1e-8 * np.abs(z).max())
    np.testing.assert_allclose(result.value, np.sum(g * z, axis=1) / 2 - h, rtol=1e-8, atol=1e-8 * np.abs(z).max())


def test_acceleration_reaches_nearly_singular_problems():
    W, phi, psi = example(n=20, d_t=30, d_s=20, rate=0.9999)
    result = alternate(W, OMEGA, phi, psi)
    assert result.converged.all()
    assert result.n_iter.max() < 2000  # plain rounds would take about log(1e-16) / log(0.9999) = 370,000


@pytest.mark.parametrize(("rate", "tol"), [(1 - 1e-8, None), (0.5, 0.0)])
def test_pairs_stop_where_rounding_bars_the_tolerance(rate, tol):
    W, phi, psi = (v.astype("float32") for v in example(n=50, rate=rate))
    result = alternate(W, OMEGA, phi, psi, Ball(0.8), Ball(0.8), tol=tol)
    assert result.n_iter.max() < 500
    np.testing.assert_allclose(
        result.value, alternate(W, OMEGA, phi.astype("float64"), psi, Ball(0.8), Ball(0.8)).value, rtol=1e-5
    )


# Where it is not, and in both cases


@bounded_pairs
@pytest.mark.parametrize("rate", [0.9, 1.0, 1.5, 10.0])
def test_ascent_is_monotone(feasible_t, feasible_s, rate):
    W, phi, psi = example(seed=3, rate=rate)
    runs = [
        alternate(W, OMEGA, phi, psi, feasible_t, feasible_s, start=-psi, max_iter=k, tol=0.0).value
        for k in range(1, 25)
    ]
    assert np.all(np.diff(runs, axis=0) >= -1e-14 * np.abs(runs[-1]).max())


@bounded_pairs
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), rate=st.floats(1.0, 20.0))
def test_local_regime_ends_at_a_stationary_point(feasible_t, feasible_s, seed, rate):
    W, phi, psi = example(seed, rate=1.0001 * rate)
    result = alternate(W, OMEGA, phi, psi, feasible_t, feasible_s)
    assert result.optimality == "local"
    assert result.converged.all()
    H, g, _ = dense(W, phi, psi)
    z = np.hstack([result.z_t, result.z_s])
    ahead = z + (g - z @ H)
    back = np.hstack([feasible_t.project(ahead[:, :D_T]), feasible_s.project(ahead[:, D_T:])])
    np.testing.assert_allclose(back, z, atol=1e-6)
    # The residual bounds what one more plain round does.
    w1, w2, w3, w4 = OMEGA
    z_s = feasible_s.project((w2 * psi + result.z_t @ W) / (w2 + w4))
    z_t = feasible_t.project((w1 * phi + z_s @ W.T) / (w1 + w3))
    assert np.all(np.linalg.norm(np.hstack([z_t, z_s]) - z, axis=1) <= result.gap + 1e-12)


def test_one_bounded_set_is_enough_in_the_local_regime():
    W, phi, psi = example(rate=5.0)
    for sets in ((AllSpace(), Ball(2.0)), (Simplex(), NonNegative())):
        assert alternate(W, OMEGA, phi, psi, *sets).converged.all()


def test_unbounded_sets_may_still_have_a_maximum():
    W, phi, psi = example(rate=1.5)
    result = alternate(-np.abs(W), OMEGA, phi, psi, NonNegative(), NonNegative())
    assert result.optimality == "local"
    assert result.converged.all()


@pytest.mark.parametrize("rate", [1.0, 1.01, 50.0])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_no_maximum_is_refused(rate, dtype):
    W = np.sqrt(rate) * np.eye(3, dtype=dtype)
    phi, psi = np.ones((2, 3), dtype=dtype), np.ones((2, 3), dtype=dtype)
    for feasible in (AllSpace(), NonNegative()):
        with pytest.raises(InputError, match=r"no maximum: H is not positive definite .* Give a bounded feasible set"):
            alternate(W, (1.0, 1.0, 0.0, 0.0), phi, psi, feasible, feasible)


# Arrays


@pytest.mark.parametrize(
    ("sets", "rate"),
    [
        ((AllSpace(), AllSpace()), 0.95),
        ((Ball(0.8), Simplex()), 0.95),
        ((Ball(0.8), Simplex()), 1.5),
        ((NonNegative(), Box(-0.3, 0.5)), 0.95),
        ((NonNegative(), Box(-0.3, 0.5)), 1.5),
    ],
    ids=repr,
)
def test_every_library_gives_the_same(xp, sets, rate):
    W, phi, psi = example(rate=rate)
    expected = alternate(W, OMEGA, phi, psi, *sets)
    for dtype, rtol in ((xp.float64, 1e-6), (xp.float32, 2e-3)):
        arrays = [xp.asarray(v, dtype=dtype) for v in (W, phi, psi)]
        result = alternate(arrays[0], OMEGA, *arrays[1:], *sets)
        assert bool(xp.all(result.converged))
        for name in ("z_t", "z_s", "value", "gap"):
            array = getattr(result, name)
            assert namespace(array) is namespace(arrays[0])
            assert array.dtype == dtype
            assert tuple(array.shape) == getattr(expected, name).shape
        for name in ("z_t", "z_s", "value"):
            scale = np.abs(getattr(expected, name)).max()
            np.testing.assert_allclose(to_numpy(getattr(result, name)), getattr(expected, name), atol=rtol * scale)


def test_precision_is_that_of_phi():
    W, phi, psi = example()
    result = alternate(W, OMEGA, phi.astype("float32"), psi, feasible_s=Simplex())
    assert {result.z_t.dtype, result.z_s.dtype, result.value.dtype, result.gap.dtype} == {np.dtype("float32")}


def test_every_combination_in_blocks_of_bounded_memory(xp, monkeypatch):
    monkeypatch.setattr(unseen.utils.arrays, "BLOCK_BYTES", 5000)
    W, phi, psi = (xp.asarray(v) for v in example(n=7))
    psi = psi[:5, :]
    sets = Ball(0.8), Simplex()
    blocks = list(alternate_all(W, OMEGA, phi, psi, *sets))
    assert len(blocks) > 1
    assert [i for rows, _ in blocks for i in range(rows.start, rows.stop)] == list(range(7))
    scores = to_numpy(constrained_scores(W, OMEGA, phi, psi, *sets))
    assert scores.shape == (7, 5)
    for rows, result in blocks:
        n = rows.stop - rows.start
        shapes = [tuple(a.shape) for a in (result.z_t, result.z_s, result.value, result.gap, result.n_iter)]
        assert shapes == [(n, 5, D_T), (n, 5, D_S), (n, 5), (n, 5), (n, 5)]
        np.testing.assert_array_equal(to_numpy(result.value), scores[rows])
    for j in range(5):
        column = alternate(W, OMEGA, phi, xp.tile(psi[j : j + 1, :], (7, 1)), *sets)
        np.testing.assert_allclose(to_numpy(column.value), scores[:, j], rtol=1e-10)


def test_no_pairs(xp):
    W, phi, psi = (xp.asarray(v) for v in example(n=0))
    assert tuple(alternate(W, OMEGA, phi, psi, Simplex(), Ball(1.0)).z_t.shape) == (0, D_T)
    assert tuple(constrained_scores(W, OMEGA, phi, xp.ones((2, D_S), dtype=W.dtype)).shape) == (0, 2)


def test_zero_weights_project_the_features():
    _, phi, psi = example()
    result = alternate(np.zeros((D_T, D_S)), (1.0, 1.0, 0.0, 0.0), phi, psi, Simplex(), Ball(0.5))
    np.testing.assert_allclose(result.z_t, Simplex().project(phi))
    np.testing.assert_allclose(result.z_s, Ball(0.5).project(psi))
    assert np.all(result.gap == 0)


def test_scores_warn_when_pairs_did_not_converge():
    W, phi, psi = example()
    with pytest.warns(ConvergenceWarning, match=r"16 of 16 pairs did not converge within 2 rounds: raise max_iter"):
        constrained_scores(W, OMEGA, phi, psi, max_iter=2)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"omega": (1.0, 1.0, 0.0)}, r"omega has 3 entries"),
        ({"omega": (0.0, 1.0, 0.0, 0.0)}, r"omega_1\) is 0.0"),
        ({"omega": (1.0, float("inf"), 0.0, 0.0)}, r"omega_2\) is inf"),
        ({"phi": np.ones((4, D_T + 1))}, r"phi has 5 columns but W has 4 rows"),
        ({"psi": np.ones((4, D_S + 1))}, r"psi has 4 columns but W has 3 columns"),
        ({"psi": np.ones((3, D_S))}, r"phi has 4 rows and psi 3: .* use alternate_all"),
        ({"phi": np.full((4, D_T), np.nan)}, r"phi holds a NaN or infinite value"),
        ({"psi": np.ones((4, D_S), dtype=int)}, r"psi has shape \(4, 3\) and type int64: give a matrix of floats"),
        ({"W": np.ones(D_T)}, r"W has shape \(4,\)"),
        ({"start": np.ones((4, 1))}, r"start has shape \(4, 1\): give one z_s for each pair, shape \(4, 3\)"),
        ({"max_iter": 0}, r"max_iter is 0: give at least 1 round"),
        ({"tol": float("nan")}, r"tol is nan: give a finite number"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(change, sentence):
    W, phi, psi = example()
    with pytest.raises(InputError, match=sentence):
        alternate(**({"W": W, "omega": OMEGA, "phi": phi, "psi": psi} | change))
