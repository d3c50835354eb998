"""Farhadi et al. against nearest signatures found one by one."""

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from unseen.data import ZeroShotDataset
from unseen.models import Farhadi
from unseen.selection.grid import fit_grid
from unseen.utils.errors import InputError


def fit(data: ZeroShotDataset, **parameters: Any) -> Farhadi:
    return Farhadi(**parameters).fit(data.X_train, data.y_train, classes=data.classes)


def measure_nearness(p: np.ndarray, signature: np.ndarray, share: np.ndarray, distance: str) -> float:
    if distance == "euclidean":
        return -sum((p[m] - signature[m]) ** 2 for m in range(len(p)))
    a, b = p - share, signature - share
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_scores_are_those_of_the_nearest_signature(distance: Any, data: ZeroShotDataset) -> None:
    model = fit(data, distance=distance, scaling=None)
    present = (data.classes.vectors > data.seen_table.vectors.mean()).astype(float)
    seen, unseen = (present[data.classes.index_of(part)] for part in (data.seen_classes, data.unseen_classes))
    has = present[data.classes.index_of(data.y_train)]
    rows, p = data.X_test_unseen[:20], np.empty((20, has.shape[1]))
    for m in range(has.shape[1]):
        machine = LogisticRegression(l1_ratio=1, solver="saga", tol=1e-5, max_iter=5000, random_state=0)
        p[:, m] = machine.fit(data.X_train, has[:, m]).predict_proba(rows)[:, 1]
    expected = [[measure_nearness(row, a, seen.mean(axis=0), distance) for a in unseen] for row in p]
    actual = model.decision_function(rows, classes=data.unseen_classes)
    # The classifiers stop a little before the minimum, at which scikit-learn's are.
    np.testing.assert_allclose(actual, expected, atol=0.2)
    assert np.corrcoef(actual.ravel(), np.ravel(expected))[0, 1] > 0.999


def test_a_stronger_penalty_leaves_fewer_features(data: ZeroShotDataset) -> None:
    few, many = (np.count_nonzero(fit(data, C=C).weights_) for C in (0.3, 10.0))
    assert few < many


def test_a_grid_has_one_set_of_classifiers_for_both_distances(
    data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [{"C": C, "distance": distance} for C in (0.5, 2.0) for distance in ("cosine", "euclidean")]
    expected = [fit(data, **point).decision_function(data.X_test_unseen, data.unseen_classes) for point in points]
    fits, own = [], Farhadi._fit
    monkeypatch.setattr(Farhadi, "_fit", lambda self, *args: fits.append(1) or own(self, *args))
    found = fit_grid(Farhadi(), data.X_train, data.y_train, data.classes, points)
    for model, scores, point in zip(found, expected, points, strict=True):
        assert model.get_params() == Farhadi(**point).get_params()
        np.testing.assert_array_equal(model.decision_function(data.X_test_unseen, data.unseen_classes), scores)
    assert len(fits) == 2


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [({"C": 0}, "C must be a finite number above 0, got 0"), ({"distance": "hamming"}, "distance='hamming'")],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)
