"""A FAISS index finds what scoring all candidates finds."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA

from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.files.export import ClassIndex
from unseen.models import DAP, ESZSL, JFA, Blend, Calibrated, ConSE, GaussianJFA, Prepared
from unseen.transduction import PST
from unseen.utils.errors import InputError

pytest.importorskip("faiss")


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 12, "n_unseen": 6, "n_features": 9, "n_attributes": 7, "n_per_class": 8}
    return make_zero_shot(**sizes, random_state=0)


@pytest.fixture(scope="module")
def many(data: ZeroShotDataset) -> ClassTable:
    random = np.random.default_rng(0)
    mixed = random.dirichlet(np.ones(len(data.classes)), size=3000) @ data.classes.vectors
    return ClassTable(mixed, [f"class {at}" for at in range(3000)])


MODELS = {
    "fewer attributes than features": JFA(),
    "fewer features than attributes": Prepared(JFA(), features=PCA(4)),
    "calibrated": Calibrated(ESZSL(), random_state=0),
    "affine only": DAP(random_state=0),
    "gaussian": GaussianJFA(),
    "blend": Blend([JFA(), DAP(random_state=0)], random_state=0),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_the_flat_index_is_exact(model, data: ZeroShotDataset, many: ClassTable) -> None:
    model.fit(data.X_train, data.y_train, classes=data.classes)
    index = ClassIndex(model, many)
    found = index.search(data.X_test_unseen, top=5)
    scores = model.decision_function(data.X_test_unseen, classes=many)
    best = np.sort(scores, axis=1)[:, ::-1][:, :5]
    np.testing.assert_allclose(found.scores, best, rtol=1e-4, atol=1e-5)
    places = many.index_of(found.labels.ravel()).reshape(found.labels.shape)
    np.testing.assert_allclose(np.take_along_axis(scores, places, axis=1), best, rtol=1e-4, atol=1e-5)
    width = {"JFA": 8, "Prepared": 5, "Calibrated": 8, "DAP": 10, "GaussianJFA": 10, "Blend": 17}[type(model).__name__]
    assert index.index.d == width


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
def test_quicker_indices_find_most(kind, data: ZeroShotDataset, many: ClassTable) -> None:
    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    index = ClassIndex(model, many, kind)
    exact = model.predict(data.X_test_unseen, classes=many)
    assert np.mean(index.search(data.X_test_unseen, effort=200).labels[:, 0] == exact) > 0.9


def test_an_index_in_a_file(data: ZeroShotDataset, many: ClassTable, tmp_path: Path) -> None:
    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    index = ClassIndex(model, many, "ivf")
    index.write(tmp_path / "m.faiss")
    again = ClassIndex.read(tmp_path / "m.faiss", model, many.labels)
    for one, two in zip(index.search(data.X_test_unseen, 3), again.search(data.X_test_unseen, 3), strict=True):
        np.testing.assert_array_equal(one, two)
    with pytest.raises(InputError, match="exists already"):
        index.write(tmp_path / "m.faiss")
    with pytest.raises(InputError, match="has 3000 classes"):
        ClassIndex.read(tmp_path / "m.faiss", model, many.labels[:10])
    (tmp_path / "other").write_text("nothing of the sort")
    with pytest.raises(InputError, match="is not a FAISS index"):
        ClassIndex.read(tmp_path / "other", model, many.labels)


def test_what_cannot_be_indexed_is_refused(data: ZeroShotDataset, many: ClassTable) -> None:
    model = ConSE().fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match="are not inner products"):
        ClassIndex(model, many)
    refined = PST(JFA()).fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match=r"answers whole batches.*give the model inside it"):
        ClassIndex(refined, many)
    with pytest.raises(InputError, match="kind='flatt' is not known"):
        ClassIndex(JFA().fit(data.X_train, data.y_train, classes=data.classes), many, "flatt")
