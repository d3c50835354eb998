import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from unseen.features.rowwise import SquareRoot, UnitNorm


@pytest.mark.parametrize("transformer", [UnitNorm(), UnitNorm("l1"), SquareRoot(), SquareRoot(normalise=False)])
def test_passes_all_checks_of_scikit_learn(transformer):
    check_estimator(transformer, on_skip=None)


@pytest.mark.parametrize("transformer", [UnitNorm(), UnitNorm("l1"), SquareRoot()])
def test_half_precision_does_not_overflow(transformer):
    X = np.full((2, 1000), 100, dtype=np.float16)
    wide = transformer.fit_transform(X.astype(np.float64))
    half = transformer.fit_transform(X)
    assert half.dtype == np.float32
    np.testing.assert_allclose(half, wide, rtol=1e-6)


def test_square_root_keeps_signs_and_zero_rows():
    X = np.array([[0.0, 0.0], [-4.0, 12.0]])
    np.testing.assert_allclose(SquareRoot().fit_transform(X), [[0, 0], [-0.5, np.sqrt(0.75)]])
    np.testing.assert_allclose(np.linalg.norm(SquareRoot().fit_transform(X)[1]), 1)


def test_square_root_keeps_names_and_single_precision():
    root = SquareRoot().fit(np.ones((2, 2), dtype=np.float32))
    assert root.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]
    assert root.transform(np.ones((2, 2), dtype=np.float32)).dtype == np.float32
