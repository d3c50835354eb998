"""Feasible sets: the projection is the nearest point of the set, on every library."""

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from unseen.similarity.sets.feasible import AllSpace, Ball, Box, FeasibleSet, NonNegative, Simplex
from unseen.utils.arrays import namespace, to_numpy
from unseen.utils.errors import InputError

D = 5
SETS: list[FeasibleSet] = [
    AllSpace(),
    Ball(radius=1.5),
    Ball(radius=0.0),
    Simplex(),
    Simplex(total=3.0),
    NonNegative(),
    Box(-0.5, 2.0),
    Box([-1.0, -np.inf, 0.0, 2.0, -np.inf], [1.0, 0.5, np.inf, 2.0, np.inf]),
]
every_set = pytest.mark.parametrize("feasible", SETS, ids=repr)
vectors = hnp.arrays(np.float64, (3, D), elements=st.floats(-50, 50, width=32))


@every_set
@settings(max_examples=25, deadline=None)
@given(z=vectors, other=vectors)
def test_projection_is_nearest_idempotent_and_does_not_lengthen(xp, feasible, z, other):
    p, q = (to_numpy(feasible.project(xp.asarray(v))) for v in (z, other))
    assert np.all(to_numpy(feasible.contains(xp.asarray(p))))
    np.testing.assert_allclose(to_numpy(feasible.project(xp.asarray(p))), p, atol=1e-12)
    # Nearest: from p no point q of the set lies in the direction of z.
    assert np.all(np.sum((z - p) * (q - p), axis=-1) <= 1e-9)
    assert np.all(np.linalg.norm(p - q, axis=-1) <= np.linalg.norm(z - other, axis=-1) + 1e-9)


@every_set
def test_projection_keeps_library_precision_and_leading_axes(xp, feasible):
    z = np.random.default_rng(0).normal(size=(2, 3, D))
    for dtype, atol in ((xp.float64, 1e-13), (xp.float32, 1e-5)):
        p = feasible.project(xp.asarray(z, dtype=dtype))
        assert namespace(p) is namespace(xp.asarray(z))
        assert p.dtype == dtype
        assert feasible.contains(p).shape == (2, 3)
        np.testing.assert_allclose(to_numpy(p), feasible.project(z), atol=atol)
        assert np.all(to_numpy(feasible.contains(p)))
        np.testing.assert_allclose(to_numpy(feasible.project(xp.asarray(z[0, 0], dtype=dtype))), to_numpy(p)[0, 0])


def simplex_by_quadratic_programme(z: np.ndarray, total: float) -> np.ndarray:
    d = len(z)
    constraints = sparse.csc_matrix(np.vstack([np.ones((1, d)), -np.eye(d)]))
    bounds = np.r_[total, np.zeros(d)]
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(d)]
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-10
    solver = clarabel.DefaultSolver(sparse.eye(d, format="csc"), -z, constraints, bounds, cones, options)
    solution = solver.solve()
    assert str(solution.status) == "Solved"
    return np.asarray(solution.x)


@settings(max_examples=40, deadline=None)
@given(z=hnp.arrays(np.float64, st.integers(1, 12), elements=st.floats(-5, 5)), total=st.floats(0.1, 4.0))
def test_simplex_projection_solves_its_quadratic_programme(z, total):
    ours, theirs = Simplex(total).project(z), simplex_by_quadratic_programme(z, total)
    # Where the optimum is degenerate an interior-point solver ends near it, so that only its objective is sharp.
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
    assert ours.min() >= 0
    assert ours.sum() == pytest.approx(total)
    assert np.sum((ours - z) ** 2) <= np.sum((theirs - z) ** 2) + 1e-8


def test_simplex_projection_of_huge_float32_entries_stays_on_the_simplex(xp):
    z = xp.asarray([[1e6, 1e6 + 0.25, -1e6], [3e7, 0.0, 0.0]], dtype=xp.float32)
    np.testing.assert_allclose(to_numpy(Simplex().project(z)), [[0.375, 0.625, 0.0], [1.0, 0.0, 0.0]], atol=1e-6)


@pytest.mark.parametrize(
    ("feasible", "inside", "outside"),
    [
        (AllSpace(), [1e9, -1e9], [np.nan, 0.0]),
        (Ball(5.0), [3.0, 4.0], [3.0, 4.01]),
        (Ball.from_gamma(25.0), [3.0, 4.0], [3.0, 4.01]),
        (Simplex(), [0.25, 0.75], [0.25, 0.7]),
        (Simplex(), [0.0, 1.0], [-0.1, 1.1]),
        (NonNegative(), [0.0, 1.0], [-0.01, 1.0]),
        (Box(0.0, [1.0, 2.0]), [1.0, 2.0], [1.5, 1.5]),
        (Box([-np.inf, 0.0], np.inf), [-1e9, 1e9], [0.0, -1.0]),
    ],
    ids=repr,
)
def test_contains(xp, feasible, inside, outside):
    assert to_numpy(feasible.contains(xp.asarray([inside, outside], dtype=xp.float64))).tolist() == [True, False]
    if not isinstance(feasible, AllSpace):
        assert np.all(to_numpy(feasible.contains(xp.asarray([inside, outside], dtype=xp.float64), tol=1e3)))


def test_bounded():
    assert [feasible.bounded for feasible in SETS] == [False, True, True, True, True, False, True, False]


def test_sets_are_values():
    assert Box(np.zeros(2), 1.0) == Box([0.0, 0.0], 1.0)
    assert len({Ball(1.0), Ball.from_gamma(1.0), Simplex(), Simplex(1.0), AllSpace(), AllSpace()}) == 3
    assert repr(Box(np.zeros(85), 1.0)) == "Box(lower=<85 values>, upper=1.0)"
    with pytest.raises(AttributeError):
        Ball(1.0).radius = 2.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: Ball(-1.0), r"radius of a Ball is -1.0: give a finite number of at least 0"),
        (lambda: Ball(float("nan")), r"radius of a Ball is nan: give"),
        (lambda: Ball(float("inf")), r"radius of a Ball is inf: .*AllSpace"),
        (lambda: Ball.from_gamma(-4.0), r"gamma of a Ball is -4.0: give"),
        (lambda: Simplex(0.0), r"total of a Simplex is 0.0: give a finite positive number"),
        (lambda: Simplex(float("nan")), r"total of a Simplex is nan: give"),
        (lambda: Box(1.0, 0.0), r"lower of a Box is 1.0 and upper 0.0 at entry 0: swap them"),
        (lambda: Box([0.0, 3.0], 2.0), r"lower of a Box is 3.0 and upper 2.0 at entry 1"),
        (lambda: Box(float("nan"), 0.0), r"lower of a Box holds nan: give a number, or -inf for no lower bound"),
        (lambda: Box(0.0, -np.inf), r"upper of a Box holds -inf: give a number, or inf for no upper bound"),
        (lambda: Box(np.zeros((2, 2)), 1.0), r"lower of a Box has shape \(2, 2\): give a number, or a vector"),
        (lambda: Box([0.0, 0.0], [1.0, 1.0, 1.0]), r"lower and upper of a Box have 2 and 3 entries: give vectors"),
        (
            lambda: Box([0.0, 0.0], 1.0).project(np.zeros((1, 3))),
            r"lower of a Box has 2 entries but the vectors have 3",
        ),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(build, sentence):
    with pytest.raises(InputError, match=sentence):
        build()
