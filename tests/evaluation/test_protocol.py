import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.evaluation import Generalized, evaluate
from unseen.evaluation.seeding import declares_randomness, with_seed
from unseen.models import ESZSL, JFA, BilinearSVM
from unseen.utils.errors import InputError

DATA = make_zero_shot(n_seen=8, n_unseen=4, n_per_class=12, noise=1.0, random_state=0)


class RandomGuess(BaseEstimator):
    """Guesses with its seed, and notes what it was shown."""

    shown: list = []  # noqa: RUF012 (shared on purpose: estimators are copied)

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, classes=None):
        self.shown.append((self.random_state, len(X), set(classes)))
        return self

    def decision_function(self, X, classes=None):
        return np.random.default_rng(self.random_state).standard_normal((len(X), len(classes)))

    def predict(self, X, classes=None):
        return classes.labels[self.decision_function(X, classes).argmax(axis=1)]


def mean_class_accuracy(true, predicted):
    return np.mean([np.mean(predicted[true == label] == label) for label in np.unique(true)])


def test_only_training_rows_and_seen_descriptions_are_shown_when_fitting():
    RandomGuess.shown.clear()
    result = evaluate(RandomGuess(), DATA, trials=3)
    assert [n for _, n, _ in RandomGuess.shown] == [len(DATA.train)] * 3
    assert all(classes == set(DATA.seen_classes) for *_, classes in RandomGuess.shown)
    assert [seed for seed, *_ in RandomGuess.shown] == [trial.seed for trial in result.trials]


def test_trials_have_seeds_of_their_own_that_do_not_depend_on_their_number():
    few, many = (evaluate(RandomGuess(), DATA, trials=n, random_state=5) for n in (2, 4))
    assert len({trial.seed for trial in many.trials}) == 4
    assert [t.predictions for t in few.trials] == [t.predictions for t in many.trials[:2]]
    assert not many.deterministic
    other = evaluate(RandomGuess(), DATA, trials=2, random_state=6)
    assert other.trials[0].seed != few.trials[0].seed


def test_model_without_randomness_is_fitted_once_and_says_so():
    result = evaluate(ESZSL(), DATA, trials=10)
    assert len(result.trials) == 1
    assert result.deterministic
    assert result.std("per-image accuracy") is None
    assert "no random_state" in result.to_text()


def test_trials_that_do_not_differ_are_called_so():
    result = evaluate(JFA(init="zeros"), DATA, trials=2)
    assert len(result.trials) == 2
    assert result.deterministic
    assert "All 2 trials gave the same answers" in result.to_text()
    assert "±" not in result.to_csv()
    assert result.interval("per-image accuracy").over == "images"


def test_standard_setting_is_accuracy_among_unseen_classes():
    model = ESZSL().fit(DATA.X_train, DATA.y_train, classes=DATA.seen_table)
    predicted = model.predict(DATA.X_test_unseen, classes=DATA.unseen_table)
    result = evaluate(ESZSL(), DATA)
    assert result.mean("per-image accuracy") == pytest.approx(np.mean(predicted == DATA.y_test_unseen))
    assert result.mean("mean per-class accuracy") == pytest.approx(mean_class_accuracy(DATA.y_test_unseen, predicted))
    assert result.confusion.sum() == len(DATA.test_unseen)


def test_generalized_setting_is_accuracy_among_all_classes():
    model = ESZSL().fit(DATA.X_train, DATA.y_train, classes=DATA.seen_table)
    result = evaluate(ESZSL(), DATA, Generalized(folds=2))
    for metric, part in (("u", "unseen"), ("s", "seen")):
        predicted = model.predict(getattr(DATA, f"X_test_{part}"), classes=DATA.classes)
        assert result.mean(metric) == pytest.approx(mean_class_accuracy(getattr(DATA, f"y_test_{part}"), predicted))
    u, s = result.mean("u"), result.mean("s")
    assert result.mean("H") == pytest.approx(2 * u * s / (u + s))
    # What the constant does, done by hand.
    [trial] = result.trials
    scores = model.decision_function(DATA.X_test_unseen, classes=DATA.classes)
    scores -= trial.gamma * np.isin(DATA.classes.labels, DATA.seen_classes)
    predicted = DATA.classes.labels[scores.argmax(axis=1)]
    assert result.mean("u calibrated") == pytest.approx(mean_class_accuracy(DATA.y_test_unseen, predicted))
    assert result.mean("AUSUC") == pytest.approx(trial.curve.area)
    on_curve = np.flatnonzero(trial.curve.gamma == 0)[0]
    assert (trial.curve.unseen[on_curve], trial.curve.seen[on_curve]) == pytest.approx((u, s))


def test_calibration_helps_a_model_that_favours_seen_classes():
    data = make_zero_shot(n_seen=20, n_unseen=8, n_per_class=15, attribute_noise=0.5, random_state=3)
    result = evaluate(BilinearSVM(), data, "generalized", trials=1)
    assert result.mean("u") < result.mean("s") - 0.3
    assert result.mean("H calibrated") > result.mean("H") + 0.1


def test_retrieval_setting_ranks_all_unseen_images_for_each_class():
    scores = (
        ESZSL()
        .fit(DATA.X_train, DATA.y_train, classes=DATA.seen_table)
        .decision_function(DATA.X_test_unseen, classes=DATA.unseen_table)
    )
    expected = [
        average_precision_score(DATA.y_test_unseen == label, scores[:, at])
        for at, label in enumerate(DATA.unseen_classes)
    ]
    result = evaluate(ESZSL(), DATA, "retrieval")
    np.testing.assert_allclose(result.per_class("average precision"), expected)
    assert result.mean("mean average precision") == pytest.approx(np.mean(expected))


def test_every_trial_is_told_as_soon_as_it_is_done():
    told = []
    evaluate(RandomGuess(), DATA, trials=3, on_trial=lambda number, trial: told.append((number, trial.seed)))
    assert [number for number, _ in told] == [0, 1, 2]


def test_seeds_reach_every_part_and_leave_the_original_alone():
    class Splitter:
        def __init__(self, random_state):
            self.random_state = random_state

    class Search(BaseEstimator):
        def __init__(self, estimator, splitter=None):
            self.estimator, self.splitter = estimator, splitter

    search = Search(JFA(random_state=1), Splitter(2))
    copy = with_seed(search, 7)
    assert (copy.estimator.random_state, copy.splitter.random_state) == (7, 7)
    assert (search.estimator.random_state, search.splitter.random_state) == (1, 2)
    assert declares_randomness(Search(ESZSL(), Splitter(2)))
    assert not declares_randomness(Search(ESZSL()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": ESZSL}, r"the class ESZSL: give an instance"),
        ({"model": "JFA"}, "has no method get_params"),
        ({"model": LogisticRegression()}, "does not take class descriptions"),
        ({"dataset": 3}, "dataset is a int"),
        ({"setting": "standart"}, r"setting='standart'.*did you mean 'standard'.*'generalized', 'retrieval'"),
        ({"trials": 0}, "trials must be a whole number of at least 1, got 0"),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"setting": Generalized(folds=0)}, "folds must be a whole number of at least 1"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, message):
    with pytest.raises(InputError, match=message):
        evaluate(**({"model": ESZSL(), "dataset": DATA} | arguments))


def test_generalized_setting_needs_test_rows_of_seen_classes():
    bare = ZeroShotDataset(DATA.X, DATA.y, DATA.classes, DATA.train, [], DATA.test_unseen)
    with pytest.raises(InputError, match="no rows test_seen, which setting='generalized' needs"):
        evaluate(ESZSL(), bare, "generalized")
