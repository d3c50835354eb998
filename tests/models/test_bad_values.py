"""Values of any size are answered rightly or refused with a sentence, by every model."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from model_parameters import with_scaling
from sklearn.base import clone

from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import DAP, ESZSL, JFA, SJE, BilinearSVM, DirectJFA, ZeroShotClassifier
from unseen.utils.errors import InputError


def accuracy(model: ZeroShotClassifier, X: Any, data: ZeroShotDataset, table: ClassTable) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return float((model.predict(X, classes=table.select(data.unseen_classes)) == data.y_test_unseen).mean())


@pytest.mark.parametrize("unit", [1e155, 1e-200])
def test_units_of_features_do_not_matter(
    unit: float, estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    model = clone(estimator).fit(data.X_train * unit, data.y_train, classes=data.classes)
    expected = accuracy(fitted, data.X_test_unseen, data, data.classes)
    assert accuracy(model, data.X_test_unseen * unit, data, data.classes) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("unit", [1e155, 1e-200])
def test_units_of_descriptions_do_not_matter(
    unit: float, estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    table = ClassTable(data.classes.vectors * unit, data.classes.labels)
    model = clone(estimator).fit(data.X_train, data.y_train, classes=table)
    expected = accuracy(fitted, data.X_test_unseen, data, data.classes)
    assert accuracy(model, data.X_test_unseen, data, table) == pytest.approx(expected, abs=0.03)


def with_cell(X: Any, value: float) -> Any:
    changed = X.copy()
    changed[3, 2] = value
    return changed


# What becomes of X, and what is said of it.
REFUSED_FEATURES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "constant": (lambda X: np.full_like(X, 0.1), "X has the same values in all rows"),
    "subnormal": (lambda X: (X * 1e-39).astype(np.float32), r"X varies by 4e-39, at the edge .*\(float32\)"),
    "one cell of 1e300": (lambda X: with_cell(X, 1e300), r"X has 1e\+300 in row 3, column 2, beside which"),
    "one cell of 1e20": (lambda X: with_cell(X, 1e20), r"X has 1e\+20 in row 3, column 2, beside which"),
    "masked": (lambda X: np.ma.masked_array(X, mask=X > 1), r"X is a masked array.*X\.filled"),
    "dates": (lambda X: X.astype("int64").astype("datetime64[s]"), "X holds dates or durations"),
    "durations": (lambda X: X.astype("int64").astype("timedelta64[s]"), "X holds dates or durations"),
}


@pytest.mark.parametrize(("change", "sentence"), REFUSED_FEATURES.values(), ids=REFUSED_FEATURES)
def test_features_that_are_refused(
    change: Callable[[Any], Any], sentence: str, estimator: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    with pytest.raises(InputError, match=sentence):
        clone(estimator).fit(change(data.X_train), data.y_train, classes=data.classes)


def test_descriptions_that_are_all_alike(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    alike = ClassTable(np.ones_like(data.classes.vectors), data.classes.labels)
    with pytest.raises(InputError, match="classes describes all 14 seen classes alike"):
        clone(estimator).fit(data.X_train, data.y_train, classes=alike)


def test_features_too_large_to_be_taken_as_they_are(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="scaling=None takes it as it is: divide X"):
        with_scaling(estimator, None).fit(data.X_train * 1e155, data.y_train, classes=data.classes)


@pytest.mark.parametrize("model", [JFA(), ESZSL(), BilinearSVM()], ids=lambda model: type(model).__name__)
def test_scores_that_leave_the_range_of_floats(model: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    model = clone(model).fit(data.X_train * 1e-200, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match="so far from the training rows"):
        model.predict(np.sign(data.X_test_unseen) * 1e150, classes=data.unseen_table)


@pytest.mark.parametrize(
    "model", [JFA(lam=1e50), BilinearSVM(lam=1e300), JFA(omega=(1, 1, 1e12, 1e12)), DirectJFA(omega=(1e10, 1e10, 0, 0))]
)
def test_a_model_that_learned_nothing_says_so(model: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with pytest.warns(UserWarning, match="learned nothing: .* every class scores the same: lower lam"):
        clone(model).fit(data.X_train, data.y_train, classes=data.classes)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (JFA(loss=3), "loss=3 is not known: choose one of 'maximum'"),
        (JFA(solver=None), "solver=None is not known: choose one of 'auto'"),
        (JFA(init=np.zeros((16, 10))), r"init=array\(.* is not known: choose one of 'zeros', 'random'$"),
        (JFA(random_state=-1), "random_state must be None, an int of 0"),
        (SJE(random_state=2**40), "random_state must be None, an int of 0"),
        (DAP(random_state="now"), "random_state must be None, an int of 0"),
        (JFA(margin="zzz"), "margin='zzz' is not a matrix of numbers: give None"),
        (JFA(verbose="maybe"), "verbose must be True or False, got 'maybe'"),
        (JFA(warm_start="maybe"), "warm_start must be True or False, got 'maybe'"),
        (JFA(class_weight="maybe"), "class_weight='maybe' is not known"),
        (JFA(omega=(1e-300, 1, 0, 0)), "omega_1.* is 1e-300, whose square leaves the range of floats"),
        (JFA(omega=(1, 1e300, 0, 0)), r"omega_2.* is 1e\+300, whose square leaves the range of floats"),
        (DirectJFA(omega=(1, 1, 10**400, 0)), "is not a sequence of four numbers"),
        (JFA(lam=10**400), "lam must be a finite number"),
        (SJE(validation_share="zzz"), "validation_share='zzz' is not a share"),
        (DAP(threshold="zzz"), "threshold='zzz' must be one finite number"),
    ],
    ids=str,
)
def test_parameters_that_are_refused(model: ZeroShotClassifier, sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence) as refused:
        clone(model).fit(data.X_train, data.y_train, classes=data.classes)
    assert len(str(refused.value).splitlines()) == 1
