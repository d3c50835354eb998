"""A FAISS index finds what scoring all candidates finds."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.files.export import ClassIndex
from unseen.files.export.short_lists import find_directions
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


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 400), top=st.integers(1, 20), narrow=st.booleans(), seed=st.integers(0, 1000))
def test_a_search_of_all_cells_is_exact(n: int, top: int, narrow: bool, seed: int) -> None:
    sizes = {"n_seen": 5, "n_unseen": 3, "n_features": 9 if narrow else 4, "n_attributes": 6, "n_per_class": 4}
    data = make_zero_shot(**sizes, random_state=seed)
    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    classes = ClassTable(np.random.default_rng(seed).standard_normal((n, 6)), np.arange(n))
    exact = ClassIndex(model, classes).search(data.X_test_unseen, top)
    index = ClassIndex(model, classes, "ivf")
    for one, two in zip(index.search(data.X_test_unseen, top, effort=max(1, round(n**0.5))), exact, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize("effort", [1, 8])
def test_short_lists_have_true_scores(model, effort: int, data: ZeroShotDataset, many: ClassTable) -> None:
    model.fit(data.X_train, data.y_train, classes=data.classes)
    found = ClassIndex(model, many, "ivf").search(data.X_test_unseen, top=3, effort=effort)
    # One cell may hold fewer than three classes.
    rows, ranks = np.nonzero(found.labels != np.array(None))
    assert len(rows) > len(found.labels)
    true = model.decision_function(data.X_test_unseen, classes=many)
    places = many.index_of(found.labels[rows, ranks])
    np.testing.assert_allclose(found.scores[rows, ranks], true[rows, places], rtol=1e-4, atol=1e-5)
    assert (np.diff(found.scores, axis=1) <= 0).all()


def test_what_few_cells_do_not_hold_is_none(data: ZeroShotDataset, many: ClassTable) -> None:
    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    found = ClassIndex(model, many, "ivf").search(data.X_test_unseen, top=2000, effort=1)
    assert None in found.labels


def test_classes_that_are_all_alike(data: ZeroShotDataset) -> None:
    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    alike = ClassTable(np.repeat(data.classes.vectors[:1], 50, axis=0), np.arange(50))
    found = ClassIndex(model, alike, "ivf").search(data.X_test_unseen)
    true = model.decision_function(data.X_test_unseen, classes=alike)[:, :1]
    np.testing.assert_allclose(found.scores, true, rtol=1e-4, atol=1e-5)


def test_short_vectors_keep_the_scores() -> None:
    random = np.random.default_rng(0)
    # Queries hardly vary where classes vary most.
    spread = np.geomspace(1, 1e-4, 40)
    queries = (random.standard_normal((300, 40)) * spread).astype(np.float32)
    vectors = (random.standard_normal((500, 40)) / np.sqrt(spread)).astype(np.float32)
    for_queries, for_classes = find_directions(vectors, np.diag(spread**2))
    assert for_queries.shape == for_classes.shape
    assert for_classes.shape[1] < 40
    scores = queries @ (vectors - vectors.mean(axis=0)).T
    lost = scores - queries @ for_queries @ (for_classes.T @ (vectors - vectors.mean(axis=0)).T)
    assert np.var(lost) < 0.02 * np.var(scores)


def test_another_program_searches_the_file(data: ZeroShotDataset, many: ClassTable, tmp_path: Path) -> None:
    import faiss

    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    index = ClassIndex(model, many, "ivf")
    index.write(tmp_path / "m.faiss")
    scores, places = faiss.read_index(str(tmp_path / "m.faiss")).search(index.queries(data.X_test_unseen), 1)
    found = index.search(data.X_test_unseen)
    np.testing.assert_array_equal(many.labels[places], found.labels)
    np.testing.assert_array_equal(scores, found.scores)


def test_files_from_before_short_lists_are_read(data: ZeroShotDataset, many: ClassTable, tmp_path: Path) -> None:
    import faiss

    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    flat = ClassIndex(model, many)
    earlier = faiss.index_factory(flat.index.d, "IVF55,Flat", faiss.METRIC_INNER_PRODUCT)
    vectors = flat.index.reconstruct_n(0, len(many))
    earlier.train(vectors)
    earlier.add(vectors)
    faiss.write_index(earlier, str(tmp_path / "m.faiss"))
    again = ClassIndex.read(tmp_path / "m.faiss", model, many.labels)
    found = again.search(data.X_test_unseen, effort=55)
    np.testing.assert_array_equal(found.labels, flat.search(data.X_test_unseen).labels)


@pytest.mark.parametrize("effort", [0, -3, 2.5])
def test_an_effort_that_is_not_a_number_of_cells(effort, data: ZeroShotDataset, many: ClassTable) -> None:
    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match=f"effort.*{effort}"):
        ClassIndex(model, many, "ivf").search(data.X_test_unseen, effort=effort)


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
