import numpy as np
import pytest
import sklearn
from sklearn.decomposition import PCA
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unseen.models import ESZSL, SJE
from unseen.selection.grid import GridFitter, clone_at_point, fit, fit_grid, group_runs, list_grid_points
from unseen.utils.errors import InputError


def test_points_of_every_kind_of_grid():
    expected = [{"gamma": 1}, {"gamma": 2}]
    assert list_grid_points(ESZSL(), {"gamma": [1, 2]}) == expected
    assert list_grid_points(ESZSL(), [{"gamma": [1]}, {"gamma": [2]}]) == expected
    assert list_grid_points(ESZSL(), ParameterGrid({"gamma": [1, 2]})) == expected
    assert len(list_grid_points(ESZSL(), ParameterSampler({"gamma": [1, 2, 3]}, 2))) == 2
    assert list_grid_points(ESZSL(), {}) == [{}]


@pytest.mark.parametrize(
    ("grid", "sentence"),
    [
        ({"gama": [1]}, "grid has a point that the estimator does not take: Invalid parameter 'gama'"),
        ({"gamma": 1}, "grid cannot be read .*: give a mapping from parameter names to lists"),
        ({"gamma": []}, "grid cannot be read"),
        ([], "grid has no points"),
        (3, "grid cannot be read"),
    ],
)
def test_bad_grids_get_a_sentence(grid, sentence):
    with pytest.raises(InputError, match=sentence):
        list_grid_points(ESZSL(), grid)


def test_estimators_in_a_point_are_not_shared():
    point = {"standardscaler": StandardScaler(with_mean=False)}
    pipeline = clone_at_point(make_pipeline(StandardScaler(), ESZSL()), point)
    assert pipeline["standardscaler"] is not point["standardscaler"]
    assert not pipeline["standardscaler"].with_mean


def test_runs_compare_arrays_and_estimators():
    points = [{"a": np.arange(3), "pca": PCA(2), "lam": lam} for lam in (1, 2)] + [{"a": np.arange(4), "lam": 3}]
    found = list(group_runs(points, lambda name: name == "lam"))
    assert [varied for _, varied in found] == [[{"lam": 1}, {"lam": 2}], [{"lam": 3}]]


def test_one_by_one_without_the_estimators_help(data):
    assert not isinstance(SJE(), GridFitter)
    models = list(fit_grid(SJE(), data.X_train, data.y_train, data.classes, [{"step": 0.1}, {"step": 0.2}]))
    assert [model.step for model in models] == [0.1, 0.2]
    assert all(hasattr(model, "W_") for model in models)


@pytest.mark.parametrize("routing", [True, False])
def test_pipelines_get_the_class_table_with_and_without_routing(data, routing):
    with sklearn.config_context(enable_metadata_routing=routing):
        model = ESZSL()
        if routing:
            model = model.set_fit_request(classes=True)
        pipeline = fit(make_pipeline(StandardScaler(), model), data.X_train, data.y_train, data.classes)
    assert pipeline[-1].table_ is data.classes
