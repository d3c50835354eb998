"""Dask arrays as training data: the same model as in memory, from reductions over chunks."""

import numpy as np
import pytest

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.features.reading.dask_rows import DaskRows
from unseen.models import ESZSL, JFA, BilinearSVM, Blend, Calibrated, GaussianJFA
from unseen.utils.errors import InputError

da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=10, n_unseen=4, random_state=0)


@pytest.mark.parametrize(
    ("model", "chunks"),
    [
        (JFA(), (170, 50)),
        (JFA(scaling=None), (500, 20)),
        (JFA(loss="maximum"), (170, 50)),
        (JFA("learn"), (90, -1)),
        (BilinearSVM(class_weight="balanced"), (90, -1)),
        (ESZSL(), (33, 7)),
        (GaussianJFA(), (170, 50)),
        (GaussianJFA(scaling=None), (33, 7)),
        (Calibrated(Blend([ESZSL(), JFA()], random_state=0), random_state=0), (90, -1)),
    ],
)
def test_the_same_model_as_in_memory(model, chunks, data):
    here = model.fit(data.X_train, data.y_train, classes=data.seen_table)
    expected = here.decision_function(data.X_test_unseen, classes=data.unseen_table)
    there = model.fit(da.from_array(data.X_train, chunks=chunks), data.y_train, classes=data.seen_table)
    scores = there.decision_function(data.X_test_unseen, classes=data.unseen_table)
    np.testing.assert_allclose(scores, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("model", [JFA(), ESZSL()])
def test_the_same_model_as_in_memory_without_a_table(model, data):
    expected = model.fit(data.X_train, data.y_train).decision_function(data.X_test_seen)
    scores = model.fit(da.from_array(data.X_train, chunks=(90, -1)), data.y_train).decision_function(data.X_test_seen)
    np.testing.assert_allclose(scores, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_labels_may_be_a_dask_array_too(data):
    y = np.unique(data.y_train, return_inverse=True)[1]
    X = da.from_array(data.X_train, chunks=(100, -1))
    model = ESZSL().fit(X, da.from_array(y, chunks=77))
    assert (model.predict(data.X_train) == y).mean() > 0.8


def test_answers_about_a_dask_array(data):
    model = JFA().fit(data.X_train, data.y_train, classes=data.seen_table)
    X = da.from_array(data.X_test_unseen, chunks=(33, 20))
    np.testing.assert_array_equal(
        model.predict(X, classes=data.unseen_table), model.predict(data.X_test_unseen, classes=data.unseen_table)
    )


def test_sums_are_added_where_the_chunks_are(data):
    X = da.from_array(data.X_train, chunks=(7, -1))
    y = np.arange(len(data.X_train))
    [total, count] = DaskRows(X).add_up(_sums, y, 1)
    np.testing.assert_allclose(total, (data.X_train * y[:, None]).sum(axis=0))
    assert count == len(y)


def test_labels_and_weights_are_sent_once(data, monkeypatch):
    import dask

    sent, persist = [], dask.persist
    monkeypatch.setattr(dask, "persist", lambda *parts: sent.append(len(parts)) or persist(*parts))
    rows = DaskRows(da.from_array(data.X_train, chunks=(100, -1)))
    y, weights = np.arange(len(data.X_train)), np.linspace(0, 1, len(data.X_train))
    for _ in range(3):
        [total] = rows.add_up(_weighted_sum, y, 1, weights)
        np.testing.assert_allclose(total, (data.X_train * (y * weights)[:, None]).sum(axis=0))
    assert sent == [rows.X.numblocks[0]] * 2


def _weighted_sum(phi, y, weights):
    return ((phi * (y * weights)[:, None]).sum(axis=0),)


def _sums(phi, y):
    return (phi * y[:, None]).sum(axis=0), len(y)


def test_bad_arrays_get_a_sentence(data):
    X = da.from_array(data.X_train, chunks=(100, -1))
    with pytest.raises(InputError, match=r"unknown length: call X.compute_chunk_sizes\(\) first"):
        JFA().fit(X[X[:, 0] > 0], data.y_train, classes=data.seen_table)
    with pytest.raises(InputError, match="NaN or infinite"):
        JFA().fit(da.where(X > 2, np.nan, X), data.y_train, classes=data.seen_table)
