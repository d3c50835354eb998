"""IAP against the sums and products of its paper, and what it does with classes of few rows."""

from typing import Any

import numpy as np
import pytest

from unseen.data import ZeroShotDataset
from unseen.models import IAP
from unseen.models.attributes.machines.attribute_classifiers import hold_out_rows
from unseen.utils.errors import InputError


def fit(data: ZeroShotDataset, **parameters: Any) -> IAP:
    return IAP(random_state=0, **parameters).fit(data.X_train, data.y_train, classes=data.classes)


def follow_the_paper(x: np.ndarray, model: IAP, seen: np.ndarray, unseen: np.ndarray) -> list[float]:
    """Return prod_m p(a_m^y | x) / p(a_m^y) of each unseen class, term by term."""
    p = 1 / (1 + np.exp(-(x @ model.weights_ + model.offsets_)))
    p /= p.sum()
    products = []
    for signature in unseen:
        product = 1.0
        for m, a in enumerate(signature):
            product *= sum(p[k] for k in range(len(seen)) if seen[k, m] == a) / np.mean(seen[:, m] == a)
        products.append(product)
    return products


def test_probabilities_follow_the_paper(data: ZeroShotDataset) -> None:
    model = fit(data, scaling=None)
    present = data.classes.vectors > data.seen_table.vectors.mean()
    seen, unseen = (present[data.classes.index_of(part)] for part in (data.seen_classes, data.unseen_classes))
    rows = data.X_test_unseen[:20]
    products = np.array([follow_the_paper(x, model, seen, unseen) for x in rows])
    actual = model.predict_proba(rows, classes=data.unseen_classes)
    np.testing.assert_allclose(actual, products / products.sum(axis=1, keepdims=True), rtol=1e-9)


def test_it_recognises_classes_seen_and_unseen(data: ZeroShotDataset) -> None:
    model = fit(data)
    assert np.mean(model.predict(data.X_test_seen) == data.y_test_seen) > 0.8
    assert np.mean(model.predict(data.X_test_unseen, classes=data.unseen_classes) == data.y_test_unseen) > 0.3


def test_rows_far_from_all_classes_get_finite_scores(data: ZeroShotDataset) -> None:
    model = fit(data)
    for kind in (np.float32, np.float64):
        assert np.isfinite(model.decision_function(1e4 * data.X_test_unseen.astype(kind), data.unseen_classes)).all()


def test_every_class_has_rows_on_both_sides() -> None:
    y = np.repeat([0, 1, 2, 3], [1, 2, 9, 47])
    training, held_out = hold_out_rows(y, np.random.RandomState(0), each_class=True)
    np.testing.assert_array_equal(np.bincount(y[held_out]), [1, 1, 1, 4])
    np.testing.assert_array_equal(np.bincount(y[training]), [1, 1, 8, 43])
    assert len({*training, *held_out}) == len(y)


def test_the_weight_of_errors_is_checked(data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="C must be a finite number above 0, got -1"):
        fit(data, C=-1)
