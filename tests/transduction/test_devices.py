"""Refinements of batches that lie on a device."""

import warnings

import numpy as np
import pytest
from leaving import put_on_device, watch_leaving
from sklearn.base import clone
from sklearn.decomposition import PCA

from unseen.data import ZeroShotDataset
from unseen.models import ESZSL
from unseen.transduction import SPZSR, GaussianEM, TransductiveClassifier
from unseen.transduction.start import find_clusters
from unseen.utils.arrays import is_on_cpu, to_numpy

pytest.importorskip("torch")
pytest.importorskip("array_api_strict")


def test_stays_on_the_device_or_says_that_it_works_on_the_processor(
    refinement: TransductiveClassifier, fitted: TransductiveClassifier, data: ZeroShotDataset
) -> None:
    with watch_leaving() as left, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = clone(refinement).fit(put_on_device(data.X_train), data.y_train, classes=data.classes)
        chances = model.predict_proba(put_on_device(data.X_test_unseen), data.unseen_classes)
    said = [str(one.message) for one in told]
    assert bool(left) == bool(said) != refinement.any_library
    assert all(sentence.startswith(f"{type(refinement).__name__} refines on the processor") for sentence in said)
    assert not is_on_cpu(chances)
    np.testing.assert_allclose(
        to_numpy(chances), fitted.predict_proba(data.X_test_unseen, data.unseen_classes), atol=1e-6
    )


@pytest.mark.parametrize("kind", [GaussianEM, SPZSR])
def test_a_refinement_prepares_rows_where_they_are(kind: type[TransductiveClassifier], data: ZeroShotDataset) -> None:
    made = kind(ESZSL(), features=PCA(6), n_components=5)
    expected = clone(made).fit(data.X_train, data.y_train, classes=data.classes)
    with watch_leaving() as left:
        model = made.fit(put_on_device(data.X_train), data.y_train, classes=data.classes)
        labels = model.predict(put_on_device(data.X_test_unseen), data.unseen_classes)
    assert not left
    np.testing.assert_array_equal(labels, expected.predict(data.X_test_unseen, data.unseen_classes))
    # What was fitted on the device answers for rows of NumPy.
    np.testing.assert_array_equal(labels, model.predict(data.X_test_unseen, data.unseen_classes))


def test_clusters_are_those_of_scikit_learn() -> None:
    from sklearn.cluster import KMeans

    Z = np.random.default_rng(0).normal(size=(300, 4)) + 4 * np.repeat(np.eye(4), 75, axis=0)
    theirs = KMeans(4, init="random", n_init=1, max_iter=10, random_state=np.random.RandomState(3)).fit_predict(Z)
    ours = find_clusters(Z, 4, np.random.RandomState(3)).argmax(axis=1)
    np.testing.assert_array_equal(ours, theirs)
