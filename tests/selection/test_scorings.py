"""The accuracies by which points are compared are scikit-learn's."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from unseen.selection.trials import SCORINGS

labels = st.sampled_from(["blue jay", "crow", "wren", "gull"])
rows = st.lists(st.tuples(labels, labels, st.sampled_from([0.0, 0.5, 1.0, 3.0])), min_size=1, max_size=30)


@pytest.mark.parametrize(("name", "theirs"), [("per-class", balanced_accuracy_score), ("per-image", accuracy_score)])
@given(rows=rows, weighted=st.booleans())
def test_scorings_are_those_of_scikit_learn(name, theirs, rows, weighted):
    true, predicted, weights = (np.array(column) for column in zip(*rows, strict=True))
    weights = weights + (weights.sum() == 0) if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs warns of classes that are answered and never right, or weigh nothing
        wanted = theirs(true, predicted, sample_weight=weights)
    assert SCORINGS.find(name)(true, predicted, weights) == pytest.approx(wanted)
