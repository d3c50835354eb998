"""Models out of their files again, and whether they are what was put in."""

from pathlib import Path
from typing import Any

import numpy as np

import unseen
from unseen.data import ZeroShotDataset


def again(model: Any, tmp_path: Path) -> Any:
    """Return a model as its file gives it back."""
    unseen.save(model, tmp_path / "m.unseen", force=True)
    return unseen.load(tmp_path / "m.unseen")


def assert_same(one: Any, two: Any, data: ZeroShotDataset) -> None:
    """Check that two models answer alike, bit for bit, and know the same of themselves."""
    assert type(one) is type(two)
    assert repr(one) == repr(two)
    for X in (data.X_test_unseen, data.X_test_unseen.astype(np.float32)):
        for classes in (None, data.unseen_table, list(data.unseen_classes)):
            for method in ("decision_function", "predict_proba", "predict"):
                answers = [getattr(model, method)(X, classes=classes) for model in (one, two)]
                np.testing.assert_array_equal(*answers)
    np.testing.assert_array_equal(one.classes_, two.classes_)
    assert one.table_ == two.table_
    assert one.n_features_in_ == two.n_features_in_
