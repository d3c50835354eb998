"""Learning goes on through wrappers, where the model inside can."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.features import UnitNorm, Whitening
from unseen.models import ESZSL, Blend, Calibrated, GaussianJFA, Prepared
from unseen.utils.errors import InputError

FIXED = GaussianJFA("rbf", width=1.0, ridge=0.1, within_shrinkage=1.0, between_shrinkage=0.5)

WRAPPED = {
    "prepared": Prepared(FIXED, features=PCA(8), descriptions=Whitening()),
    "calibrated": Calibrated(FIXED, random_state=0),
    "both": Calibrated(Prepared(FIXED, features=UnitNorm()), random_state=0),
    "blend": Blend([FIXED, GaussianJFA("linear")], random_state=0),
}


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 10, "n_unseen": 5, "n_features": 12, "n_attributes": 8, "n_per_class": 6}
    return make_zero_shot(**sizes, noise=1.0, random_state=2)


@pytest.mark.parametrize("model", WRAPPED.values(), ids=WRAPPED.keys())
def test_a_few_rows_make_an_unseen_class_a_seen_one(model, data: ZeroShotDataset) -> None:
    X, y = data.X_test_unseen[::3], data.y_test_unseen[::3]
    rest = np.setdiff1d(np.arange(len(data.y_test_unseen)), np.arange(0, len(data.y_test_unseen), 3))
    asked = (data.X_test_unseen[rest], data.unseen_table)
    model.fit(data.X_train, data.y_train, classes=data.seen_table)
    before = np.mean(model.predict(*asked) == data.y_test_unseen[rest])
    scores = model.decision_function(*asked)
    with pytest.raises(InputError, match="does not describe"):
        model.partial_fit(X, y)
    np.testing.assert_array_equal(model.decision_function(*asked), scores)
    assert model.partial_fit(X, y, classes=data.unseen_table) is model
    np.testing.assert_array_equal(model.classes_, np.unique(data.y))
    assert len(model.table_) == len(data.classes)
    assert np.mean(model.predict(*asked) == data.y_test_unseen[rest]) > before
    # Seen classes are the candidates where none are named, and the new ones are among them now.
    assert set(np.unique(y)) <= set(model.predict(data.X_test_unseen))


def test_rows_and_descriptions_are_prepared_as_before(data: ZeroShotDataset) -> None:
    model = Prepared(FIXED, features=PCA(8), descriptions=Whitening())
    model.partial_fit(data.X_train, data.y_train, classes=data.seen_table)
    features, descriptions = model.features_, model.descriptions_
    model.partial_fit(data.X_test_unseen, data.y_test_unseen, classes=data.unseen_table)
    assert model.features_ is features
    assert model.descriptions_ is descriptions
    table = data.seen_table.concat(data.unseen_table)
    prepared = type(table)(descriptions.transform(table.vectors), table.labels)
    alone = Prepared(FIXED).fit(features.transform(data.X_train), data.y_train, classes=prepared)
    alone.partial_fit(features.transform(data.X_test_unseen), data.y_test_unseen)
    np.testing.assert_allclose(
        model.decision_function(data.X, classes=data.classes),
        alone.decision_function(features.transform(data.X), classes=prepared.select(data.classes.labels)),
        rtol=1e-8,
        atol=1e-8,
    )


@pytest.mark.parametrize("model", [Prepared(ESZSL()), Calibrated(ESZSL()), Blend([GaussianJFA(), ESZSL()])])
def test_what_cannot_go_on_says_so(model, data: ZeroShotDataset) -> None:
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        model.partial_fit(data.X_train, data.y_train)
    assert "ESZSL cannot go on learning" in str(caught.value.__cause__ or caught.value)


def test_a_class_described_otherwise_is_refused(data: ZeroShotDataset) -> None:
    model = Prepared(FIXED).fit(data.X_train, data.y_train, classes=data.seen_table)
    wrong = type(data.seen_table)(data.seen_table.vectors[::-1], data.seen_table.labels)
    with pytest.raises(InputError, match=r"otherwise than before: leave it out, or fit a model"):
        model.partial_fit(data.X_train, data.y_train, classes=wrong)
