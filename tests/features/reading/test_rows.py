"""Rows: what is scaled when it is read equals what was scaled before."""

import numpy as np
import pytest

import unseen.features.reading.rows
import unseen.utils.arrays
from unseen.features import FeatureScaling, Rows
from unseen.features.reading.rows import ROUND_WIDTH
from unseen.utils.arrays import namespace, to_numpy

N, D = 10, 4


def example(xp=np, dtype=None):
    rng = np.random.default_rng(0)
    X = rng.normal(3.0, 2.0, size=(N, D))
    return xp.asarray(X, dtype=dtype or xp.float64)


@pytest.mark.parametrize("rows", [slice(0, 3), slice(3, 10), slice(0, 0)], ids=str)
def test_lazily_scaled_blocks_are_those_scaled_before(xp, rows):
    X = example(xp)
    scaling = FeatureScaling.fit(X)
    lazy, eager = Rows(X, scaling.mean, scaling.factor), Rows(scaling.apply(X))
    assert lazy.shape == eager.shape == (N, D)
    assert namespace(lazy[rows]) is namespace(X)
    np.testing.assert_allclose(to_numpy(lazy[rows]), to_numpy(eager[rows]), rtol=1e-12)


def test_rows_are_taken_by_index(xp):
    X = example(xp)
    scaling = FeatureScaling.fit(X)
    indices = np.array([7, 1, 1])
    taken = Rows(X, scaling.mean, scaling.factor).take(xp.asarray(indices))
    np.testing.assert_allclose(to_numpy(taken), to_numpy(scaling.apply(X))[indices], rtol=1e-12)


def test_a_constant_feature_follows_when_it_is_read(xp):
    X = example(xp)
    scaling = FeatureScaling.fit(X).with_constant()
    lazy, eager = Rows(X, scaling.mean, scaling.factor, constant=True), Rows(scaling.apply(X))
    assert lazy.shape == eager.shape == (N, D + 1)
    np.testing.assert_allclose(to_numpy(lazy[slice(2, 5)]), to_numpy(eager[slice(2, 5)]), rtol=1e-12)
    indices = xp.asarray([7, 1])
    np.testing.assert_allclose(to_numpy(lazy.take(indices)), to_numpy(eager.take(indices)), rtol=1e-12)


def test_without_scaling_rows_are_as_they_are(xp):
    X = example(xp)
    np.testing.assert_array_equal(to_numpy(Rows(X)[slice(2, 5)]), to_numpy(X)[2:5])


def test_mean_and_factor_may_come_alone():
    X = example()
    np.testing.assert_allclose(Rows(X, mean=np.ones(D))[slice(0, N)], X - 1)
    np.testing.assert_allclose(Rows(X, factor=np.arange(4.0))[slice(0, N)], X * np.arange(4.0))


def test_precision_is_that_of_the_features_unless_given(xp):
    X = example(xp, xp.float32)
    scaling = FeatureScaling.fit(X)
    assert Rows(X, scaling.mean, scaling.factor)[slice(0, 2)].dtype == xp.float32
    assert Rows(X, dtype=xp.float64)[slice(0, 2)].dtype == xp.float64
    assert Rows(X, dtype=xp.float64).take(xp.asarray([0, 1])).dtype == xp.float64


def test_half_precision_on_disk_is_widened_when_read(tmp_path):
    X = example().astype(np.float16)
    written = np.memmap(tmp_path / "rows.memmap", dtype=np.float16, mode="w+", shape=X.shape)
    written[:] = X
    rows = Rows(np.memmap(tmp_path / "rows.memmap", dtype=np.float16, mode="r", shape=X.shape), dtype=np.float32)
    assert rows[slice(0, 4)].dtype == rows.take(np.array([0, 5])).dtype == np.float32
    np.testing.assert_array_equal(rows[slice(0, N)], X.astype(np.float32))


def test_reading_does_not_change_the_features():
    X = example()
    before = X.copy()
    rows = Rows(X, np.ones(D), np.full(D, 2.0))
    rows[slice(0, N)][:] = 0
    rows.take(np.arange(3))[:] = 0
    np.testing.assert_array_equal(X, before)


def test_blocks_cover_all_rows_once(monkeypatch):
    monkeypatch.setattr(unseen.utils.arrays, "BLOCK_BYTES", 8 * 3 * (D + 6))
    blocks = Rows(example()).blocks(work_columns=6)
    assert blocks == [slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 10)]


def test_padded_rows_read_as_rows_without_padding(xp):
    X = example(xp)
    scaling = FeatureScaling.fit(X)
    plain = Rows(X, scaling.mean, scaling.factor)
    padded = plain.pad()
    assert padded.padded
    assert padded.X.shape[1] % ROUND_WIDTH == 0
    assert padded.shape == plain.shape
    assert padded.pad() is padded
    np.testing.assert_array_equal(to_numpy(padded[slice(2, 5)]), to_numpy(plain[slice(2, 5)]))
    indices = xp.asarray([7, 1])
    np.testing.assert_array_equal(to_numpy(padded.take(indices)), to_numpy(plain.take(indices)))


def test_padded_sums_see_the_ones(xp):
    X, y = example(xp), xp.asarray(np.arange(N) % 3)
    rows = Rows(X).pad()
    [with_ones] = rows.add_up_padded(lambda block, y: (namespace(block).sum(block, axis=0),), y, 1)
    [without] = rows.add_up(lambda block, y: (namespace(block).sum(block, axis=0),), y, 1)
    np.testing.assert_allclose(to_numpy(without), to_numpy(X).sum(axis=0))
    zeros = [0] * (ROUND_WIDTH - D - 1)
    np.testing.assert_allclose(to_numpy(with_ones), [*to_numpy(X).sum(axis=0), N, *zeros])


def test_only_what_is_cheap_to_copy_is_padded(tmp_path, monkeypatch):
    X = example()
    np.save(tmp_path / "rows.npy", X)
    assert not Rows(np.load(tmp_path / "rows.npy", mmap_mode="r")).pad().padded
    monkeypatch.setattr(unseen.features.reading.rows, "PADDED_BYTES", 8 * N * D)
    assert Rows(X).pad().padded
    assert not Rows(X, constant=True).pad().padded
