"""The share of right answers for held-out classes, with a range that is as wide as the classes differ."""

import numpy as np
import pytest

from unseen.confidence import HeldOutAccuracy


def test_the_range_is_that_of_the_classes_not_of_the_rows() -> None:
    classes = np.repeat(np.arange(20), 50)
    alike = HeldOutAccuracy.of(np.arange(1000) % 2 == 0, classes, 5)
    apart = HeldOutAccuracy.of(classes % 2 == 0, classes, 5)
    assert alike.accuracy == apart.accuracy == 0.5
    assert alike.high - alike.low == 0
    assert 0.3 < apart.high - apart.low < 0.6
    assert apart.low < 0.5 < apart.high


def test_rows_count_by_their_weight() -> None:
    correct, classes = np.array([True, False, True, False]), np.array(["a", "a", "b", "b"])
    weighted = HeldOutAccuracy.of(correct, classes, 2, np.array([3.0, 1.0, 3.0, 1.0]))
    assert weighted.accuracy == weighted.low == weighted.high == 0.75
    assert HeldOutAccuracy.of(correct, classes, 2, np.array([2.0, 2.0, 0.0, 0.0])).accuracy == 0.5


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "is_estimate"), [(30, 15, True), (29, 10, False), (40, 40, False), (200, 101, False)]
)
def test_a_few_rows_are_not_an_estimate(n_rows: int, n_classes: int, is_estimate: bool) -> None:
    found = HeldOutAccuracy.of(np.ones(n_rows, dtype=bool), np.arange(n_rows) % n_classes, 5)
    assert found.is_estimate is is_estimate
