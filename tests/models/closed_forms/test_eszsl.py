"""ESZSL's way through a whole grid at once."""

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid

from unseen.models import ESZSL
from unseen.utils.errors import InputError

GRID = list(ParameterGrid({"gamma": 10.0 ** np.arange(-3, 4), "lam": 10.0 ** np.arange(-3, 4)}))


@pytest.mark.parametrize("scaling", ["auto", None])
def test_a_grid_agrees_with_single_fits(data, scaling):
    X = data.X_test_unseen
    models = ESZSL(scaling=scaling).fit_grid(data.X_train, data.y_train, data.classes, GRID)
    for point, model in zip(GRID, models, strict=True):
        single = ESZSL(**point, scaling=scaling).fit(data.X_train, data.y_train, classes=data.classes)
        assert model.get_params() == single.get_params()
        np.testing.assert_allclose(model.V_, single.V_, atol=1e-9 * np.abs(single.V_).max())
        for classes in (data.unseen_classes, None):
            expected = single.decision_function(X, classes)
            np.testing.assert_allclose(
                model.decision_function(X, classes), expected, atol=1e-9 * np.abs(expected).max()
            )


def test_models_of_a_grid_are_independent(data):
    grid = [{"gamma": 0.001}, {"gamma": 1000.0}]
    models = list(ESZSL().fit_grid(data.X_train, data.y_train, data.classes, grid))
    one, two, again = (models[at].decision_function(data.X_test_unseen, data.unseen_classes) for at in (0, 1, 0))
    assert not np.allclose(one, two)
    np.testing.assert_array_equal(one, again)
    assert not hasattr(models[0], "_problem")


def test_a_grid_may_change_other_parameters(data):
    grid = [{"scaling": scaling, "lam": lam} for scaling in ("auto", None) for lam in (0.1, 1.0)]
    for point, model in zip(grid, ESZSL().fit_grid(data.X_train, data.y_train, data.classes, grid), strict=True):
        single = ESZSL(**point).fit(data.X_train, data.y_train, classes=data.classes)
        np.testing.assert_allclose(model.V_, single.V_, atol=1e-9 * np.abs(single.V_).max())


def test_runs_on_every_array_library(xp, data):
    X = xp.asarray(data.X_train)
    (model,) = ESZSL().fit_grid(X, data.y_train, data.classes, [{"gamma": 0.1}])
    expected = ESZSL(gamma=0.1).fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_allclose(np.asarray(model.V_), expected.V_, atol=1e-9)


def test_every_point_is_checked(data):
    with pytest.raises(InputError, match="lam must be a finite number above 0, got 0"):
        list(ESZSL().fit_grid(data.X_train, data.y_train, data.classes, [{"lam": 1}, {"lam": 0}]))
