import numpy as np
import pytest
from sklearn.decomposition import PCA, TruncatedSVD

from unseen.features.reduction import dimension_reduction
from unseen.utils.errors import InputError


@pytest.mark.parametrize(
    ("name", "size"),
    [("aPY", 40), ("aP&Y", 40), ("AwA", 200), ("AWA1", 200), ("AWA2", 200), ("cub", 300), ("SUN", 200)],
)
def test_sizes_of_the_paper(name, size):
    assert dimension_reduction(name).n_components == size


def test_both_readings_of_the_paper():
    X = np.random.default_rng(0).random((30, 6)) + 5
    centred, plain = dimension_reduction(2), dimension_reduction(2, centred=False, random_state=0)
    assert isinstance(centred, PCA)
    assert isinstance(plain, TruncatedSVD)
    _, vectors = np.linalg.eigh(X.T @ X)
    np.testing.assert_allclose(np.abs(plain.fit_transform(X)), np.abs(X @ vectors[:, :-3:-1]), rtol=1e-6)
    np.testing.assert_allclose(centred.fit_transform(X).mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        ("ImageNet", "size='ImageNet' is not known: choose one of 'aPY', 'AwA', 'CUB', 'SUN'"),
        (0, "size must be"),
    ],
)
def test_bad_sizes_get_a_sentence(size, sentence):
    with pytest.raises(InputError, match=sentence):
        dimension_reduction(size)
