"""Sets of weights: the projection is the nearest matrix of the set, on every library."""

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from unseen.similarity import AllMatrices, FrobeniusBall, Intersection, NonNegativeMatrices, SpectralBall, WeightSet
from unseen.utils.arrays import namespace, to_numpy
from unseen.utils.errors import InputError

SETS = [
    AllMatrices(),
    SpectralBall(1.5),
    FrobeniusBall(2.0),
    NonNegativeMatrices(),
    Intersection((SpectralBall(1.5), NonNegativeMatrices())),
    Intersection((FrobeniusBall(2.0), NonNegativeMatrices())),
    Intersection((SpectralBall(1.0), FrobeniusBall(1.2), NonNegativeMatrices())),
]
every_set = pytest.mark.parametrize("weight_set", SETS, ids=repr)
shapes = st.sampled_from([(4, 3), (3, 4), (1, 2), (3, 3)])


def matrices(shape):
    return hnp.arrays(np.float64, shape, elements=st.floats(-8, 8, width=32))


@every_set
@settings(max_examples=25, deadline=None, derandomize=True)
@given(pair=shapes.flatmap(lambda shape: st.tuples(matrices(shape), matrices(shape))))
def test_projection_is_nearest_idempotent_and_does_not_lengthen(weight_set, pair):
    W, other = pair
    P, Q = (weight_set.project(M) for M in pair)
    np.testing.assert_allclose(weight_set.project(P), P, atol=1e-9)
    # Nearest: from P no matrix Q of the set lies in the direction of W.
    assert np.sum((W - P) * (Q - P)) <= 1e-7
    assert np.linalg.norm(P - Q) <= np.linalg.norm(W - other) + 1e-8


@every_set
@settings(max_examples=25, deadline=None, derandomize=True)
@given(W=shapes.flatmap(matrices))
def test_projection_is_a_member_and_members_stay(weight_set, W):
    P = weight_set.project(W)
    inside = 0.999 * P  # every set here shrinks towards its member 0
    assert weight_set.contains(inside)
    np.testing.assert_allclose(weight_set.project(inside), inside, rtol=0, atol=1e-12)
    if not isinstance(weight_set, Intersection):
        assert weight_set.contains(P)
    if not isinstance(weight_set, AllMatrices) and np.linalg.norm(W - P) > 1e-3 * np.linalg.norm(W):
        assert not weight_set.contains(W)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(W=shapes.flatmap(matrices), radius=st.floats(0.1, 20.0))
def test_spectral_ball_agrees_with_singular_values(W, radius):
    sigma = np.linalg.svd(W, compute_uv=False)
    if abs(sigma[0] - radius) > 1e-9 * radius:
        assert SpectralBall(radius).contains(W) == (sigma[0] <= radius)
    clipped = np.linalg.svd(SpectralBall(radius).project(W), compute_uv=False)
    np.testing.assert_allclose(clipped, np.minimum(sigma, radius), atol=1e-10)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4)])
def test_spectral_ball_holds_its_boundary(shape):
    W = np.random.default_rng(0).normal(size=shape)
    W /= np.linalg.norm(W, 2)
    assert SpectralBall(1.0).contains(W)
    assert not SpectralBall(1 - 1e-6).contains(W)


def nearest_by_cone_programme(W, radius):
    """The nearest matrix without negative entries of spectral norm at most `radius`, by interior points."""
    d_t, d_s = W.shape
    size, n = d_t + d_s, d_t * d_s
    # [[radius I, X], [X^T, radius I]] is positive semi-definite; clarabel stacks the columns of its upper triangle,
    # with the entries off the diagonal times sqrt(2).
    rows, columns = zip(*[(i, j) for j in range(size) for i in range(j + 1)], strict=True)
    A, b = np.zeros((len(rows), n)), np.zeros(len(rows))
    for at, (i, j) in enumerate(zip(rows, columns, strict=True)):
        if i == j:
            b[at] = radius
        elif i < d_t <= j:
            A[at, i * d_s + j - d_t] = -np.sqrt(2)
    options = clarabel.DefaultSettings()
    options.verbose = False
    cones = [clarabel.PSDTriangleConeT(size), clarabel.NonnegativeConeT(n)]
    constraints, bounds = sparse.csc_matrix(np.vstack([A, -np.eye(n)])), np.r_[b, np.zeros(n)]
    solver = clarabel.DefaultSolver(sparse.eye(n, format="csc"), -W.ravel(), constraints, bounds, cones, options)
    solution = solver.solve()
    assert str(solution.status) == "Solved"
    return np.asarray(solution.x).reshape(W.shape)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", [(4, 3), (2, 5)])
