import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from unseen.data import ClassTable
from unseen.features import SimplexCoder, Whitening
from unseen.models import ESZSL, BilinearSVM
from unseen.models.wrappers.prepared import Prepared
from unseen.utils.errors import InputError


@pytest.fixture(scope="module")
def prepared(data):
    model = Prepared(ESZSL(), features=make_pipeline(StandardScaler(), PCA(8)), descriptions=SimplexCoder(gamma=0.1))
    return model.fit(data.X_train, data.y_train, classes=data.classes)


@pytest.mark.parametrize("features", [None, StandardScaler()])
def test_passes_all_checks_of_scikit_learn(features):
    check_estimator(Prepared(ESZSL(), features=features, descriptions=SimplexCoder()), on_skip=None)


def test_is_the_same_as_preparing_by_hand(prepared, data):
    features = make_pipeline(StandardScaler(), PCA(8)).fit(data.X_train)
    coder = SimplexCoder(gamma=0.1).fit(data.seen_table.vectors)
    table = ClassTable(coder.transform(data.classes.vectors), data.classes.labels)
    model = ESZSL().fit(features.transform(data.X_train), data.y_train, classes=table)
    phi = features.transform(data.X_test_unseen)
    for method in ("predict", "decision_function", "predict_proba"):
        for classes in (data.unseen_classes, data.unseen_classes[::-1], None):
            expected = getattr(model, method)(phi, classes)
            found = getattr(prepared, method)(data.X_test_unseen, classes)
            if method == "predict":
                np.testing.assert_array_equal(found, expected)
            else:
                np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_preparation_comes_from_training_rows_and_seen_classes_only(prepared, data):
    np.testing.assert_allclose(prepared.features_[0].mean_, data.X_train.mean(axis=0))
    assert len(prepared.descriptions_.atoms_) == len(data.seen_classes)
    fewer = clone(prepared).fit(data.X_train, data.y_train, classes=data.seen_table)
    np.testing.assert_allclose(fewer.model_.V_, prepared.model_.V_)
    np.testing.assert_array_equal(
        fewer.predict(data.X_test_unseen, classes=data.unseen_table),
        prepared.predict(data.X_test_unseen, classes=data.unseen_classes),
    )


def test_recognises_unseen_classes(prepared, data):
    predicted = prepared.predict(data.X_test_unseen, classes=data.unseen_classes)
    assert np.mean(predicted == data.y_test_unseen) > 5 / len(data.unseen_classes)


def test_parameters_of_the_parts_can_be_set(prepared):
    changed = clone(prepared).set_params(model__lam=3.0, features__pca__n_components=2, descriptions__gamma=5)
    assert (changed.model.lam, changed.features["pca"].n_components, changed.descriptions.gamma) == (3.0, 2, 5)
    assert prepared.descriptions.gamma == 0.1


def test_the_parts_given_stay_unfitted(prepared):
    assert not hasattr(prepared.model, "V_")
    assert not hasattr(prepared.descriptions, "atoms_")


def test_without_preparation_it_is_the_model(data):
    bare, model = (m.fit(data.X_train, data.y_train, classes=data.classes) for m in (Prepared(ESZSL()), ESZSL()))
    np.testing.assert_array_equal(bare.model_.V_, model.V_)
    assert bare.n_features_in_ == data.X.shape[1]


def test_half_precision_is_widened_before_anything_else(data):
    # Squares beyond 255 overflow in half precision, which scikit-learn's Normalizer computes in.
    X = (1000 * data.X_train).astype(np.float16)
    model = Prepared(ESZSL(), features=Normalizer()).fit(X, data.y_train, classes=data.classes)
    assert model.score(X, data.y_train) > 0.5


def test_features_need_not_be_numbers(data):
    # What an encoder of images or texts takes: here names of rows.
    lookup = FunctionTransformer(lambda names: data.X[[int(name.split()[1]) for name in names]])
    names = [f"row {at}" for at in range(len(data.X))]
    train, test = [names[at] for at in data.train], [names[at] for at in data.test_unseen]
    model = Prepared(ESZSL(), features=lookup).fit(train, data.y_train, classes=data.classes)
    expected = ESZSL().fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_array_equal(
        model.predict(test, classes=data.unseen_classes), expected.predict(data.X_test_unseen, data.unseen_classes)
    )


