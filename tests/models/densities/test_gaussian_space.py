"""The space of Gaussian classes, completed by the directions in which the means of seen classes do not differ."""

import numpy as np
import pytest

from unseen.data import make_zero_shot
from unseen.models import GaussianJFA
from unseen.models.densities.gaussian_classes import GaussianClasses, Spectrum


@pytest.fixture(scope="module")
def fitted() -> tuple[GaussianJFA, GaussianClasses, np.ndarray]:
    data = make_zero_shot(n_seen=6, n_unseen=3, n_features=11, n_attributes=5, n_per_class=9, random_state=0)
    model = GaussianJFA(within_shrinkage=0.3).fit(data.X_train, data.y_train, classes=data.seen_table)
    complete = model.gaussians_.complete(Spectrum.of(model.statistics_), 0.3)
    return model, complete, model._feature_scaling.apply(data.X_test_unseen)


def test_every_direction_has_an_axis_of_unit_variance(
    fitted: tuple[GaussianJFA, GaussianClasses, np.ndarray],
) -> None:
    model, complete, _ = fitted
    within = model.statistics_.within_shrunk(0.3)
    assert model.gaussians_.axes.shape[1] == 5
    np.testing.assert_allclose(complete.axes.T @ within @ complete.axes, np.eye(11), atol=1e-10)
    np.testing.assert_allclose(complete.axes[:, :5], model.gaussians_.axes)
    np.testing.assert_array_equal(complete.rho[5:], model.gaussians_.elsewhere)


def test_classes_stay_what_they_are(fitted: tuple[GaussianJFA, GaussianClasses, np.ndarray]) -> None:
    model, complete, phi = fitted
    psi = complete.regression.psi[:3] + 0.1
    one, two = (each.predict_means(psi) for each in (model.gaussians_, complete))
    np.testing.assert_allclose(two[:, : one.shape[1]], one)
    scores = [each.score(each.apply(phi), each.predict_means(psi)) for each in (model.gaussians_, complete)]
    np.testing.assert_allclose(scores[1], scores[0])
    within = model.statistics_.within_shrunk(0.3)
    moved = [each.displace(phi[:3], psi, within)[0] for each in (model.gaussians_, complete)]
    np.testing.assert_allclose(moved[1], moved[0], atol=1e-10)


def test_the_means_of_seen_classes_lie_in_the_first_directions(
    fitted: tuple[GaussianJFA, GaussianClasses, np.ndarray],
) -> None:
    model, complete, _ = fitted
    means = complete.apply(model.statistics_.means)
    np.testing.assert_allclose(means[:, 5:], 0, atol=1e-8)
