"""Classes described anew: everything learned stays, and every layer knows the new descriptions."""

from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA

from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.features import Logit
from unseen.models import ESZSL, JFA, Blend, Calibrated, GaussianJFA, Prepared
from unseen.models.wrappers.redescribed import redescribe
from unseen.transduction import GaussianEM
from unseen.utils.errors import InputError

MODELS = {
    "plain": lambda: JFA(),
    "prepared": lambda: Prepared(ESZSL(), features=PCA(5, random_state=0), descriptions=Logit()),
    "calibrated": lambda: Calibrated(Prepared(GaussianJFA(), descriptions=Logit()), random_state=0),
    "blend": lambda: Calibrated(Blend([ESZSL(), GaussianJFA()], random_state=0), random_state=0),
    "transductive": lambda: GaussianEM(GaussianJFA()),
}


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    data = make_zero_shot(n_seen=8, n_unseen=4, n_features=10, n_attributes=6, n_per_class=10, random_state=0)
    vectors = data.classes.vectors
    shares = (vectors - vectors.min()) / (vectors.max() - vectors.min())
    table = ClassTable(shares, data.classes.labels, [f"a{at}" for at in range(6)])
    return ZeroShotDataset(data.X, data.y, table, data.train, data.test_seen, data.test_unseen)


@pytest.mark.parametrize("kind", MODELS)
def test_labels_stand_for_the_new_descriptions(kind: str, data: ZeroShotDataset) -> None:
    model = MODELS[kind]().fit(data.X_train, data.y_train, classes=data.classes)
    unseen, seen = data.unseen_classes.tolist(), data.seen_classes.tolist()
    turned = data.unseen_table.vectors[::-1]
    new = {label: turned[at] for at, label in enumerate(unseen)} | {"new": data.classes.vectors[0] * 0.9}
    edited = redescribe(model, new)
    X, candidates = data.X_test_unseen, [*unseen, "new"]
    expected = model.predict_proba(X, classes=ClassTable.from_mapping(new))
    np.testing.assert_allclose(edited.predict_proba(X, classes=candidates), expected, atol=1e-12)
    # Others are what they were, and so is the model.
    assert edited.table_.select(seen) == model.table_.select(seen)
    assert "new" not in model.table_
    np.testing.assert_array_equal(model.table_.select(unseen).vectors, data.unseen_table.vectors)


def test_learning_goes_on_with_the_new_descriptions(data: ZeroShotDataset) -> None:
    label = data.unseen_classes[0]
    new = {label: data.classes.vectors[0] * 0.5}
    rows = data.X_test_unseen[data.y_test_unseen == label][:5]
    model = Calibrated(GaussianJFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    edited = redescribe(model, new).partial_fit(rows, [label] * 5)
    vectors = np.array(data.classes.vectors)
    vectors[data.classes.index_of([label])] = new[label]
    other = Calibrated(GaussianJFA(), random_state=0)
    other = other.fit(data.X_train, data.y_train, classes=ClassTable(vectors, data.classes.labels))
    other.partial_fit(rows, [label] * 5)
    found, expected = (one.decision_function(data.X_test_unseen, data.classes.labels) for one in (edited, other))
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("classes", [{"new": [1.0]}, {"new": ["red"] * 6}, {}])
def test_wrong_descriptions_are_refused(data: ZeroShotDataset, classes: Any) -> None:
    model = ESZSL().fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError):
        redescribe(model, classes)
