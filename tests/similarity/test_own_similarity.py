"""A similarity of one's own: three methods, and every loss, solver and estimator works with it."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone

from unseen import load, register, save
from unseen.data import make_zero_shot
from unseen.learning import Stochastic
from unseen.models import StructuralSVM
from unseen.selection import ClassDisjointSearch
from unseen.similarity import SIMILARITIES, BilinearSimilarity, Similarity
from unseen.utils.arrays import Array, convert_like, namespace, to_float64, to_numpy
from unseen.utils.errors import InputError


@dataclass(frozen=True, eq=False)
class StudentSimilarity(Similarity):
    """-log(1 + gamma ||W^T phi - psi||^2): an image is mapped next to the description of its class.

    The logarithm is that of Student's distribution in place of the Gaussian: once a class is far it does not matter
    how far, so images that lie far from their class cannot bend W. The larger gamma, the nearer far is.
    """

    gamma: float = 1.0

    def scores(self, phi: Array, psi: Array) -> Array:
        return -namespace(phi).log1p(self.gamma * self._squared_distances(phi, psi))

    def adapt(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        return phi, psi  # nothing moves

    def gradient(self, phi: Array, psi: Array, G: Array) -> Array:
        xp = namespace(phi)
        pull = -2 * self.gamma * G / (1 + self.gamma * self._squared_distances(phi, psi))
        mapped = phi @ convert_like(self.W, phi)
        return to_float64(phi.T @ (xp.sum(pull, axis=1, keepdims=True) * mapped - pull @ convert_like(psi, phi)))

    def _squared_distances(self, phi: Array, psi: Array) -> Array:
        xp = namespace(phi)
        mapped, psi = phi @ convert_like(self.W, phi), convert_like(psi, phi)
        return xp.sum(mapped**2, axis=1)[:, None] + xp.sum(psi**2, axis=1)[None, :] - 2 * mapped @ psi.T


@pytest.fixture(scope="module")
def data():
    return make_zero_shot(
        n_seen=12, n_unseen=4, n_features=20, n_attributes=8, n_per_class=20, noise=0.5, random_state=1
    )


def accuracies(model, data):
    seen = np.mean(model.predict(data.X_test_seen) == data.y_test_seen)
    unseen = np.mean(model.predict(data.X_test_unseen, classes=data.unseen_classes) == data.y_test_unseen)
    return seen, unseen


@pytest.mark.parametrize("gamma", [1.0, 3.0])
def test_gradient_agrees_with_finite_differences(xp, gamma):
    rng = np.random.default_rng(0)
    W, phi, psi, G, direction = (
        xp.asarray(rng.normal(size=shape)) for shape in ((4, 3), (6, 4), (5, 3), (6, 5), (4, 3))
    )
    similarity = StudentSimilarity(gamma).with_weights(W)

    def total(step: float) -> float:
        return float(xp.sum(G * similarity.with_weights(W + step * direction).scores(phi, psi)))

    slope = float(xp.sum(similarity.gradient(phi, psi, G) * direction))
    assert (total(1e-6) - total(-1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("solver", ["smooth", Stochastic(epochs=30, batch_size=32)], ids=["smooth", "stochastic"])
def test_trains_to_recognise_unseen_classes(data, solver):
    model = StructuralSVM(StudentSimilarity(), lam=0.1, solver=solver, random_state=0)
    model.fit(data.X_train, data.y_train, classes=data.classes)
    assert min(accuracies(model, data)) > 0.95
    assert model.objective_ < 0.5 * model.history_[0]


def test_outliers_do_little_harm(data):
    rng = np.random.default_rng(0)
    X = data.X_train.copy()
    spoilt = rng.random(len(X)) < 0.3
    X[spoilt] += 20 * rng.normal(size=(np.sum(spoilt), X.shape[1]))
    ours, bilinear = (
        StructuralSVM(similarity, lam=0.1).fit(X, data.y_train, classes=data.classes)
        for similarity in (StudentSimilarity(), BilinearSimilarity())
    )
    assert min(accuracies(ours, data)) > 0.95
    assert accuracies(bilinear, data)[0] < 0.8


def test_trains_on_torch(data):
    torch = pytest.importorskip("torch")
    settings = {"lam": 0.1, "random_state": 0}
    expected = StructuralSVM(StudentSimilarity(), **settings).fit(data.X_train, data.y_train, classes=data.classes)
    model = StructuralSVM(StudentSimilarity(), **settings)
    model.fit(torch.asarray(data.X_train), data.y_train, classes=data.classes)
    scores = model.decision_function(torch.asarray(data.X_test_unseen), classes=data.unseen_classes)
    assert isinstance(scores, torch.Tensor)
    wanted = expected.decision_function(data.X_test_unseen, classes=data.unseen_classes)
    np.testing.assert_allclose(to_numpy(scores), wanted, atol=1e-2)


def test_a_solver_that_needs_more_refuses_with_a_sentence(data):
    model = StructuralSVM(StudentSimilarity(), loss="maximum", solver="cccp")
    with pytest.raises(InputError, match=r"convex in W, which StudentSimilarity does not promise .*'stochastic'"):
        model.fit(data.X_train, data.y_train, classes=data.classes)


# Parameters of its own


def test_weights_come_beside_the_parameters():
    phi, psi = np.eye(3)[:2], np.eye(2)
    similarity = StudentSimilarity(gamma=2.0)
    assert similarity.parameters() == {"gamma": 2.0}
    assert not similarity.has_weights
    with pytest.raises(InputError, match=r"StudentSimilarity\(gamma=2.0\) has no weights W yet: give them"):
        similarity.scores(phi, psi)
    weighted = similarity.with_weights(np.ones((3, 2)))
    assert type(weighted) is StudentSimilarity
    np.testing.assert_allclose(weighted.scores(phi, psi), -np.log(3.0))
    assert not similarity.has_weights
    nearer = weighted.with_parameters(gamma=0.5)
    np.testing.assert_allclose(nearer.scores(phi, psi), -np.log(1.5))
    assert (weighted.gamma, nearer.gamma) == (2.0, 0.5)
    with pytest.raises(InputError, match="StudentSimilarity has no parameter 'delta': choose among 'gamma'"):
        similarity.with_parameters(delta=1.0)
    with pytest.raises(InputError, match="BilinearSimilarity has no parameter 'gamma': it takes none"):
        BilinearSimilarity().with_parameters(gamma=1.0)


def test_the_parameters_shape_what_is_learned(data):
    models = [
        StructuralSVM(StudentSimilarity(gamma)).fit(data.X_train, data.y_train, classes=data.classes)
        for gamma in (1.0, 4.0)
    ]
    assert [model.similarity_.gamma for model in models] == [1.0, 4.0]
    assert np.abs(models[0].similarity_.W - models[1].similarity_.W).max() > 0.01


def test_scikit_learn_copies_and_sets_them():
    model = StructuralSVM(StudentSimilarity(gamma=2.0), lam=0.1)
    copy = clone(model)
    assert copy.get_params()["similarity__gamma"] == 2.0
    assert "similarity__gamma" not in copy.get_params(deep=False)
    copy.set_params(similarity__gamma=5.0, lam=3.0)
    assert (copy.similarity.gamma, copy.lam, model.similarity.gamma) == (5.0, 3.0, 2.0)
    copy.set_params(similarity=BilinearSimilarity())
    assert "similarity__gamma" not in copy.get_params()
    with pytest.raises(InputError, match="BilinearSimilarity has no parameter 'gamma': it takes none"):
        copy.set_params(similarity__gamma=1.0)


def test_a_search_chooses_among_them(data):
    search = ClassDisjointSearch(StructuralSVM(StudentSimilarity()), {"similarity__gamma": [0.5, 2.0]}, random_state=0)
    search.fit(data.X_train, data.y_train, classes=data.classes)
    assert search.best_estimator_.similarity_.gamma == search.best_params_["similarity__gamma"]


def test_a_model_file_keeps_it_once_it_is_registered(data, tmp_path, monkeypatch):
    monkeypatch.setattr(SIMILARITIES, "_entries", dict(SIMILARITIES))  # as it was, for the tests after this one
    model = StructuralSVM(StudentSimilarity(gamma=2.0)).fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match=r"model\.similarity is StudentSimilarity\(gamma=2.0\), which a model file"):
        save(model, tmp_path / "student.unseen")
    register(StudentSimilarity)
    save(model, tmp_path / "student.unseen")
    again = load(tmp_path / "student.unseen")
    assert (again.similarity.gamma, again.similarity_.gamma) == (2.0, 2.0)
    assert not again.similarity.has_weights
    np.testing.assert_array_equal(again.decision_function(data.X_test_seen), model.decision_function(data.X_test_seen))


def test_a_name_stands_for_a_similarity_that_needs_no_parameters(data):
    named = StructuralSVM("bilinear").fit(data.X_train, data.y_train, classes=data.classes)
    assert isinstance(named.similarity_, BilinearSimilarity)
    with pytest.raises(InputError, match="similarity='adaptive' needs 'omega': give a value"):
        StructuralSVM("adaptive").fit(data.X_train, data.y_train, classes=data.classes)


@pytest.mark.parametrize("wrong", [StudentSimilarity, 3])
def test_what_is_not_a_similarity_is_refused_with_a_sentence(wrong, data):
    with pytest.raises(InputError, match=r"similarity=.* is not a similarity: give an object such as"):
        StructuralSVM(wrong).fit(data.X_train, data.y_train, classes=data.classes)
