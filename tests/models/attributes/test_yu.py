"""Yu's model against a search for its code book, a regression on the rows and explicit loops over classes."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import Ridge

from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import Yu
from unseen.models.attributes.yu import design_codes
from unseen.selection.grid import fit_grid
from unseen.utils.errors import InputError


def make_similarities(k: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    similarities = np.maximum(rng.normal(size=(k, k)), 0)
    return (similarities + similarities.T) * (1 - np.eye(k))


def objective(codes: np.ndarray, similarities: np.ndarray, lam: float) -> float:
    """The objective pair by pair, in units of what a unit vector orthogonal to 1 has without similarities."""
    k, apart, similar = len(codes), 0.0, 0.0
    for i in range(k):
        for j in range(k):
            distance = ((codes[i] - codes[j]) ** 2).sum()
            apart += distance / (k * (k - 1))
            similar += similarities[i, j] * distance / similarities.sum()
    return (apart - lam * similar) * (k - 1) / 2


@pytest.mark.parametrize("lam", [0.3, 1.0])
def test_no_other_code_book_has_a_larger_objective(lam):
    similarities = make_similarities(6)
    codes, gains = design_codes(similarities, lam, n_attributes=2)
    np.testing.assert_allclose(codes.T @ codes, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(codes.sum(axis=0), 0, atol=1e-12)
    assert objective(codes, similarities, lam) == pytest.approx(gains.sum())

    def loss(flat):
        orthogonal, _ = np.linalg.qr(flat.reshape(6, 2))
        return -objective(orthogonal, similarities, lam)

    starts = np.random.default_rng(1).normal(size=(2, 12))
    assert max(-minimize(loss, start).fun for start in starts) == pytest.approx(gains.sum(), abs=1e-6)


def test_lam_says_how_many_attributes_gain():
    similarities = make_similarities(8)
    many, _ = design_codes(similarities, 0.2)
    few, gains = design_codes(similarities, 1.2)
    assert many.shape == (8, 7)
    assert 1 <= few.shape[1] < 7
    assert (np.diff(gains) <= 0).all()
    # The same vectors, smoothest first, up to their signs.
    np.testing.assert_allclose(np.abs(np.sum(many[:, : few.shape[1]] * few, axis=0)), 1)
    with pytest.raises(InputError, match="lam=1000 is so large"):
        design_codes(similarities, 1000)


def score_slowly(model: Yu, data: ZeroShotDataset) -> np.ndarray:
    """The scores of unseen classes, class by class, from a regression of each designed attribute."""
    _, y = np.unique(data.y_train, return_inverse=True)
    phi, test = (model._feature_scaling.apply(X) for X in (data.X_train, data.X_test_unseen))
    unit = phi.var(axis=0).mean()
    codes = Ridge(alpha=model.gamma * unit * len(phi)).fit(phi, model.codes_[y]).predict(test)
    seen = data.seen_table.vectors - data.seen_table.vectors.mean(axis=0)
    scores = []
    for vector in data.unseen_table.vectors - data.seen_table.vectors.mean(axis=0):
        cosines = [vector @ other / np.linalg.norm(vector) / np.linalg.norm(other) for other in seen]
        code = np.zeros(model.codes_.shape[1])
        for at in np.argsort(cosines)[-model.n_similar :]:
            code += max(cosines[at], 0) * model.codes_[at]
        scores.append(codes @ code / np.linalg.norm(code))
    return np.stack(scores, axis=1)


def test_unseen_classes_are_mixed_from_similar_ones(data):
    model = Yu(0.9, n_similar=3).fit(data.X_train, data.y_train, classes=data.classes)
    found = model.decision_function(data.X_test_unseen, classes=data.unseen_table)
    np.testing.assert_allclose(found, score_slowly(model, data), rtol=1e-6, atol=1e-9)


def test_similarities_may_be_given(data):
    seen, table = data.seen_table.vectors, data.classes
    centred = (table.vectors - seen.mean(axis=0)) / np.linalg.norm(table.vectors - seen.mean(axis=0), axis=1)[:, None]
    cosines = centred @ centred[table.index_of(data.seen_classes)].T
    order = np.arange(len(data.seen_classes))[::-1]
    named = ClassTable(cosines[:, order], table.labels, [str(label) for label in data.seen_classes[order]])
    expected = Yu().fit(data.X_train, data.y_train, classes=table).decision_function(data.X_test_unseen, table)
    for given in (named, ClassTable(cosines, table.labels)):
        model = Yu(similarity="given").fit(data.X_train, data.y_train, classes=given)
        np.testing.assert_allclose(model.decision_function(data.X_test_unseen, given), expected, atol=1e-9)
        parts = model.contributions(data.X_test_unseen, data.y_test_unseen)
        scores = expected[np.arange(len(parts)), table.index_of(data.y_test_unseen)]
        np.testing.assert_allclose(parts.sum(axis=1), scores, atol=1e-9)


def test_classes_without_a_column_are_named(data):
    with pytest.raises(InputError, match="similarity='given', but classes has no column for the seen classes"):
        Yu(similarity="given").fit(data.X_train, data.y_train, classes=data.classes)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"lam": -1}, "lam must be a finite number of at least 0"),
        ({"gamma": 0}, "gamma must be a finite number above 0"),
        ({"n_similar": 0}, "n_similar must be a whole number"),
        ({"n_attributes": 1.5}, "n_attributes must be a whole number"),
        ({"similarity": "mine"}, "similarity='mine' is not known"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence, data):
    with pytest.raises(InputError, match=sentence):
        Yu(**parameters).fit(data.X_train, data.y_train, classes=data.classes)


def test_a_grid_shares_the_rows(data):
    points = [{"gamma": g, "lam": lam, "n_similar": n} for g in (0.1, 10.0) for lam in (0.0, 1.0) for n in (2, None)]
    for model, point in zip(fit_grid(Yu(), data.X_train, data.y_train, data.classes, points), points, strict=True):
        alone = Yu(**point).fit(data.X_train, data.y_train, classes=data.classes)
        scores = [one.decision_function(data.X_test_unseen, data.classes) for one in (model, alone)]
        np.testing.assert_allclose(*scores, rtol=1e-6, atol=1e-9)
