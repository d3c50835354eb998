import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.features.directions import find_leading_directions, span_rows
from unseen.features.reading.rows import Rows
from unseen.utils.arrays import to_numpy


def make_rows(n, d, seed=0, decay=1.0):
    random = np.random.default_rng(seed)
    return random.standard_normal((n, d)) @ np.diag(np.arange(1, d + 1.0) ** -decay) @ random.standard_normal((d, d))


@settings(deadline=None, max_examples=20)
@given(n=st.integers(1, 12), more=st.integers(1, 20), seed=st.integers(0, 1000))
def test_the_span_keeps_all_products_of_rows(n, more, seed):
    X = make_rows(n, n + more, seed)
    found = span_rows(Rows(X))
    np.testing.assert_allclose(found.rows[:] @ found.rows[:].T, X @ X.T, atol=1e-8 * np.abs(X @ X.T).max())
    np.testing.assert_allclose(found.rows[:] @ found.basis.T, X, atol=1e-9 * np.abs(X).max())
    assert found.left_out == 0


def test_rows_are_scaled_before_they_are_spanned():
    X, mean, factor = make_rows(4, 9), np.arange(9.0), np.linspace(1, 2, 9)
    found = span_rows(Rows(X, mean, factor))
    np.testing.assert_allclose(found.rows[:] @ found.basis.T, (X - mean) * factor)


@settings(deadline=None, max_examples=20)
@given(count=st.integers(2, 25), seed=st.integers(0, 1000))
def test_what_is_left_out_is_measured_and_close_to_the_least(count, seed):
    X = make_rows(60, 40, seed)
    found = find_leading_directions(Rows(X), count)
    inside = X @ found.basis @ found.basis.T
    share = ((X - inside) ** 2).sum() / (X**2).sum()
    assert found.left_out == pytest.approx(share, abs=1e-12)
    squares = np.linalg.svd(X, compute_uv=False) ** 2
    least = squares[count:].sum() / squares.sum()
    assert least - 1e-12 <= found.left_out <= 2 * least + 1e-12


def test_leading_directions_on_every_library(xp):
    X = make_rows(60, 40).astype(np.float32)
    found = find_leading_directions(Rows(xp.asarray(X)), 10)
    basis = to_numpy(found.basis)
    np.testing.assert_allclose(basis.T @ basis, np.eye(10), atol=1e-5)
    np.testing.assert_allclose(to_numpy(found.rows[:]), X @ basis, rtol=1e-3, atol=1e-3)
    assert found.left_out == pytest.approx(find_leading_directions(Rows(X), 10).left_out, abs=1e-4)


def test_the_same_rows_are_not_decomposed_twice():
    rows = Rows(make_rows(30, 20))
    assert find_leading_directions(rows, 5) is find_leading_directions(rows, 5)
    assert find_leading_directions(rows, 6).basis.shape == (20, 6)
