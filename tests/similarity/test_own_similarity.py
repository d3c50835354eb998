"""A similarity of one's own: four methods, and every loss, solver and estimator works with it."""

from dataclasses import dataclass

import numpy as np
import pytest

from unseen.data import make_zero_shot
from unseen.learning import Stochastic
from unseen.models import StructuralSVM
from unseen.similarity import BilinearSimilarity, Similarity
from unseen.utils.arrays import Array, float64, like, namespace, to_numpy
from unseen.utils.errors import InputError


@dataclass(frozen=True, eq=False)
class StudentSimilarity(Similarity):
    """-log(1 + ||W^T phi - psi||^2): an image is mapped next to the description of its class.

    The logarithm is that of Student's distribution in place of the Gaussian: once a class is far it does not matter
    how far, so images that lie far from their class cannot bend W.
    """

    W: Array

    def replace(self, W: Array) -> "StudentSimilarity":
        return StudentSimilarity(W)

    def scores(self, phi: Array, psi: Array) -> Array:
        return -namespace(phi).log1p(self._squared_distances(phi, psi))

    def adapt(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        return phi, psi  # nothing moves

    def gradient(self, phi: Array, psi: Array, G: Array) -> Array:
        xp = namespace(phi)
        pull = -2 * G / (1 + self._squared_distances(phi, psi))
        mapped = phi @ like(self.W, phi)
        return float64(phi.T @ (xp.sum(pull, axis=1, keepdims=True) * mapped - pull @ like(psi, phi)))

    def _squared_distances(self, phi: Array, psi: Array) -> Array:
        xp = namespace(phi)
        mapped, psi = phi @ like(self.W, phi), like(psi, phi)
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


def test_gradient_agrees_with_finite_differences(xp):
    rng = np.random.default_rng(0)
    W, phi, psi, G, direction = (
        xp.asarray(rng.normal(size=shape)) for shape in ((4, 3), (6, 4), (5, 3), (6, 5), (4, 3))
    )
    similarity = StudentSimilarity(W)

    def total(step: float) -> float:
        return float(xp.sum(G * similarity.replace(W + step * direction).scores(phi, psi)))

    slope = float(xp.sum(similarity.gradient(phi, psi, G) * direction))
    assert (total(1e-6) - total(-1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("solver", ["smooth", Stochastic(epochs=30, batch_size=32)], ids=["smooth", "stochastic"])
def test_trains_to_recognise_unseen_classes(data, solver):
    model = StructuralSVM(StudentSimilarity, lam=0.1, solver=solver, random_state=0)
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
        for similarity in (StudentSimilarity, BilinearSimilarity)
    )
    assert min(accuracies(ours, data)) > 0.95
    assert accuracies(bilinear, data)[0] < 0.8


def test_trains_on_torch(data):
    torch = pytest.importorskip("torch")
    settings = {"lam": 0.1, "random_state": 0}
    expected = StructuralSVM(StudentSimilarity, **settings).fit(data.X_train, data.y_train, classes=data.classes)
    model = StructuralSVM(StudentSimilarity, **settings)
    model.fit(torch.asarray(data.X_train), data.y_train, classes=data.classes)
    scores = model.decision_function(torch.asarray(data.X_test_unseen), classes=data.unseen_classes)
    assert isinstance(scores, torch.Tensor)
    wanted = expected.decision_function(data.X_test_unseen, classes=data.unseen_classes)
    np.testing.assert_allclose(to_numpy(scores), wanted, atol=1e-2)


def test_a_solver_that_needs_more_refuses_with_a_sentence(data):
    model = StructuralSVM(StudentSimilarity, loss="maximum", solver="cccp")
    with pytest.raises(InputError, match=r"convex in W, which StudentSimilarity does not promise .*'stochastic'"):
        model.fit(data.X_train, data.y_train, classes=data.classes)
