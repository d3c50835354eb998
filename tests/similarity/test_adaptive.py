"""The closed form of the adaptive similarity, against H written out and solved as a dense system."""

from typing import NamedTuple

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import unseen.utils.arrays
from unseen.similarity import AdaptiveSimilarity, AllSpace, Ball, BilinearSimilarity, Omega, Simplex
from unseen.utils.arrays import namespace, to_numpy
from unseen.utils.errors import InputError


class Case(NamedTuple):
    """A similarity with random rows and classes to compare."""

    W: np.ndarray
    omega: tuple[float, float, float, float]
    phi: np.ndarray
    psi: np.ndarray

    @property
    def similarity(self):
        return AdaptiveSimilarity(self.omega).with_weights(self.W)

    @property
    def scale(self):
        """The size of the terms that a score adds up, which is what rounding is relative to."""
        w1, w2, _, _ = self.omega
        z_t, z_s = reference.adapt_all(*self)
        largest = [np.max(np.sum(v**2, axis=-1)) for v in (self.phi, self.psi, z_t, z_s)]
        return 1 + w1 * (largest[0] + largest[2]) + w2 * (largest[1] + largest[3])


def make_case(seed=0, d_t=4, d_s=3, omega=(1.0, 2.0, 0.5, 0.2), ratios=(0.1, 0.9), top=None, n=5, m=4):
    """A random case whose W has singular values `ratios` (a range, and the largest one) times sqrt(w13 w24)."""
    rng = np.random.default_rng(seed)
    U, _, Vt = np.linalg.svd(rng.normal(size=(d_t, d_s)), full_matrices=False)
    sigma = Omega(*omega).limit * rng.uniform(*ratios, size=len(Vt))
    if top is not None:
        sigma[0] = Omega(*omega).limit * top
    return Case((U * sigma) @ Vt, omega, rng.normal(size=(n, d_t)), rng.normal(size=(m, d_s)))


positive = st.floats(0.05, 20.0)
not_negative = st.just(0.0) | st.floats(0.0, 20.0)
shared = {
    "seed": st.integers(0, 10**6),
    "d_t": st.integers(1, 6),
    "d_s": st.integers(1, 6),
    "omega": st.tuples(positive, positive, not_negative, not_negative),
}
definite = st.builds(make_case, **shared)
indefinite = st.builds(make_case, **shared, ratios=st.sampled_from([(0.1, 0.8), (1.3, 3.0)]), top=st.floats(1.3, 3.0))
singular = st.builds(make_case, **shared, ratios=st.sampled_from([(0.1, 0.8), (1.0, 1.0)]), top=st.just(1.0))
few = settings(max_examples=30, deadline=None, derandomize=True)


def pairs_of(case):
    """Every combination of the case, as pairs."""
    n, m = len(case.phi), len(case.psi)
    return np.repeat(case.phi, m, axis=0), np.tile(case.psi, (n, 1))


def assert_close(actual, expected, scale, rtol=1e-10):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=rtol * scale)


# Scores and displaced features


@few
@given(case=st.one_of(definite, indefinite))
def test_exact_scores_are_the_value_of_the_full_expression(case):
    assert_close(case.similarity.scores(case.phi, case.psi, exact=True), reference.scores(*case), case.scale)


@few
@given(case=definite)
def test_exact_scores_are_half_g_H_g_minus_h(case):
    phi, psi = pairs_of(case)
    g = reference.vector_g(case.omega, phi, psi)
    h = (case.omega[0] * np.sum(phi**2, axis=1) + case.omega[1] * np.sum(psi**2, axis=1)) / 2
    expected = 0.5 * np.sum(g * np.linalg.solve(reference.matrix_H(case.W, case.omega), g.T).T, axis=1) - h
    actual = case.similarity.scores(case.phi, case.psi, exact=True).reshape(-1)
    assert_close(actual, expected, case.scale)


@few
@given(case=st.one_of(definite, indefinite, singular))
def test_scores_leave_out_only_what_is_the_same_for_every_class(case):
    short, exact = (case.similarity.scores(case.phi, case.psi, exact=exact) for exact in (False, True))
    left_out = exact - short
    assert_close(left_out, np.broadcast_to(left_out[:, :1], left_out.shape), case.scale)
    np.testing.assert_array_equal(short.argmax(axis=1), exact.argmax(axis=1))


