"""Tests of the penalty of seen classes, as GaussianJFA rehearses it."""

import numpy as np

from unseen.data import make_zero_shot
from unseen.models import GaussianJFA


def test_a_single_row_of_each_class_is_enough() -> None:
    data = make_zero_shot(n_seen=12, n_unseen=3, n_features=9, n_attributes=6, n_per_class=4, random_state=0)
    _, first = np.unique(data.y_train, return_index=True)
    model = GaussianJFA().fit(data.X_train[first], data.y_train[first], classes=data.classes)
    assert np.isfinite(model.seen_penalty_)
    assert np.isfinite(model.decision_function(data.X_test_unseen, classes=data.classes)).all()
