"""Many descents at once, against the estimator trained for each setting."""

from dataclasses import replace

import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sweeping import NO_SPREAD, SETTINGS

from unseen import JFA
from unseen.learning import Smooth
from unseen.sweep.results import WAYS
from unseen.sweep.solver import Task, solve


def test_outcomes_are_those_of_the_estimator(objective, split):
    outcomes = list(solve(objective, [Task(at, s, NO_SPREAD) for at, s in enumerate(SETTINGS)], 3, solver=Smooth()))
    assert len(outcomes) == 2 * len(SETTINGS)
    for outcome in outcomes:
        setting = SETTINGS[outcome.problem]
        model = JFA(tuple(setting[:4]), setting[4], weights=outcome.way).fit(split.X, split.y, classes=split.seen)
        answers = model.predict(split.X_test, classes=split.candidates)
        sigma = float(model.similarity_.singular_values[0]) / model.similarity_.omega.limit
        # In long descents rounding adds up; among the poles, where free ones go, it decides between basins.
        short = len(model.history_) < 50
        if short:
            assert outcome.converged == model.converged_
            assert outcome.iterations == len(model.history_) - 1
        agreement = 1e-5 if short else 0.05 if outcome.way == "free" else 0.03
        assert outcome.objective == pytest.approx(model.objective_, rel=agreement)
        if short or outcome.way == "positive-definite":
            tolerance = 1e-9 if short else 0.07
            assert outcome.per_class == pytest.approx(balanced_accuracy_score(split.y_test, answers), abs=tolerance)
            assert outcome.per_image == pytest.approx(accuracy_score(split.y_test, answers), abs=tolerance)
        assert outcome.sigma == pytest.approx(sigma, rel=1e-6 if short else 1e-2)


def test_the_free_way_alone_does_not_pay_for_the_other(objective, monkeypatch):
    tasks = [Task(at, setting, NO_SPREAD, ("free",)) for at, setting in enumerate(SETTINGS)]
    for name in ("coordinates", "point"):
        monkeypatch.setattr(type(objective), name, None)
    found = list(solve(objective, tasks, 3, solver=Smooth()))
    assert sorted((o.problem, o.way) for o in found) == [(at, "free") for at in range(len(SETTINGS))]
    monkeypatch.undo()
    both = {(o.problem, o.way): o for o in solve(objective, [replace(t, ways=WAYS) for t in tasks], 3, solver=Smooth())}
    for outcome in found:
        if outcome.iterations < 50:
            assert outcome.objective == pytest.approx(both[outcome.problem, "free"].objective, rel=1e-5)