@few
@given(case=st.one_of(definite, indefinite, singular))
def test_adapt_is_the_pseudo_inverse_times_g(case):
    phi, psi = pairs_of(case)
    z_t, z_s = case.similarity.adapt(phi, psi)
    expected = reference.adapt(case.W, case.omega, phi, psi)
    scale = 1 + max(np.abs(z).max() for z in expected)
    assert_close(z_t, expected[0], scale)
    assert_close(z_s, expected[1], scale)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(case=definite)
def test_adapt_agrees_with_a_numerical_optimiser(case):
    w1, w2, w3, w4 = case.omega
    W, phi, psi = case.W, case.phi[:1], case.psi[:1]
    d_t = len(W)

    def minus_f(z):
        z_t, z_s = z[None, :d_t], z[None, d_t:]
        gradient_t = z_s @ W.T - w1 * (z_t - phi) - w3 * z_t
        gradient_s = z_t @ W - w2 * (z_s - psi) - w4 * z_s
        return -reference.value_at(W, case.omega, phi, psi, z_t, z_s)[0], -np.hstack([gradient_t, gradient_s])[0]

    found = minimize(minus_f, np.zeros(sum(W.shape)), jac=True, method="BFGS", options={"gtol": 1e-8})
    z = np.hstack(case.similarity.adapt(phi, psi))[0]
    np.testing.assert_allclose(z, found.x, atol=1e-4 * (1 + np.abs(z).max()))
    assert case.similarity.scores(phi, psi, exact=True)[0, 0] == pytest.approx(-found.fun, abs=1e-7 * case.scale)


@pytest.mark.parametrize("d_s", [3, 6])
def test_adapt_all_is_adapt_on_every_combination(monkeypatch, d_s):
    monkeypatch.setattr(unseen.utils.arrays, "BLOCK_BYTES", 3 * 8 * 4 * (4 + d_s))
    case = make_case(d_s=d_s, n=7)
    blocks = list(case.similarity.adapt_all(case.phi, case.psi))
    assert [rows for rows, _, _ in blocks] == [slice(0, 3), slice(3, 6), slice(6, 7)]
    z_t, z_s = (np.concatenate(parts) for parts in zip(*[block[1:] for block in blocks], strict=True))
    expected = case.similarity.adapt(*pairs_of(case))
    np.testing.assert_allclose(z_t.reshape(-1, 4), expected[0], atol=1e-12)
    np.testing.assert_allclose(z_s.reshape(-1, d_s), expected[1], atol=1e-12)


def test_no_rows_and_no_classes():
    case = make_case()
    assert list(case.similarity.adapt_all(case.phi[:0], case.psi)) == []
    ((_, z_t, z_s),) = case.similarity.adapt_all(case.phi, case.psi[:0])
    assert (z_t.shape, z_s.shape) == ((5, 0, 4), (5, 0, 3))
    assert case.similarity.scores(case.phi[:0], case.psi, exact=True).shape == (0, 4)


@few
@given(case=st.one_of(definite, indefinite, singular))
def test_exchanging_the_domains_exchanges_the_roles(case):
    w1, w2, w3, w4 = case.omega
    swapped = AdaptiveSimilarity((w2, w1, w4, w3)).with_weights(case.W.T)
    expected = case.similarity.scores(case.phi, case.psi, exact=True)
    assert_close(swapped.scores(case.psi, case.phi, exact=True).T, expected, case.scale)
    for ours, theirs in zip(
        case.similarity.adapt(*pairs_of(case)), swapped.adapt(*pairs_of(case)[::-1])[::-1], strict=True
    ):
        assert_close(ours, theirs, 1 + np.abs(ours).max())


def test_adapt_within_all_of_space_is_adapt():
    case = make_case(n=4, m=4)
    result = case.similarity.adapt_within(case.phi, case.psi)
    z_t, z_s = case.similarity.adapt(case.phi, case.psi)
    np.testing.assert_allclose(result.z_t, z_t, atol=1e-6)
    np.testing.assert_allclose(result.z_s, z_s, atol=1e-6)
    np.testing.assert_allclose(result.value, np.diag(case.similarity.scores(case.phi, case.psi, exact=True)), rtol=1e-9)


@pytest.mark.parametrize(("feasible_t", "feasible_s"), [(None, Simplex()), (Ball(0.5), None), (Ball(0.5), Simplex())])
def test_adapt_within_feasible_sets(feasible_t, feasible_s):
    case = make_case(n=4, m=4)
    result = case.similarity.adapt_within(case.phi, case.psi, feasible_t, feasible_s)
    assert (feasible_t or AllSpace()).contains(result.z_t).all()
    assert (feasible_s or AllSpace()).contains(result.z_s).all()
    free = np.diag(case.similarity.scores(case.phi, case.psi, exact=True))
    assert np.all(result.value < free)
    np.testing.assert_allclose(result.value, reference.value_at(*case, result.z_t, result.z_s))