def test_other_forms_of_candidates(prepared, data):
    mapping = dict(zip(data.unseen_table.labels.tolist(), data.unseen_table.vectors, strict=True))
    np.testing.assert_array_equal(
        prepared.predict(data.X_test_unseen, classes=mapping),
        prepared.predict(data.X_test_unseen, classes=data.unseen_table),
    )


@pytest.mark.parametrize(
    ("classes", "sentence"),
    [
        (["no class"], "does not describe: 'no class'"),
        (ClassTable.one_hot(["a", "b"]), "classes has descriptions of width 2, but the model was fitted on width 10"),
    ],
)
def test_bad_candidates_get_a_sentence(prepared, data, classes, sentence):
    with pytest.raises(InputError, match=sentence):
        prepared.predict(data.X_test_unseen, classes=classes)


def test_survives_pickling(prepared, data):
    copy = pickle.loads(pickle.dumps(prepared))
    np.testing.assert_array_equal(
        copy.predict(data.X_test_unseen, data.unseen_classes), prepared.predict(data.X_test_unseen, data.unseen_classes)
    )


@pytest.mark.parametrize("model", [ESZSL(), BilinearSVM()], ids=["with fit_grid", "without"])
def test_a_grid_agrees_with_single_fits(data, model):
    grid = ParameterGrid(
        {"descriptions": [None, SimplexCoder(0.1)], "features__n_components": [4, 8], "model__lam": [0.1, 10]}
    )
    prepared = Prepared(model, features=PCA(random_state=0))
    for point, found in zip(grid, prepared.fit_grid(data.X_train, data.y_train, data.classes, list(grid)), strict=True):
        single = clone(prepared).set_params(**point).fit(data.X_train, data.y_train, classes=data.classes)
        assert repr(found) == repr(single)
        np.testing.assert_allclose(
            found.decision_function(data.X_test_unseen, data.unseen_classes),
            single.decision_function(data.X_test_unseen, data.unseen_classes),
            rtol=1e-6,
            atol=1e-9,
        )
    assert prepared.model is model


def test_features_are_prepared_once_for_all_preparations_of_descriptions(data):
    fitted = []

    class Noting(PCA):
        def fit_transform(self, X, y=None):
            fitted.append(self.n_components)
            return super().fit_transform(X, y)

    prepared = Prepared(ESZSL(), features=Noting(4))
    points = list(ParameterGrid({"descriptions": [None, SimplexCoder(0.1), Whitening()], "model__lam": [0.1, 10]}))
    assert len(list(prepared.fit_grid(data.X_train, data.y_train, data.classes, points))) == len(points) == 6
    assert fitted == [4]
    narrower = [{"features__n_components": 3, "descriptions": None}, {"features__n_components": 2}]
    models = prepared.fit_grid(data.X_train, data.y_train, data.classes, narrower)
    assert [model.features_.n_components for model in models] == [3, 2]


def test_models_of_a_grid_keep_their_own_parameters(data):
    models = list(
        Prepared(ESZSL()).fit_grid(data.X_train, data.y_train, data.classes, [{"model__lam": 1}, {"model__lam": 2}])
    )
    assert [(model.model.lam, model.model_.lam) for model in models] == [(1, 1), (2, 2)]


@pytest.mark.parametrize("routing", [True, False])
def test_the_model_may_be_a_pipeline(data, routing):
    with sklearn.config_context(enable_metadata_routing=routing):
        last = ESZSL()
        if routing:
            last = last.set_fit_request(classes=True).set_predict_request(classes=True)
        model = Prepared(make_pipeline(PCA(8), last), descriptions=SimplexCoder())
        model.fit(data.X_train, data.y_train, classes=data.classes)
        assert model.predict(data.X_test_unseen, classes=data.unseen_classes).shape == data.y_test_unseen.shape


def test_takes_its_place_in_a_pipeline(data):
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), Prepared(ESZSL(), descriptions=SimplexCoder()))
        pipeline.fit(data.X_train, data.y_train, classes=data.classes)
        scores = pipeline.decision_function(data.X_test_unseen, classes=data.unseen_classes)
        labels = pipeline.predict(data.X_test_unseen, classes=data.unseen_classes)
    np.testing.assert_array_equal(data.unseen_classes[scores.argmax(axis=1)], labels)
