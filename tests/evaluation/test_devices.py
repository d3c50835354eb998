"""Evaluations of data that lie on a device: the numbers of NumPy, and nothing of the size of the data leaves."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from leaving import put_on_device, watch_leaving
from sklearn.base import clone
from sklearn.decomposition import PCA

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.evaluation import evaluate
from unseen.evaluation.protocol import evaluate_fitted
from unseen.models import ESZSL, JFA, Prepared
from unseen.transduction import SPZSR, GaussianEM
from unseen.utils.errors import InputError

torch = pytest.importorskip("torch")
pytest.importorskip("array_api_strict")

MODEL = Prepared(JFA(), features=PCA(8))


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 12, "n_unseen": 6, "n_features": 16, "n_attributes": 10, "n_per_class": 14}
    return make_zero_shot(**sizes, n_test_per_class=14, noise=1.0, random_state=0)


@pytest.mark.parametrize(
    ("setting", "model"),
    [
        ("standard", MODEL),
        ("generalized", MODEL),
        ("retrieval", MODEL),
        ("transductive", SPZSR(ESZSL(), n_runs=3)),
        ("transductive", GaussianEM(MODEL)),
        ("transductive-generalized", GaussianEM(ESZSL())),
    ],
)
def test_every_setting_measures_the_same_on_a_device(setting: str, model: Any, data: ZeroShotDataset) -> None:
    expected = evaluate(clone(model), data, setting, trials=1)
    there = replace(data, X=put_on_device(data.X))
    with watch_leaving() as left, warnings.catch_warnings():
        warnings.simplefilter("error")
        result = evaluate(clone(model), there, setting, trials=1)
    # Retrieval ranks all rows for each class, for which their scores are fetched.
    assert not left or setting == "retrieval"
    for name in expected.trials[0].metrics:
        assert result.mean(name) == pytest.approx(expected.mean(name), abs=1e-9)


def test_class_splits_are_drawn_on_the_device_too(data: ZeroShotDataset) -> None:
    there = replace(data, X=put_on_device(data.X))
    found, expected = (evaluate(ESZSL(), d, class_splits=2) for d in (there, data))
    assert [t.metrics for t in found.trials] == [t.metrics for t in expected.trials]
    with pytest.raises(InputError, match="n_jobs=2 starts processes, and X is on"):
        evaluate(ESZSL(), there, class_splits=2, n_jobs=2)


def test_a_dataset_is_sent_once(data: ZeroShotDataset) -> None:
    there = data.send_to("cpu")
    assert isinstance(there.X, torch.Tensor)
    assert data.send_to(None) is data
    assert there.fingerprint() == data.fingerprint()
    assert there.send_to("cpu").X is there.X
    for name in ("X_train", "X_test_seen", "X_test_unseen"):
        np.testing.assert_array_equal(getattr(there, name).numpy(), getattr(data, name))
    fitted = clone(MODEL).fit(data.X_train, data.y_train, classes=data.seen_table)
    found, expected = (evaluate_fitted(fitted, d) for d in (there, data))
    assert found.trials[0].metrics == expected.trials[0].metrics


def test_a_dataset_of_tensors_is_checked(data: ZeroShotDataset) -> None:
    X = torch.asarray(data.X).clone()
    X[3, 4] = torch.nan
    with pytest.raises(InputError, match="X has nan at row 3, column 4"):
        replace(data, X=X)