# Derivatives


def brute_force_gradient(case, G):
    """sum_ij G_ij z_t z_s^T, by Danskin the gradient of sum_ij G_ij f_ij."""
    z_t, z_s = reference.adapt_all(*case)
    return np.einsum("nm,nmi,nmj->ij", G, z_t, z_s)


@few
@given(case=st.one_of(definite, indefinite), centred=st.booleans())
def test_gradient_is_the_sum_of_outer_products_of_the_latent_pairs(case, centred):
    G = np.random.default_rng(1).normal(size=(len(case.phi), len(case.psi)))
    if centred:
        G -= G.mean(axis=1, keepdims=True)
    similarity = case.similarity
    gradient = similarity.gradient(case.phi, case.psi, G)
    if not centred:  # what `scores` leaves out comes back through the moment of the rows
        gradient = gradient + similarity.row_gradient((case.phi * G.sum(axis=1, keepdims=True)).T @ case.phi)
    expected = brute_force_gradient(case, G)
    assert_close(gradient, expected, 1 + np.abs(expected).max(), rtol=1e-8)


@few
@given(case=st.one_of(definite, indefinite))
def test_gradients_agree_with_finite_differences(case):
    rng = np.random.default_rng(2)
    G = rng.normal(size=(len(case.phi), len(case.psi)))
    moment = (case.phi * rng.normal(size=(len(case.phi), 1))).T @ case.phi
    direction = rng.normal(size=case.W.shape)
    step = 1e-6 * Omega(*case.omega).limit / np.linalg.norm(direction)

    def along(function):
        ahead, behind = (function(case.similarity.with_weights(case.W + s * step * direction)) for s in (1, -1))
        return (ahead - behind) / (2 * step)

    similarity = case.similarity
    slope = np.sum(similarity.gradient(case.phi, case.psi, G) * direction)
    row_slope = np.sum(similarity.row_gradient(moment) * direction)
    scale = 1e-5 * case.scale / Omega(*case.omega).limit * np.linalg.norm(direction) * 10
    assert along(lambda s: np.sum(G * s.scores(case.phi, case.psi))) == pytest.approx(slope, abs=scale)
    assert along(lambda s: s.row_sum(moment)) == pytest.approx(row_slope, abs=scale)


@few
@given(case=st.one_of(definite, indefinite))
def test_row_sum_adds_up_what_scores_leave_out(case):
    weights = np.random.default_rng(3).uniform(size=len(case.phi))
    left_out = case.similarity.scores(case.phi, case.psi, exact=True) - case.similarity.scores(case.phi, case.psi)
    moment = (case.phi * weights[:, None]).T @ case.phi
    assert case.similarity.row_sum(moment) == pytest.approx(weights @ left_out[:, 0], abs=1e-10 * case.scale)


def test_sums_over_blocks_give_the_gradient_of_all_rows():
    case = make_case(n=9)
    G = np.random.default_rng(4).normal(size=(9, 4))
    sums = sum(case.similarity.block_sums(case.phi[r], case.psi, G[r]) for r in (slice(0, 4), slice(4, 9)))
    np.testing.assert_allclose(
        case.similarity.finish_gradient(sums, case.psi), case.similarity.gradient(case.phi, case.psi, G), atol=1e-12
    )


# What H looks like


@few
@given(case=st.one_of(definite, indefinite, singular))
def test_spectrum_is_that_of_H(case):
    expected = np.linalg.eigvalsh(reference.matrix_H(case.W, case.omega))
    assert_close(case.similarity.spectrum(), expected, np.abs(expected).max(), rtol=1e-12)


def test_spectrum_keeps_the_digits_of_small_eigenvalues():
    similarity = AdaptiveSimilarity((1e6, 1e-6, 0.0, 0.0)).with_weights(np.array([[1.0 - 1e-9]]))
    assert similarity.spectrum()[0] == pytest.approx(2e-9 / (1e6 + 1e-6), rel=1e-6)


@few
@given(case=st.one_of(definite, indefinite))
def test_positive_definiteness_is_that_of_H(case):
    smallest = np.linalg.eigvalsh(reference.matrix_H(case.W, case.omega))[0]
    assert case.similarity.is_positive_definite == (smallest > 0)
    assert case.similarity.optimality == ("global" if smallest > 0 else "local")