def test_intersection_agrees_with_a_cone_programme(seed, shape):
    W = np.random.default_rng(seed).normal(0.3, 2.0, size=shape)
    ours = Intersection((SpectralBall(1.0), NonNegativeMatrices())).project(W)
    theirs = nearest_by_cone_programme(W, 1.0)
    assert np.linalg.norm(W - ours) == pytest.approx(np.linalg.norm(W - theirs), abs=1e-7)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


@pytest.mark.parametrize("turned", [False, True])
def test_intersection_of_ball_and_orthant_is_known(turned):
    # Cut the negative entries first, then shorten. The other way round is feasible too, but not nearest.
    members = (FrobeniusBall(1.0), NonNegativeMatrices())
    for seed in range(10):
        W = np.random.default_rng(seed).normal(size=(3, 3))
        P = Intersection(members[::-1] if turned else members).project(W)
        np.testing.assert_allclose(P, FrobeniusBall(1.0).project(np.maximum(W, 0)), atol=1e-10)


def test_intersection_keeps_a_member_and_knows_its_rotations():
    W = np.full((2, 2), 0.1)
    both = Intersection((SpectralBall(1.0), NonNegativeMatrices()))
    assert both.project(W) is W
    assert not both.rotation_invariant
    assert Intersection((SpectralBall(1.0), FrobeniusBall(1.0))).rotation_invariant
    assert Intersection(()).project(W) is W
    np.testing.assert_allclose(Intersection((FrobeniusBall(0.1),)).project(W), FrobeniusBall(0.1).project(W))


@pytest.mark.parametrize("weight_set", [s for s in SETS if s.rotation_invariant], ids=repr)
def test_rotation_invariant_sets_do_not_mind_rotations(weight_set):
    rng = np.random.default_rng(0)
    W, R = rng.normal(size=(4, 3)), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    np.testing.assert_allclose(weight_set.project(W @ R), weight_set.project(W) @ R, atol=1e-10)


@every_set
def test_projection_keeps_library_and_precision(xp, weight_set):
    W = 2 * np.random.default_rng(0).normal(size=(4, 3))
    for dtype, atol in ((xp.float64, 1e-10), (xp.float32, 1e-5)):
        P = weight_set.project(xp.asarray(W, dtype=dtype))
        assert namespace(P) is namespace(xp.asarray(W))
        assert P.dtype == dtype
        np.testing.assert_allclose(to_numpy(P), weight_set.project(W), atol=atol)
        assert weight_set.contains(0.99 * P)


@pytest.mark.parametrize("radius", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("ball", [SpectralBall, FrobeniusBall])
def test_bad_radius_is_refused_with_a_sentence(ball, radius):
    with pytest.raises(InputError, match=rf"radius={radius!r} leaves no set to learn in: it must be positive"):
        ball(radius)


def test_what_a_set_offers():
    """A set of one's own promises nothing but to project and to tell; solvers then project."""

    class Upper(WeightSet):
        def project(self, W):
            return np.triu(W)

        def contains(self, W):
            return bool(np.all(np.triu(W) == W))

    own, everything, ball = Upper(), AllMatrices(), SpectralBall(2.0)
    assert [s.constrains for s in (own, everything, ball)] == [True, False, True]
    assert [s.rotation_invariant for s in (own, everything, ball)] == [False, True, True]
    assert [s.chart is None for s in (own, everything, ball, Intersection((ball,)))] == [True, True, False, True]
    with pytest.raises(TypeError, match="abstract"):
        WeightSet()
