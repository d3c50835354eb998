"""ConSE against its formula."""

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import cosine_similarity

from unseen.data import ZeroShotDataset
from unseen.models import ConSE
from unseen.utils.errors import InputError


def fit(data: ZeroShotDataset, **parameters: Any) -> ConSE:
    return ConSE(**parameters).fit(data.X_train, data.y_train, classes=data.classes)


@pytest.mark.parametrize("T", [1, 3, 10, 1000])
def test_scores_are_cosines_of_convex_combinations(T: int, data: ZeroShotDataset) -> None:
    model = fit(data, T=T, C=2.0, scaling=None)
    classifier = LogisticRegression(C=2.0, max_iter=1000).fit(data.X_train, data.y_train)
    p = classifier.predict_proba(data.X_test_unseen)
    top = np.argsort(-p, axis=1)[:, :T]
    weights = np.take_along_axis(p, top, axis=1)
    weights /= weights.sum(axis=1, keepdims=True)
    mixture = np.einsum("nt,ntd->nd", weights, data.seen_table.vectors[top])
    expected = cosine_similarity(mixture, data.unseen_table.vectors)
    actual = model.decision_function(data.X_test_unseen, classes=data.unseen_classes)
    np.testing.assert_allclose(actual, expected, atol=1e-9)


def test_one_class_alone_stands_for_itself(data: ZeroShotDataset) -> None:
    model = fit(data, T=1)
    scores = model.decision_function(data.X_test_seen)
    np.testing.assert_allclose(scores.max(axis=1), 1.0)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"T": 0}, "T must be a whole number of at least 1, got 0"),
        ({"T": 2.5}, "T must be a whole number of at least 1, got 2.5"),
        ({"C": -1.0}, "C must be a finite number above 0, got -1.0"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)