@pytest.mark.parametrize(("ratio", "definite"), [(1 - 1e-12, True), (1.0, False), (1 + 1e-12, False)])
def test_positive_definiteness_ends_exactly_at_the_limit(ratio, definite):
    omega = Omega(1.0, 3.0, 0.0, 1.0)
    assert AdaptiveSimilarity(omega).with_weights(np.diag([ratio * omega.limit, 0.1])).is_positive_definite is definite


@few
@given(case=definite, share=st.floats(0.5, 1.5))
def test_diagonal_dominance_is_sufficient(case, share):
    delta = max(np.abs(case.W).sum(axis=1).max(), np.abs(case.W).sum(axis=0).max())
    assert case.similarity.delta_W == pytest.approx(delta)
    a, b = Omega(*case.omega).w13, Omega(*case.omega).w24
    scaled = case.similarity.with_weights(case.W * (share * min(a, b) / delta))
    assert scaled.is_diagonally_dominant == (share < 1)
    if share < 1:
        assert np.linalg.eigvalsh(reference.matrix_H(scaled.W, case.omega))[0] > 0


def test_dominance_with_equality_leaves_H_semi_definite():
    similarity = AdaptiveSimilarity((1.0, 1.0, 0.0, 0.0)).with_weights(np.array([[1.0]]))
    assert similarity.delta_W == similarity.omega.w13 == similarity.omega.w24
    assert not similarity.is_diagonally_dominant
    assert similarity.spectrum()[0] == 0


def test_domain_lies_inside_the_definite_weights():
    case = make_case(top=5.0)
    projected = case.similarity.with_weights(case.similarity.domain().project(case.W))
    assert projected.is_positive_definite
    assert projected.singular_values[0] == pytest.approx(projected.omega.limit, rel=2e-3)


# Where H is not positive definite


@few
@given(case=st.one_of(indefinite, singular))
def test_pseudo_inverse_regime_gives_the_value_of_the_stationary_point(case):
    phi, psi = pairs_of(case)
    g = reference.vector_g(case.omega, phi, psi)
    h = (case.omega[0] * np.sum(phi**2, axis=1) + case.omega[1] * np.sum(psi**2, axis=1)) / 2
    z = np.hstack(case.similarity.adapt(phi, psi))
    assert_close(
        case.similarity.scores(case.phi, case.psi, exact=True).reshape(-1),
        0.5 * np.sum(g * z, axis=1) - h,
        case.scale,
    )


@few
@given(case=indefinite)
def test_indefinite_z_is_stationary(case):
    phi, psi = pairs_of(case)
    z = np.hstack(case.similarity.adapt(phi, psi))
    g = reference.vector_g(case.omega, phi, psi)
    assert_close(
        z @ reference.matrix_H(case.W, case.omega), g, np.abs(g).max() + np.abs(z).max() * np.abs(case.W).max()
    )


# Values


def test_a_similarity_never_changes():
    case = make_case()
    W = case.W.copy()
    similarity = AdaptiveSimilarity(case.omega).with_weights(W)
    before = case.similarity.scores(case.phi, case.psi)
    W[:] = 0.0
    np.testing.assert_array_equal(similarity.scores(case.phi, case.psi), before)
    other = similarity.with_weights(2 * case.W)
    assert (other.omega, type(other)) == (similarity.omega, AdaptiveSimilarity)
    np.testing.assert_array_equal(similarity.scores(case.phi, case.psi), before)
    for name in ("W", "omega", "optimality"):
        with pytest.raises(AttributeError):
            setattr(similarity, name, getattr(other, name))


def test_bilinear_limit_and_repr():
    case = make_case()
    limit = case.similarity.bilinear_limit()
    np.testing.assert_allclose(limit.scores(case.phi, case.psi), case.phi @ case.W @ case.psi.T)
    assert isinstance(limit, BilinearSimilarity)
    assert repr(case.similarity) == "AdaptiveSimilarity(W: 4 x 3, omega=(1.0, 2.0, 0.5, 0.2), global optimum)"
    assert repr(AdaptiveSimilarity((1, 2, 0, 0))) == "AdaptiveSimilarity(omega=(1.0, 2.0, 0.0, 0.0))"


# Arrays


