"""Cutting planes: the certificate against the same problem as one large quadratic programme."""

import clarabel
import numpy as np
import pytest
from scipy import sparse

from unseen.learning import CuttingPlane, Maximum
from unseen.learning.solvers.planes.cutting_plane import Bundle, _solve_simplex_qp, touching
from unseen.learning.solvers.planes.soft_planes import SoftPlanes
from unseen.similarity import AllMatrices, FrobeniusBall, Intersection, NonNegativeMatrices, SpectralBall
from unseen.utils.errors import InputError

SETS = [
    AllMatrices(),
    FrobeniusBall(1.0),
    SpectralBall(0.8),
    NonNegativeMatrices(),
    Intersection((SpectralBall(0.8), NonNegativeMatrices())),
]
every_set = pytest.mark.parametrize("weight_set", SETS, ids=repr)


def constraints_of(weight_set, shape):
    """The set as clarabel takes it: a list of (A, b, cone) with b - A vec(W) in the cone."""
    d_t, d_s = shape
    size, D = d_t + d_s, d_t * d_s
    match weight_set:
        case FrobeniusBall(radius):
            A = np.vstack([np.zeros((1, D)), -np.eye(D)])
            return [(A, np.r_[radius, np.zeros(D)], clarabel.SecondOrderConeT(D + 1))]
        case SpectralBall(radius):
            # [[radius I, W], [W^T, radius I]] is positive semi-definite: its upper triangle, column after column.
            entries = [(i, j) for j in range(size) for i in range(j + 1)]
            A, b = np.zeros((len(entries), D)), np.zeros(len(entries))
            for at, (i, j) in enumerate(entries):
                if i == j:
                    b[at] = radius
                elif i < d_t <= j:
                    A[at, i * d_s + j - d_t] = -np.sqrt(2)
            return [(A, b, clarabel.PSDTriangleConeT(size))]
        case NonNegativeMatrices():
            return [(-np.eye(D), np.zeros(D), clarabel.NonnegativeConeT(D))]
        case Intersection(members):
            return [part for member in members for part in constraints_of(member, shape)]
    return []


def n_slack_programme(problem, weight_set, push=0.0):
    """Minimise lam/2 ||W||² - push . W + sum of slacks with one slack for each row: the optimal value and W."""
    phi, y, psi = problem.phi.X, problem.y, problem.psi
    shape = problem.shape
    (n, D, m) = len(phi), shape[0] * shape[1], len(psi)
    rows = [np.r_[np.outer(phi[i], psi[j] - psi[y[i]]).ravel(), -np.eye(n)[i]] for i in range(n) for j in range(m)]
    deltas = [-float(j != y[i]) for i in range(n) for j in range(m)]
    A, b, cones = [np.array(rows)], [np.array(deltas)], [clarabel.NonnegativeConeT(n * m)]
    for part, bound, cone in constraints_of(weight_set, shape):
        A.append(np.hstack([part, np.zeros((len(part), n))]))
        b.append(bound)
        cones.append(cone)
    P = sparse.diags(np.r_[np.full(D, problem.lam), np.zeros(n)], format="csc")
    q = np.r_[-(push * np.ones(shape)).ravel(), np.ones(n)]
    options = clarabel.DefaultSettings()
    options.verbose = False
    solution = clarabel.DefaultSolver(P, q, sparse.csc_matrix(np.vstack(A)), np.concatenate(b), cones, options).solve()
    assert str(solution.status) == "Solved"
    return solution.obj_val, np.asarray(solution.x[:D]).reshape(shape)


def touching_planes(problem):
    return touching(problem.convex_part)


every_oracle = pytest.mark.parametrize("planes", [touching_planes, SoftPlanes], ids=["touching", "soft"])


def minimise(problem, weight_set, push=0.0, bundle=None, planes=touching_planes, **options):
    bundle = bundle or Bundle(planes(problem), problem.lam)
    start = problem.zeros()
    tilt = problem.concave_part(start)[1] + push
    return CuttingPlane(**options).minimise(bundle, start, tilt, weight_set)


@every_set
@every_oracle
@pytest.mark.parametrize("lam", [0.1, 1.0, 10.0])
def test_certificate_holds_against_a_quadratic_programme(make_problem, weight_set, lam, planes):
    problem = make_problem("bilinear", loss=Maximum(), lam=lam, noise=0.8)
    optimum, W = n_slack_programme(problem, weight_set)
    result = minimise(problem, weight_set, planes=planes, tol=1e-6, max_rounds=1000)
    slack = 1e-6 * (1 + abs(optimum))
    assert result.lower_bound - slack <= optimum <= result.value + slack
    assert 0 <= result.gap <= 1e-6 * max(1.0, result.value)
    assert result.value == pytest.approx(problem.evaluate(result.W)[0])
    # Strong convexity turns the gap into a distance.
    assert np.linalg.norm(result.W - W) ** 2 <= 2 / lam * (result.gap + 2 * slack)


