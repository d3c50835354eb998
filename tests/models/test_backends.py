"""Every model on the arrays of every library."""

from typing import Any

import numpy as np
import pytest
from array_api_compat import array_namespace
from sklearn.base import clone

from unseen.data import ZeroShotDataset
from unseen.models import ZeroShotClassifier
from unseen.utils.arrays import to_numpy


def test_fits_and_predicts_in_the_library_of_the_features(
    xp: Any, estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    model = clone(estimator).fit(xp.asarray(data.X_train), data.y_train, classes=data.classes)
    _assert_agrees(model, fitted, xp.asarray(data.X_test_unseen), data)


def test_a_model_fitted_on_numpy_predicts_in_other_libraries(
    xp: Any, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    _assert_agrees(fitted, fitted, xp.asarray(data.X_test_unseen), data)


def _assert_agrees(model: ZeroShotClassifier, reference: ZeroShotClassifier, X: Any, data: ZeroShotDataset) -> None:
    """Compare with a model fitted on NumPy, and look at what kind of array comes back."""
    candidates = data.unseen_classes
    for name in ("decision_function", "predict_proba"):
        result = getattr(model, name)(X, classes=candidates)
        assert array_namespace(result) is array_namespace(X)
        assert result.dtype == X.dtype
        expected = getattr(reference, name)(data.X_test_unseen, classes=candidates)
        np.testing.assert_allclose(to_numpy(result), expected, rtol=0, atol=1e-6 * np.abs(expected).max())
    labels = model.predict(X, classes=candidates)
    assert isinstance(labels, np.ndarray)
    np.testing.assert_array_equal(labels, reference.predict(data.X_test_unseen, classes=candidates))


def test_single_precision_stays_single(xp: Any, estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    X = xp.asarray(data.X_train, dtype=xp.float32)
    model = clone(estimator).fit(X, data.y_train, classes=data.classes)
    assert model.decision_function(X).dtype == xp.float32
    assert model.predict_proba(X).dtype == xp.float32
    assert np.mean(model.predict(X) == data.y_train) > 0.8


def test_labels_may_be_an_array_of_the_library(xp: Any, estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    y = np.unique(data.y_train, return_inverse=True)[1]
    model = clone(estimator).fit(xp.asarray(data.X_train), xp.asarray(y))
    assert np.mean(model.predict(xp.asarray(data.X_train)) == y) > 0.8


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_features_that_are_not_finite(
    bad: float, xp: Any, estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    X = data.X_train.copy()
    X[3, 4] = bad
    with pytest.raises(ValueError, match=r"X .*(NaN|infin)"):
        clone(estimator).fit(xp.asarray(X), data.y_train, classes=data.classes)
    with pytest.raises(ValueError, match=r"X .*(NaN|infin)"):
        fitted.predict(xp.asarray(X))


def test_features_of_another_width_or_shape(
    xp: Any, estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    X = xp.asarray(data.X_train)
    with pytest.raises(ValueError, match=r"X has 7 features, but .* 16"):
        fitted.predict(X[:, :7])
    with pytest.raises(ValueError, match=r"shape|1D array|2D array"):
        fitted.predict(X[:, 0])
    with pytest.raises(ValueError, match=r"shape|dim 3"):
        clone(estimator).fit(X[:, :, None], data.y_train)
    with pytest.raises(ValueError, match=r"140.*17|17.*140"):
        clone(estimator).fit(X, data.y_train[:17])
