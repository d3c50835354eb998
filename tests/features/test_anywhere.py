"""Preparations of rows of any library give what they give for NumPy, and stay in it."""

from typing import Any

import numpy as np
import pytest
from array_api_compat import array_namespace
from leaving import put_on_device, watch_leaving
from sklearn.base import clone
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler

from unseen.features import SquareRoot, UnitNorm, Whitening
from unseen.features.anywhere import fit_rows, fit_transform_elsewhere, transform_rows
from unseen.utils.arrays import to_numpy, widen
from unseen.utils.errors import InputError

STEPS = [
    PCA(5),
    PCA(),
    PCA(0.7),
    PCA(5, whiten=True),
    PCA(5, svd_solver="randomized", random_state=3),
    TruncatedSVD(4, random_state=1),
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    Normalizer("max"),
    UnitNorm(),
    UnitNorm(norm="l1"),
    SquareRoot(),
    SquareRoot(normalise=False),
    Whitening(),
    Whitening(0.1, within_classes=True),
    make_pipeline(SquareRoot(), PCA(6), Whitening(), UnitNorm()),
]


@pytest.fixture(scope="module")
def X() -> Any:
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 12)) * np.geomspace(10, 0.5, 12) + random.normal(size=12)
    X[4] = 0.0
    return X


@pytest.fixture(scope="module")
def y() -> Any:
    return np.arange(90) % 4


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_agrees_with_numpy(xp: Any, step: Any, X: Any, y: Any) -> None:
    expected = clone(step).fit(X, y)
    fitted, there = clone(step), xp.asarray(X)
    made = fit_transform_elsewhere(fitted, there, y)
    assert array_namespace(made) is array_namespace(there)
    np.testing.assert_allclose(to_numpy(made), expected.transform(X), atol=1e-8)
    np.testing.assert_allclose(
        to_numpy(transform_rows(fitted, xp.asarray(X[:7]))), expected.transform(X[:7]), atol=1e-8
    )
    # What was learned are NumPy's arrays, for model files and for rows of NumPy.
    np.testing.assert_allclose(fitted.transform(X), expected.transform(X), atol=1e-8)


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_rows_stay_on_a_device(step: Any, X: Any, y: Any) -> None:
    pytest.importorskip("array_api_strict")
    pytest.importorskip("torch")
    with watch_leaving() as left:
        made = fit_transform_elsewhere(clone(step), put_on_device(X), y)
    assert made.device == put_on_device(X).device
    assert not left


@pytest.mark.parametrize("shape", [(590, 60), (60, 700)])
def test_randomised_components_are_those_of_scikit_learn(xp: Any, shape: tuple[int, int]) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(shape[0], 20)) @ random.normal(size=(20, shape[1])) + 0.1 * random.normal(size=shape)
    X[:, :3] += 5
    theirs, ours = PCA(10, random_state=0).fit(X), PCA(10, random_state=0)
    assert theirs._fit_svd_solver == "randomized"
    fit_rows(ours, xp.asarray(X), None)
    for name in ("mean_", "components_", "explained_variance_", "explained_variance_ratio_", "singular_values_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=1e-7)
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_)
    assert (ours.n_components_, ours.n_samples_, ours.n_features_in_) == (10, *shape)


def test_weights_reach_the_steps_that_take_them(xp: Any, X: Any, y: Any) -> None:
    weights = np.arange(90) % 3 + 0.5
    expected = StandardScaler().fit(X, sample_weight=weights)
    made = fit_transform_elsewhere(StandardScaler(), xp.asarray(X), y, weights)
    np.testing.assert_allclose(to_numpy(made), expected.transform(X), atol=1e-10)


def test_half_precision_becomes_single() -> None:
    torch = pytest.importorskip("torch")
    X = torch.tensor([[300.0, 400.0]], dtype=torch.float16)
    assert widen(X).dtype == torch.float32
    made = fit_transform_elsewhere(UnitNorm(), X, None)
    np.testing.assert_allclose(made.numpy(), [[0.6, 0.8]])


@pytest.mark.parametrize("step", [FunctionTransformer(), PCA("mle"), PCA(3, svd_solver="arpack")])
def test_what_only_numpy_can_do_is_refused_in_a_sentence(step: Any, X: Any) -> None:
    xp = pytest.importorskip("torch")
    with pytest.raises(InputError, match=r"takes NumPy arrays only, and X is of torch: give|with NumPy only: "):
        fit_transform_elsewhere(make_pipeline(UnitNorm(), step), xp.asarray(X), None)


@pytest.mark.parametrize("library", ["torch", "array_api_strict"])
def test_bad_rows_are_refused(library: str, X: Any) -> None:
    xp = pytest.importorskip(library)
    fitted = PCA(3).fit(X)
    with pytest.raises(InputError, match="X has 5 features, but PCA was fitted on 12"):
        transform_rows(fitted, xp.asarray(X[:, :5]))
    with pytest.raises(InputError, match=r"n_components=13 must be between 1 and .*=12"):
        fit_rows(PCA(13), xp.asarray(X), None)
    broken = X.copy()
    broken[1, 2] = np.nan
    with pytest.raises(InputError, match="X holds NaN"):
        transform_rows(fitted, xp.asarray(broken))