@every_set
@every_oracle
def test_the_bound_is_one_at_every_moment(make_problem, weight_set, planes):
    problem = make_problem("bilinear", loss=Maximum(), noise=0.8)
    optimum, _ = n_slack_programme(problem, weight_set)
    limits = (1, 2, 4, 8, 16)
    results = [minimise(problem, weight_set, planes=planes, tol=1e-9, max_rounds=rounds) for rounds in limits]
    assert tuple(result.n_rounds for result in results) == limits
    for result in results:
        assert result.lower_bound <= optimum + 1e-6 <= result.value + 2e-6
    assert results[-1].gap < 0.2 * results[0].gap


@every_set
def test_the_result_lies_in_the_set(make_problem, weight_set):
    result = minimise(make_problem("bilinear", loss=Maximum(), lam=0.1), weight_set)
    np.testing.assert_allclose(weight_set.project(result.W), result.W, atol=1e-8)


@pytest.mark.parametrize("weight_set", [AllMatrices(), FrobeniusBall(1.0)], ids=repr)
def test_a_bundle_serves_another_tilt(make_problem, weight_set):
    problem = make_problem("bilinear", loss=Maximum(), noise=0.8)
    calls = []

    def oracle(W):
        calls.append(W)
        return problem.convex_part(W)

    bundle = Bundle(touching(oracle), problem.lam)
    minimise(problem, weight_set, bundle=bundle, tol=1e-6, max_rounds=500)
    planes, before = len(bundle.planes), len(calls)
    fresh = 0
    for push in (0.1, -3.0):
        fresh += minimise(problem, weight_set, push, tol=1e-6, max_rounds=500).n_rounds
        result = minimise(problem, weight_set, push, bundle=bundle, tol=1e-6, max_rounds=500)
        optimum, _ = n_slack_programme(problem, weight_set, push)
        assert result.lower_bound - 1e-5 <= optimum <= result.value + 1e-5
        assert result.gap <= 1e-6 * max(1.0, abs(result.value))
    assert planes > 1
    assert len(calls) - before < fresh


def test_a_steep_wall_does_not_spoil_the_bound(make_problem):
    """Near the boundary of positive definiteness the convex part explodes."""
    problem = make_problem(loss=Maximum(), omega=(0.3, 0.3, 0.0, 0.0), lam=1.0, noise=0.3)
    domain = problem.similarity.domain()
    bundle = Bundle(touching(problem.convex_part), problem.lam)
    start = problem.zeros()
    result = CuttingPlane(tol=1e-3, max_rounds=500).minimise(bundle, start, problem.concave_part(start)[1], domain)
    assert result.gap <= 1e-3 * max(1.0, abs(result.value))
    rng = np.random.default_rng(0)
    for _ in range(100):
        W = domain.project(result.W + rng.normal(scale=rng.choice([1e-3, 1e-2, 0.1]), size=start.shape))
        value = problem.convex_part(W)[0] - np.sum(bundle.tilt * W) + problem.regulariser(W)[0]
        assert value >= result.lower_bound - 1e-9


@pytest.mark.parametrize("rank", [3, 12, 80])
@pytest.mark.parametrize("n_cuts", [0, 10])
@pytest.mark.parametrize("seed", range(4))
def test_the_small_programme_agrees_with_interior_points(rank, n_cuts, seed):
    """More planes than dimensions, copies among them, and cuts: what bundles are made of."""
    rng = np.random.default_rng(seed)
    size = 60
    slopes = rng.normal(size=(size, rank))
    slopes[-20:] = slopes[:20] + 1e-7 * rng.normal(size=(20, rank))
    hessian, linear = slopes @ slopes.T / rank, rng.exponential(scale=rng.choice([1e-3, 1.0]), size=size)
    on_simplex = np.r_[np.ones(size - n_cuts), np.zeros(n_cuts)]
    options = clarabel.DefaultSettings()
    options.verbose = False
    constraints = sparse.csc_matrix(np.vstack([on_simplex, -np.eye(size)]))
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(size)]
    upper = sparse.csc_matrix(np.triu(hessian))
    theirs = clarabel.DefaultSolver(upper, linear, constraints, np.r_[1.0, np.zeros(size)], cones, options).solve()
    for start in (np.eye(size)[7], rng.dirichlet(np.ones(3)) @ np.eye(size)[:3]):
        alpha = _solve_simplex_qp(hessian, linear, on_simplex, start)
        assert alpha.min() >= 0
        assert alpha @ on_simplex == pytest.approx(1.0)
        value = 0.5 * alpha @ hessian @ alpha + linear @ alpha
        assert value == pytest.approx(theirs.obj_val, abs=1e-7)


def test_every_library_gives_the_same(xp, make_problem):
    expected = minimise(make_problem("bilinear", loss=Maximum()), FrobeniusBall(1.0), tol=1e-6)
    problem = make_problem("bilinear", loss=Maximum(), xp=xp)
    start = xp.asarray(np.zeros((4, 3)))
    bundle = Bundle(touching(problem.convex_part), problem.lam)
    result = CuttingPlane(tol=1e-6).minimise(bundle, start, problem.concave_part(start)[1], FrobeniusBall(1.0))
    assert type(result.W) is type(start)
    assert result.value == pytest.approx(expected.value, rel=1e-5)


@pytest.mark.parametrize("option", [{"tol": 0.0}, {"tol": float("nan")}, {"max_rounds": 0}])
def test_bad_options_are_refused_with_a_sentence(option):
    with pytest.raises(InputError, match="must be a finite number above 0"):
        CuttingPlane(**option)
