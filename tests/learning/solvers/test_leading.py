import numpy as np
import pytest

from unseen import JFA, load, load_dataset, save
from unseen.learning import InLeadingDirections, Smooth
from unseen.models import BilinearSVM, DirectJFA
from unseen.utils.errors import InputError


@pytest.fixture(scope="module")
def data():
    return load_dataset("digit-pairs", n_train=8)


@pytest.fixture(scope="module")
def wide(data):
    """The same pictures with as many columns again, most of which hold next to nothing."""
    random = np.random.default_rng(0)
    return data.X_train @ np.linalg.qr(random.standard_normal((3 * data.X_train.shape[1], data.X_train.shape[1])))[0].T


@pytest.mark.parametrize("kind", [JFA, BilinearSVM])
def test_directions_that_hold_everything_change_nothing(data, wide, kind):
    # All rows lie in as many directions as there were features.
    solver = InLeadingDirections(Smooth(tol=1e-7), data.X_train.shape[1])
    full = kind(solver=Smooth(tol=1e-7)).fit(wide, data.y_train, classes=data.classes)
    fitted = kind(solver=solver).fit(wide, data.y_train, classes=data.classes)
    assert fitted.certificate_["left_out"] == pytest.approx(0, abs=1e-10)
    assert "left_out" not in full.certificate_
    assert fitted.objective_ == pytest.approx(full.objective_, rel=1e-5)
    assert fitted.similarity_.W.shape == full.similarity_.W.shape
    scores = [model.decision_function(wide, classes=data.classes) for model in (fitted, full)]
    assert np.abs(scores[0] - scores[1]).max() < 0.01 * np.abs(scores[1]).max()


def test_fewer_directions_are_nearly_as_good_and_say_what_they_leave_out(data):
    fitted = JFA(solver=InLeadingDirections(Smooth(), 40)).fit(data.X_train, data.y_train, classes=data.classes)
    full = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    assert 0.01 < fitted.certificate_["left_out"] < 0.2
    X, y, table = data.X_test_unseen, data.y_test_unseen, data.unseen_table
    scores = [(model.predict(X, classes=table) == y).mean() for model in (fitted, full)]
    assert scores[0] > scores[1] - 0.05


def test_narrow_features_and_other_similarities_are_left_as_they_are(data):
    for model in (JFA(solver=InLeadingDirections(Smooth())), DirectJFA(solver=InLeadingDirections(Smooth(), 10))):
        assert "left_out" not in model.fit(data.X_train, data.y_train, classes=data.classes).certificate_


def test_the_history_is_that_of_the_full_space(data):
    seen = []

    class Watched(JFA):
        def _learn(self, objective, solver, start, rng, watch):
            return super()._learn(
                objective, solver, start, rng, lambda step, W, value: (seen.append(W.shape), watch(step, W, value))
            )

    Watched(solver=InLeadingDirections(Smooth(max_iter=3), 40)).fit(data.X_train, data.y_train, classes=data.classes)
    assert set(seen) == {(data.X_train.shape[1], data.classes.width)}


def test_it_is_kept_in_a_model_file(data, tmp_path):
    model = JFA(solver=InLeadingDirections(Smooth(max_iter=5), 40)).fit(
        data.X_train, data.y_train, classes=data.classes
    )
    save(model, tmp_path / "model.unseen")
    assert load(tmp_path / "model.unseen").solver == model.solver


def test_bad_numbers_get_a_sentence(data):
    with pytest.raises(InputError, match="count must be a finite number above 0"):
        InLeadingDirections(Smooth(), 0)
    with pytest.raises(InputError, match="needs a smooth loss"):
        JFA(loss="maximum", solver=InLeadingDirections(Smooth(), 10)).fit(
            data.X_train, data.y_train, classes=data.classes
        )
