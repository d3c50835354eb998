import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from unseen.features import Whitening
from unseen.utils.errors import InputError


def rows(seed: int = 0, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    y = random.integers(5, size=n)
    return random.normal(size=(5, 6))[y] * 4 + random.normal(size=(n, 6)) @ random.normal(size=(6, 6)), y


def test_follows_the_protocol_of_scikit_learn():
    check_estimator(Whitening())


@given(shrinkage=st.floats(0.01, 100), seed=st.integers(0, 20))
def test_covariance_becomes_what_the_formula_says(shrinkage, seed):
    X, _ = rows(seed)
    before = np.cov(X.T, bias=True)
    shrunk = before + shrinkage * np.trace(before) / 6 * np.eye(6)
    np.testing.assert_allclose(
        np.cov(Whitening(shrinkage).fit_transform(X).T, bias=True), np.linalg.solve(shrunk, before), atol=1e-9
    )


def test_within_classes_leaves_unit_spread_about_each_class_mean():
    X, y = rows()
    Z = Whitening(0, within_classes=True).fit(X, y).transform(X)
    about = Z - np.stack([Z[y == label].mean(axis=0) for label in y])
    np.testing.assert_allclose(about.T @ about / len(X), np.eye(6), atol=1e-9)
    assert np.trace(np.cov(Z.T)) > 10  # the classes stay apart


def test_statistics_come_from_training_rows_alone():
    X, _ = rows()
    fitted = Whitening().fit(X[:200])
    np.testing.assert_array_equal(fitted.transform(X)[:200], fitted.transform(X[:200]))
    np.testing.assert_allclose(fitted.mean_, X[:200].mean(axis=0))


def test_single_precision_stays_and_half_is_widened():
    X, _ = rows()
    assert Whitening().fit_transform(X.astype(np.float32)).dtype == np.float32
    assert Whitening().fit_transform(X.astype(np.float16)).dtype == np.float32


def test_a_constant_column_is_no_trouble():
    X, _ = rows()
    X[:, 2] = 7.0
    Z = Whitening(shrinkage=0).fit_transform(X)
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(Z[:, 2], 0, atol=1e-6)


def test_bad_input_gets_a_sentence():
    X, _ = rows()
    with pytest.raises(InputError, match="shrinkage"):
        Whitening(-1.0).fit(X)
    with pytest.raises(InputError, match="y is None, but within_classes=True"):
        Whitening(within_classes=True).fit(X)
