"""Scaling: features and descriptions of any units come out the same, and go back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unseen.utils.arrays
from unseen.features import DescriptionScaling, FeatureScaling
from unseen.utils.arrays import namespace, to_numpy
from unseen.utils.errors import InputError

N, D = 40, 5
few = settings(max_examples=30, deadline=None, derandomize=True)
seeds = st.integers(0, 10**6)
units = st.floats(1e-4, 1e4)
shifts = st.floats(-1e3, 1e3)


def example(seed=0, n=N):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, D)) * [1.0, 2.0, 0.5, 3.0, 1.0] + rng.normal(size=D)


# Features


@few
@given(seed=seeds, unit=units, shift=shifts)
def test_features_have_mean_zero_and_mean_squared_length_one(seed, unit, shift):
    X = example(seed) * unit + shift
    phi = FeatureScaling.fit(X).apply(X)
    np.testing.assert_allclose(phi.mean(axis=0), 0, atol=1e-6)
    assert np.mean(np.sum(phi**2, axis=1)) == pytest.approx(1.0)


@few
@given(seed=seeds, unit=units, shift=shifts)
def test_units_and_origin_of_features_do_not_matter(seed, unit, shift):
    X = example(seed)
    other = X * unit + shift
    np.testing.assert_allclose(
        FeatureScaling.fit(other).apply(other), FeatureScaling.fit(X).apply(X), atol=1e-9 * (1 + abs(shift) / unit)
    )


@few
@given(seed=seeds)
def test_features_in_like_units_keep_their_proportions(seed):
    X = example(seed)
    spread = FeatureScaling.fit(X).apply(X).std(axis=0)
    np.testing.assert_allclose(spread / spread[0], X.std(axis=0) / X.std(axis=0)[0])


def test_features_in_unlike_units_are_standardised():
    X = example() * [1.0, 1.0, 1.0, 1.0, 1e5]
    spread = FeatureScaling.fit(X).apply(X).std(axis=0)
    np.testing.assert_allclose(spread, 1 / np.sqrt(D))


def test_a_spectrum_of_principal_components_is_not_standardised():
    X = np.random.default_rng(0).normal(size=(500, 60)) * np.geomspace(1.0, 0.03, 60)
    assert np.ptp(FeatureScaling.fit(X).factor) == 0


@pytest.mark.parametrize("constant", [0.0, 0.1, 3.3, 1e6])
def test_constant_columns_change_nothing_for_the_others(constant):
    # The mean of many equal numbers is not quite that number, so such a column varies by rounding.
    X = example()
    with_constants = np.hstack([X, np.full((N, 2 * D), constant)])
    scaling = FeatureScaling.fit(with_constants)
    phi = scaling.apply(with_constants)
    np.testing.assert_allclose(phi[:, :D], FeatureScaling.fit(X).apply(X), rtol=1e-9)
    np.testing.assert_allclose(phi[:, D:], 0, atol=1e-9)
    np.testing.assert_allclose(scaling.undo(phi), with_constants, rtol=1e-12)


def test_features_that_do_not_vary_at_all():
    with pytest.raises(InputError, match="X has the same values in all rows"):
        FeatureScaling.fit(np.full((5, 3), 7.0))


@few
@given(seed=seeds, unit=units, shift=shifts, unlike=st.booleans())
def test_undo_inverts_apply(seed, unit, shift, unlike):
    X = (example(seed) * unit + shift) * (np.array([1, 1, 1, 1, 1e6]) if unlike else 1)
    scaling = FeatureScaling.fit(X)
    new = example(seed + 1) * unit + shift
    np.testing.assert_allclose(scaling.undo(scaling.apply(new)), new, rtol=1e-9, atol=1e-9 * (unit + abs(shift)))


@few
@given(seed=seeds, unit=units, shift=shifts)
def test_folding_the_scaling_into_a_linear_form(seed, unit, shift):
    X = example(seed) * unit + shift
    rng = np.random.default_rng(seed)
    E, b = rng.normal(size=(D, 3)), rng.normal(size=3)
    scaling = FeatureScaling.fit(X)
    folded, offset = scaling.fold(E, b)
    np.testing.assert_allclose(X @ folded + offset, scaling.apply(X) @ E + b, atol=1e-9 * (1 + abs(shift) / unit))


def test_a_constant_feature_follows_the_others(xp):
    X = xp.asarray(example())
    scaling = FeatureScaling.fit(X)
    constant = scaling.with_constant()
    assert (scaling.width, constant.width) == (D, D + 1)
    phi = constant.apply(X)
    np.testing.assert_array_equal(to_numpy(phi)[:, :D], to_numpy(scaling.apply(X)))
    np.testing.assert_array_equal(to_numpy(phi)[:, D], 1.0)
    np.testing.assert_allclose(to_numpy(constant.undo(phi)), to_numpy(X))
    rng = np.random.default_rng(0)
    E, b = xp.asarray(rng.normal(size=(D + 1, 3))), xp.asarray(rng.normal(size=3))
    folded, offset = constant.fold(E, b)
    np.testing.assert_allclose(to_numpy(X @ folded + offset), to_numpy(phi @ E + b), atol=1e-9)


def test_a_row_of_weight_two_is_the_row_twice(xp, monkeypatch):
    X, times = example(), np.random.default_rng(0).integers(0, 4, size=N)
    expected = FeatureScaling.fit(np.repeat(X, times, axis=0))
    monkeypatch.setattr(unseen.utils.arrays, "BLOCK_BYTES", 8 * D * 7)
    scaling = FeatureScaling.fit(xp.asarray(X), xp.asarray(times.astype(float)))
    np.testing.assert_allclose(to_numpy(scaling.mean), expected.mean, rtol=1e-12)
    np.testing.assert_allclose(to_numpy(scaling.factor), expected.factor, rtol=1e-12)


def test_measuring_in_blocks_changes_nothing(monkeypatch, tmp_path):
    X = example()
    expected = FeatureScaling.fit(X)
    written = np.memmap(tmp_path / "rows.memmap", dtype=np.float64, mode="w+", shape=X.shape)
    written[:] = X
    monkeypatch.setattr(unseen.utils.arrays, "BLOCK_BYTES", 8 * D * 7)
    for rows in (X, written):
        scaling = FeatureScaling.fit(rows)
        np.testing.assert_allclose(scaling.mean, expected.mean, rtol=1e-12)
        np.testing.assert_allclose(scaling.factor, expected.factor, rtol=1e-12)


def test_single_precision_is_measured_in_double():
    X = (example() + 1e4).astype(np.float32)
    scaling = FeatureScaling.fit(X)
    assert scaling.mean.dtype == scaling.factor.dtype == np.float64
    np.testing.assert_allclose(scaling.mean, X.astype(np.float64).mean(axis=0), rtol=1e-12)
    assert scaling.apply(X).dtype == np.float32


def test_the_identity_changes_nothing(xp):
    X = xp.asarray(example())
    np.testing.assert_array_equal(to_numpy(FeatureScaling.identity(X).apply(X)), to_numpy(X))
    np.testing.assert_array_equal(to_numpy(FeatureScaling.identity(X).undo(X)), to_numpy(X))
    np.testing.assert_array_equal(to_numpy(DescriptionScaling.identity(X).apply(X)), to_numpy(X))


@pytest.mark.parametrize("unlike", [False, True])
def test_every_library_scales_features_alike(xp, unlike):
    X = example() * (np.array([1, 1, 1, 1, 1e5]) if unlike else 1)
    expected = FeatureScaling.fit(X)
    array = xp.asarray(X)
    scaling = FeatureScaling.fit(array)
    phi = scaling.apply(array)
    assert namespace(phi) is namespace(array)
    np.testing.assert_allclose(to_numpy(phi), expected.apply(X), atol=1e-12)
    np.testing.assert_allclose(to_numpy(scaling.undo(phi)), X, rtol=1e-9, atol=1e-9)
    for ours, wanted in zip(
        scaling.fold(xp.asarray(np.eye(D)), xp.asarray(np.ones(D))), expected.fold(np.eye(D), np.ones(D)), strict=True
    ):
        np.testing.assert_allclose(to_numpy(ours), wanted, rtol=1e-9)


# Descriptions


@few
@given(seed=seeds, unit=units, shift=shifts)
def test_descriptions_have_length_one_and_forget_units_and_origin(seed, unit, shift):
    vectors = example(seed, n=8)
    other = vectors * unit + shift
    psi = DescriptionScaling.fit(other).apply(other)
    np.testing.assert_allclose(np.linalg.norm(psi, axis=1), 1)
    expected = DescriptionScaling.fit(vectors).apply(vectors)
    np.testing.assert_allclose(psi, expected, atol=1e-8 * (1 + abs(shift) / unit))


def test_attributes_in_unlike_units_count_alike():
    vectors = example(n=30)
    scale = np.array([1.0, 1.0, 1.0, 1.0, 1e6])
    psi = DescriptionScaling.fit(vectors * scale).apply(vectors * scale)
    standardised = (vectors - vectors.mean(axis=0)) / vectors.std(axis=0)
    np.testing.assert_allclose(psi, standardised / np.linalg.norm(standardised, axis=1, keepdims=True))


@few
@given(seed=seeds, unit=units, shift=shifts, unlike=st.booleans())
def test_undo_of_descriptions_inverts_apply(seed, unit, shift, unlike):
    vectors = (example(seed, n=8) * unit + shift) * (np.array([1, 1, 1, 1, 1e6]) if unlike else 1)
    scaling = DescriptionScaling.fit(vectors)
    new = (example(seed + 1, n=3) * unit + shift) * (np.array([1, 1, 1, 1, 1e6]) if unlike else 1)
    np.testing.assert_allclose(scaling.undo(scaling.apply(new), new), new, rtol=1e-9, atol=1e-9 * np.abs(new).max())


def test_a_class_described_by_the_mean_stays_at_zero_whatever_stands_beside_it():
    vectors = np.vstack([example(n=7), np.zeros((1, D))])
    vectors[-1] = vectors[:-1].mean(axis=0)
    scaling = DescriptionScaling.fit(vectors)
    together = scaling.apply(vectors)
    np.testing.assert_allclose(together[-1], 0, atol=1e-12)
    for at in range(8):
        np.testing.assert_allclose(scaling.apply(vectors[at : at + 1])[0], together[at], atol=1e-12)
    np.testing.assert_allclose(scaling.undo(together, vectors), vectors, atol=1e-12)


def test_no_descriptions():
    scaling = DescriptionScaling.fit(example(n=4))
    assert scaling.apply(np.zeros((0, D))).shape == (0, D)


def test_every_library_scales_descriptions_alike(xp):
    vectors = example(n=6)
    expected = DescriptionScaling.fit(vectors).apply(vectors)
    array = xp.asarray(vectors, dtype=xp.float32)
    scaling = DescriptionScaling.fit(array)
    psi = scaling.apply(array)
    assert namespace(psi) is namespace(array)
    assert psi.dtype == xp.float64
    np.testing.assert_allclose(to_numpy(psi), expected, atol=1e-6)
    np.testing.assert_allclose(to_numpy(scaling.undo(psi, array)), vectors, atol=1e-6)
