"""A similarity of your own.

How alike an image and a class are is one object. Write three methods, and every loss, solver and estimator takes it.
"""

#: This one maps an image next to the description of its class and measures the squared distance.
import numpy as np

from unseen import load_dataset
from unseen.models import StructuralSVM
from unseen.similarity import Similarity
from unseen.utils.arrays import Array, convert_like, namespace, to_float64


class NearestDescription(Similarity):
    """-|W^T phi - psi|^2 / 2, less what is the same for every class: phi^T W psi - |psi|^2 / 2."""

    def scores(self, phi: Array, psi: Array) -> Array:
        psi = convert_like(psi, phi)
        return phi @ convert_like(self.W, phi) @ psi.T - namespace(phi).sum(psi**2, axis=1)[None, :] / 2

    def gradient(self, phi: Array, psi: Array, G: Array) -> Array:
        return to_float64(phi.T @ G @ convert_like(psi, phi))

    def adapt(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        return phi, psi  # nothing moves


#: A wrong gradient is the usual mistake; a difference quotient finds it.
random = np.random.default_rng(0)
phi, psi, G = random.normal(size=(5, 4)), random.normal(size=(3, 2)), random.normal(size=(5, 3))
W, step = random.normal(size=(4, 2)), random.normal(size=(4, 2))
ends = [np.sum(G * NearestDescription().with_weights(W + t * step).scores(phi, psi)) for t in (1e-6, -1e-6)]
slope = np.sum(step * NearestDescription().with_weights(W).gradient(phi, psi, G))
assert abs((ends[0] - ends[1]) / 2e-6 - slope) < 1e-6 * max(1, abs(slope))

#: The structural SVM learns W for it.
data = load_dataset("digit-pairs")
model = StructuralSVM(NearestDescription()).fit(data.X_train, data.y_train, classes=data.seen_table)
print("right:", (model.predict(data.X_test_unseen, classes=data.unseen_table) == data.y_test_unseen).mean())
