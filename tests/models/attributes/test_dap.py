"""DAP against the product rule of its paper, and what it does with attributes and their thresholds."""

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import LinearSVC

from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import DAP
from unseen.utils.errors import InputError


def fit(data: ZeroShotDataset, table: ClassTable | None = None, **parameters: Any) -> DAP:
    return DAP(random_state=0, **parameters).fit(data.X_train, data.y_train, classes=table or data.classes)


def test_probabilities_follow_the_product_rule(data: ZeroShotDataset) -> None:
    model = fit(data, scaling=None)
    present = data.classes.vectors > data.seen_table.vectors.mean()
    seen, unseen = (present[data.classes.index_of(part)] for part in (data.seen_classes, data.unseen_classes))
    prior = seen.mean(axis=0)
    logit = data.X_test_unseen @ model.weights_ + model.offsets_ + np.log(prior / (1 - prior))
    p = 1 / (1 + np.exp(-logit))
    factors = np.where(unseen[None], p[:, None] / prior, (1 - p[:, None]) / (1 - prior))
    product = factors.prod(axis=2)
    expected = product / product.sum(axis=1, keepdims=True)
    actual = model.predict_proba(data.X_test_unseen, classes=data.unseen_classes)
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


def test_an_attribute_has_a_machine_with_platt_scaling(data: ZeroShotDataset) -> None:
    model = fit(data, scaling=None)
    has = (data.classes.vectors > model.threshold_)[data.classes.index_of(data.y_train), 2]
    # Another tenth of the rows, so the probabilities agree only about.
    split = [(np.flatnonzero(np.arange(len(has)) % 10 != 0), np.flatnonzero(np.arange(len(has)) % 10 == 0))]
    reference = CalibratedClassifierCV(LinearSVC(), cv=split).fit(data.X_train, has)
    prior = (data.seen_table.vectors > model.threshold_)[:, 2].mean()
    logit = data.X_test_seen @ model.weights_[:, 2] + model.offsets_[2] + np.log(prior / (1 - prior))
    expected = reference.predict_proba(data.X_test_seen)[:, 1]
    assert np.corrcoef(1 / (1 + np.exp(-logit)), expected)[0, 1] > 0.9


def test_attributes_that_tell_no_seen_classes_apart_are_skipped(data: ZeroShotDataset) -> None:
    everywhere, nowhere = np.full(len(data.classes), 9.0), np.full(len(data.classes), -9.0)
    # The unseen classes do differ in them, which must not matter.
    nowhere[data.classes.index_of(data.unseen_classes)[:4]] = 9.0
    table = ClassTable(np.column_stack([everywhere, data.classes.vectors, nowhere]), data.classes.labels)
    model = fit(data, table, threshold=0.0)
    assert not model.used_[0]
    assert not model.used_[-1]
    np.testing.assert_array_equal(
        model.predict(data.X_test_unseen, classes=data.unseen_classes),
        fit(data, threshold=0.0).predict(data.X_test_unseen, classes=data.unseen_classes),
    )


def test_thresholds(data: ZeroShotDataset) -> None:
    vectors = data.seen_table.vectors
    np.testing.assert_allclose(fit(data).threshold_, vectors.mean())
    each = np.median(vectors, axis=0)
    np.testing.assert_array_equal(fit(data, threshold=each).threshold_, each)
    # Binary descriptions are the same to it whatever values stand for yes and no.
    binary = data.classes.vectors > 0
    tables = [ClassTable(np.where(binary, yes, no), data.classes.labels) for yes, no in ((1, 0), (1, -1), (7, 3))]
    one, *others = (fit(data, table).decision_function(data.X_test_unseen, data.unseen_classes) for table in tables)
    for other in others:
        np.testing.assert_allclose(one, other)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": 0.0}, "C must be a finite number above 0, got 0.0"),
        ({"threshold": np.nan}, "threshold=nan must be one finite number"),
        ({"threshold": [1.0, 2.0]}, "or one for each of 10 attributes"),
        ({"threshold": 1e6}, "threshold=1000000.0 finds every attribute in all seen classes or in none"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)
