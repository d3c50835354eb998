"""Scores taken apart by attribute, for every model."""

import numpy as np
import pytest

from unseen.data import ZeroShotDataset
from unseen.models import JFA, ZeroShotClassifier
from unseen.utils.errors import InputError


def test_contributions_sum_to_the_score(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    X, table = data.X_test_unseen, data.unseen_table
    y = np.roll(data.y_test_unseen, 5)
    parts = fitted.contributions(X, y, classes=table)
    assert parts.shape == (len(X), table.width)
    scores = fitted.decision_function(X, classes=table)[np.arange(len(X)), table.index_of(y)]
    np.testing.assert_allclose(parts.sum(axis=1), scores, rtol=1e-8, atol=1e-8)


def test_classes_that_fit_never_knew_can_be_adapted(data: ZeroShotDataset) -> None:
    whole = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    narrow = JFA().fit(data.X_train, data.y_train, classes=data.seen_table)
    expected = whole.adapt(data.X_test_unseen, data.y_test_unseen)
    found = narrow.adapt(data.X_test_unseen, data.y_test_unseen, classes=data.unseen_table)
    np.testing.assert_array_equal(found.z_s, expected.z_s)
    with pytest.raises(InputError, match="does not describe"):
        narrow.adapt(data.X_test_unseen, data.y_test_unseen)
