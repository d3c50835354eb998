"""The constant of calibrated stacking is chosen on seen classes; a model that brings its own is measured with that."""

import numpy as np
import pytest

from unseen.data import make_zero_shot
from unseen.evaluation import evaluate
from unseen.evaluation.settings.calibration import choose_gamma, draw_fold
from unseen.models import ESZSL, Calibrated
from unseen.utils.errors import InputError


def test_classes_are_held_out_of_the_training_rows_in_proportion():
    data = make_zero_shot(n_seen=12, n_unseen=4, n_per_class=10, random_state=0)
    fold = draw_fold(data, np.random.default_rng(0))
    assert len(fold.held_out) == 3
    assert sorted([*fold.train, *fold.test]) == list(range(len(data.train)))
    assert set(data.y_train[fold.train]) == set(fold.seen)
    assert set(data.y_train[fold.test]) == set(fold.held_out)


def test_constant_is_chosen_without_unseen_rows_or_descriptions():
    data = make_zero_shot(n_seen=10, n_unseen=3, random_state=1)
    seen = []

    class Spy(ESZSL):
        def fit(self, X, y, classes=None):
            seen.append(set(classes) | set(y))
            return super().fit(X, y, classes=classes)

        def decision_function(self, X, classes=None):
            seen.append(set(classes))
            return super().decision_function(X, classes=classes)

    choose_gamma(Spy().fit(data.X_train, data.y_train, classes=data.seen_table), data, folds=2, seed=0)
    assert set.union(*seen) == set(data.seen_classes)


def test_constant_depends_on_the_seed_only():
    data = make_zero_shot(random_state=1)
    model = ESZSL().fit(data.X_train, data.y_train, classes=data.seen_table)
    assert choose_gamma(model, data, folds=2, seed=3) == choose_gamma(model, data, folds=2, seed=3)


def test_too_few_seen_classes_or_rows_get_a_sentence():
    with pytest.raises(InputError, match="dataset has 2 seen classes"):
        draw_fold(make_zero_shot(n_seen=2, n_unseen=2, random_state=0), np.random.default_rng(0))
    with pytest.raises(InputError, match="one training row for each seen class"):
        draw_fold(make_zero_shot(n_seen=4, n_unseen=2, n_per_class=1, random_state=0), np.random.default_rng(0))


def test_a_calibrated_model_is_measured_as_it_answers_and_without_its_penalty():
    data = make_zero_shot(n_seen=12, n_unseen=6, noise=1.5, random_state=0)
    own = evaluate(Calibrated(ESZSL()), data, "generalized", trials=1)
    plain = evaluate(ESZSL(), data, "generalized", trials=1)
    for metric in ("u", "s", "H", "AUSUC"):
        assert own.mean(metric) == pytest.approx(plain.mean(metric))
    [trial] = own.trials
    assert trial.own_gamma
    assert "its own gamma" in own.table().to_text()
    assert "does not subtract it" in " ".join(plain.table().to_text().split())
    fitted = Calibrated(ESZSL(), random_state=trial.seed).fit(data.X_train, data.y_train, classes=data.seen_table)
    assert trial.gamma == fitted.seen_penalty_ != 0
    joint = data.seen_table.concat(data.unseen_table)
    predicted = fitted.predict(data.X_test_unseen, classes=joint)
    right = [np.mean(predicted[data.y_test_unseen == label] == label) for label in data.unseen_classes]
    assert own.mean("u calibrated") == pytest.approx(np.mean(right))


def test_a_model_that_could_not_be_rehearsed_gets_its_constant_from_the_evaluation():
    data = make_zero_shot(n_seen=8, n_unseen=4, random_state=0)
    given = evaluate(Calibrated(ESZSL(), penalise_seen=False), data, "generalized", trials=1)
    assert not given.trials[0].own_gamma
    seed = given.trials[0].seed
    assert given.trials[0].gamma == choose_gamma(ESZSL(), data, folds=3, seed=seed)
