import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from unseen.data import ClassTable
from unseen.evaluation import metrics as ours
from unseen.evaluation.metrics import Candidates
from unseen.utils.errors import InputError


@st.composite
def answers(draw):
    m = draw(st.integers(2, 6))
    # Every class has a row, as the unseen classes of a dataset do.
    true = list(range(m)) + draw(st.lists(st.integers(0, m - 1), max_size=30))
    predicted = draw(st.lists(st.integers(0, m - 1), min_size=len(true), max_size=len(true)))
    return m, np.array(true), np.array(predicted)


@given(answers())
@settings(deadline=None)
def test_metrics_agree_with_scikit_learn(case):
    m, true, predicted = case
    confusion = ours.confusion_counts(true, predicted, m)
    np.testing.assert_array_equal(confusion, theirs.confusion_matrix(true, predicted, labels=np.arange(m)))
    per_class = {"recall": ours.recall_per_class(confusion), "precision": ours.precision_per_class(confusion)}
    for name, function in (("recall", theirs.recall_score), ("precision", theirs.precision_score)):
        expected = function(true, predicted, labels=np.arange(m), average=None, zero_division=0)
        np.testing.assert_allclose(per_class[name], expected)
    candidates = Candidates(np.arange(m), np.bincount(true, minlength=m), np.zeros(m, dtype=bool))
    assert ours.PER_IMAGE.of(per_class, candidates) == pytest.approx(theirs.accuracy_score(true, predicted))
    assert ours.PER_CLASS.of(per_class, candidates) == pytest.approx(theirs.balanced_accuracy_score(true, predicted))


def test_seen_and_unseen_classes_are_averaged_apart_and_untested_ones_left_out():
    candidates = Candidates(
        np.array(["a", "b", "c", "d"]), np.array([3, 0, 2, 1]), np.array([True, True, False, False])
    )
    per_class = {"recall": np.array([0.5, 0.0, 1.0, 0.2])}
    assert ours.SEEN.of(per_class, candidates) == pytest.approx(0.5)
    assert ours.UNSEEN.of(per_class, candidates) == pytest.approx(0.6)
    assert ours.HARMONIC.of(per_class, candidates) == pytest.approx(2 * 0.5 * 0.6 / 1.1)


def test_harmonic_mean_of_nothing_is_nothing():
    assert ours.harmonic_mean(0.0, 0.0) == 0.0


def test_average_precision_is_the_mean_precision_at_the_relevant_ranks():
    rng = np.random.default_rng(0)
    scores, true = rng.standard_normal((50, 4)), rng.integers(0, 4, 50)
    for at, value in enumerate(ours.average_precision(scores, true)):
        relevant = true[np.argsort(-scores[:, at])] == at
        precision = np.cumsum(relevant) / np.arange(1, 51)
        assert value == pytest.approx(precision[relevant].mean())


def test_rows_of_equal_score_count_together_whatever_their_order():
    scores, true = np.zeros((4, 2)), np.array([0, 0, 0, 1])
    np.testing.assert_allclose(ours.average_precision(scores, true), [0.75, 0.25])


def test_labels_that_are_no_candidates_get_a_sentence():
    table = ClassTable.one_hot(["okapi", "zebra"])
    with pytest.raises(InputError, match=r"y_pred has labels .*'horse'"):
        ours.confusion_matrix(["zebra"], ["horse"], table)
    with pytest.raises(InputError, match="y_pred has 1 labels, but y_true has 2"):
        ours.confusion_matrix(["zebra", "okapi"], ["zebra"], table)