@pytest.mark.parametrize("d_s", [3, 6])
@pytest.mark.parametrize("top", [0.9, 1.0, 1.5])
def test_every_library_gives_the_same(xp, d_s, top):
    case = make_case(d_s=d_s, ratios=(0.1, 0.8), top=top)
    G = np.random.default_rng(5).normal(size=(5, 4))
    W, phi, psi, weights = (xp.asarray(v) for v in (case.W, case.phi, case.psi, G))
    moment = phi.T @ phi
    ours, expected = AdaptiveSimilarity(case.omega).with_weights(W), case.similarity
    assert ours.is_positive_definite == expected.is_positive_definite
    assert ours.delta_W == pytest.approx(expected.delta_W)
    assert ours.row_sum(moment) == pytest.approx(expected.row_sum(case.phi.T @ case.phi))
    for actual, wanted in (
        (ours.scores(phi, psi, exact=True), expected.scores(case.phi, case.psi, exact=True)),
        *zip(ours.adapt(phi[:4, :], psi), expected.adapt(case.phi[:4], case.psi), strict=True),
        *zip(next(ours.adapt_all(phi, psi))[1:], next(expected.adapt_all(case.phi, case.psi))[1:], strict=True),
        (ours.gradient(phi, psi, weights), expected.gradient(case.phi, case.psi, G)),
        (ours.row_gradient(moment), expected.row_gradient(case.phi.T @ case.phi)),
        (ours.spectrum(), expected.spectrum()),
    ):
        assert namespace(actual) is namespace(W)
        np.testing.assert_allclose(to_numpy(actual), wanted, atol=1e-10 * (1 + np.abs(wanted).max()))


@pytest.mark.parametrize("exact", [False, True])
def test_precision_is_that_of_phi(xp, exact):
    case = make_case(n=4)
    phi, psi = (xp.asarray(v, dtype=xp.float32) for v in (case.phi, case.psi))
    similarity = AdaptiveSimilarity(case.omega).with_weights(xp.asarray(case.W))
    scores = similarity.scores(phi, psi, exact=exact)
    _, z_t_all, z_s_all = next(similarity.adapt_all(phi, psi))
    assert all(a.dtype == xp.float32 for a in (scores, *similarity.adapt(phi, psi), z_t_all, z_s_all))
    assert similarity.gradient(phi, psi, scores).dtype == xp.float64
    np.testing.assert_allclose(
        to_numpy(scores), case.similarity.scores(case.phi, case.psi, exact=exact), atol=1e-5 * case.scale
    )


ONES = AdaptiveSimilarity((1, 1, 0, 0))


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: ONES.with_weights(np.ones(3)), r"W is ndarray of shape \(3,\): give a matrix of floats"),
        (lambda: ONES.with_weights([[1.0]]), r"W is list of shape None: give a matrix of floats"),
        (lambda: ONES.with_weights(np.ones((2, 2), dtype=int)), r"give a matrix of floats"),
        (lambda: ONES.with_weights(np.array([[np.nan]])), r"W holds a NaN or infinite value"),
        (
            lambda: ONES.scores(np.eye(2), np.eye(2)),
            r"AdaptiveSimilarity\(omega=.*\) has no weights W yet",
        ),
        (lambda: AdaptiveSimilarity((1, 1, 0)), r"omega has 3 entries .*: give four, \(w1, w2, w3, w4\)"),
        (lambda: AdaptiveSimilarity(5.0), r"omega=5.0 is not a sequence of four numbers"),
        (lambda: AdaptiveSimilarity((1, 0, 0, 0)), r"omega\[1\] \(omega_2\) is 0.0: it must be positive"),
        (lambda: AdaptiveSimilarity((1, 1, -1, 0)), r"omega\[2\] \(omega_3\) is -1.0: it must be zero or"),
        (lambda: AdaptiveSimilarity((1, 1, 0, np.inf)), r"omega\[3\] \(omega_4\) is inf"),
        (
            lambda: make_case().similarity.scores(np.ones((2, 3)), np.ones((2, 3))),
            r"phi has shape .*W has 4 rows: give",
        ),
        (
            lambda: make_case().similarity.scores(np.ones((2, 4)), np.ones(3)),
            r"psi has shape \(3,\) but W has 3 columns",
        ),
        (
            lambda: make_case().similarity.adapt(np.ones((2, 4)), np.ones((1, 3))),
            r"phi has 2 rows and psi 1: adapt works",
        ),
    ],
)
def test_bad_input_is_refused_with_a_sentence(build, sentence):
    with pytest.raises(InputError, match=sentence):
        build()


def test_arrays_of_different_libraries_are_refused():
    torch = pytest.importorskip("torch")
    case = make_case()
    with pytest.raises(InputError, match=r"arrays of different libraries cannot be mixed .*numpy, torch"):
        case.similarity.scores(torch.asarray(case.phi), torch.asarray(case.psi))
