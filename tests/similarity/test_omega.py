"""What follows from omega alone: for one omega as for many, in every library."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.similarity import AdaptiveSimilarity, Omega
from unseen.utils.arrays import namespace, to_numpy

ROWS = np.array([[2.0, 3.0, 0.0, 1.0], [1000.0, 10.0, 0.1, 1.0], [1e-5, 1e5, 1e5, 1e-5], [0.1, 0.2, 0.0, 0.0]])
LAM = np.array([1.0, 0.1, 10.0, 3.0])
SHARES = np.array([0.0, 0.5, 0.999, 1.5])

positive = st.floats(0.05, 20.0)
omegas = st.builds(Omega, positive, positive, st.floats(0.0, 20.0), st.floats(0.0, 20.0))
few = settings(max_examples=30, deadline=None, derandomize=True)


def everything(omega, lam, share):
    """All that an omega tells, in one list."""
    plain = [omega.w13, omega.w24, omega.product, omega.limit, omega.kappa, omega.beta, omega.gain, omega.mu(lam)]
    return [*plain, *omega.eigenvalues(share * omega.limit), *omega.eigenvalues_at(share), *omega.log10_problem(lam)]


def test_many_omegas_are_each_as_one_alone(xp):
    together = everything(Omega.from_rows(xp.asarray(ROWS)), xp.asarray(LAM), xp.asarray(SHARES))
    assert all(namespace(value) is namespace(xp.asarray(LAM)) for value in together)
    table = np.column_stack([ROWS, LAM, SHARES]).tolist()
    alone = [everything(Omega(*row), lam, share) for *row, lam, share in table]
    np.testing.assert_allclose(np.stack([to_numpy(v) for v in together], axis=1), alone, rtol=1e-13, atol=1e-13)


def test_columns_beyond_the_fourth_do_not_matter():
    np.testing.assert_array_equal(Omega.from_rows(np.column_stack([ROWS, LAM])), Omega.from_rows(ROWS))


@few
@given(omega=omegas, share=st.floats(0.0, 3.0))
def test_eigenvalues_are_those_of_H(omega, share):
    sigma = share * omega.limit
    expected = np.linalg.eigvalsh(reference.matrix_H(np.array([[sigma]]), omega))
    for found in (omega.eigenvalues(sigma), omega.eigenvalues_at(share)):
        np.testing.assert_allclose(found, expected, atol=1e-12 * expected[1])
    assert (omega.eigenvalues_at(share)[0] > 0) == (share < 1)


@few
@given(omega=omegas, seed=st.integers(0, 10**6))
def test_the_score_in_the_numbers_of_the_learning_problem(omega, seed):
    """kappa phi^T What R psi + 1/2 psi^T (beta R - w2 I) psi, as the module says; phi^T (gain W) psi for small W."""
    rng = np.random.default_rng(seed)
    phi, psi, hat = rng.normal(size=(3, 4)), rng.normal(size=(2, 3)), rng.normal(size=(4, 3))
    hat *= 0.8 / np.linalg.norm(hat, 2)
    R = np.linalg.inv(np.eye(3) - hat.T @ hat)
    expected = omega.kappa * phi @ hat @ R @ psi.T + 0.5 * np.sum(psi * (omega.beta * psi @ R - omega.w2 * psi), axis=1)
    similarity = AdaptiveSimilarity(omega)
    found = similarity.with_weights(omega.limit * hat).scores(phi, psi)
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())
    M, _ = similarity.with_weights(1e-6 * omega.limit * hat).quadratic_form()
    np.testing.assert_allclose(M, omega.gain * 1e-6 * omega.limit * hat, rtol=1e-9)


@few
@given(omega=omegas, lam=st.floats(1e-3, 1e3))
def test_logarithms_are_those_of_the_numbers(omega, lam):
    assert omega.mu(lam) == pytest.approx(lam * omega.limit**2)
    logs = np.log10([omega.kappa, omega.beta, omega.mu(lam), omega.w2])
    np.testing.assert_allclose(omega.log10_problem(lam), logs, atol=1e-12)


def test_powers_of_ten_stay_exact():
    """Settings are one problem where these round to the same: rounding must not tell them apart."""
    for exponent in range(-5, 6):
        logs = Omega(10.0**exponent, 10.0**-exponent, 0.0, 0.0).log10_problem(1.0)
        assert logs == (0.0, -exponent, 0.0, -exponent)


def test_a_limit_of_numbers_whose_product_is_too_large():
    assert Omega(1e200, 1e200, 0.0, 0.0).limit == pytest.approx(1e200)
