from time import process_time

import numpy as np
import pytest
from scipy.io import loadmat
from shared_data import SHARED_DATA
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import check_estimator

from unseen.features.descriptions.simplex import measure_violation
from unseen.features.descriptions.simplex_coder import SimplexCoder
from unseen.utils.errors import InputError

SPLITS = SHARED_DATA / "splits"


@pytest.mark.parametrize(
    "coder", [SimplexCoder(), SimplexCoder(0.01, 1, random_state=0), SimplexCoder(unit_length=False)]
)
def test_passes_all_checks_of_scikit_learn(coder):
    check_estimator(coder, on_skip=None)


def test_seen_classes_are_the_atoms():
    vectors = np.random.default_rng(0).random((6, 4))
    coder = SimplexCoder(gamma=0).fit(vectors)
    np.testing.assert_allclose(coder.atoms_, normalize(vectors))
    np.testing.assert_allclose(coder.transform(vectors) @ coder.atoms_, coder.atoms_, atol=1e-8)
    assert coder.get_feature_names_out().tolist() == [f"simplexcoder{k}" for k in range(6)]


def test_unit_length_makes_codes_independent_of_units():
    vectors = np.random.default_rng(0).random((6, 4))
    codes = SimplexCoder().fit_transform(vectors)
    np.testing.assert_allclose(SimplexCoder().fit_transform(50 * vectors), codes)
    assert not np.allclose(SimplexCoder(unit_length=False).fit_transform(50 * vectors), codes)


def test_atoms_may_be_centres_of_clusters():
    random = np.random.default_rng(0)
    vectors = np.repeat(np.eye(3), 5, axis=0) + 0.01 * random.random((15, 3))
    coder = SimplexCoder(0.01, 3, random_state=0).fit(vectors)
    assert coder.atoms_.shape == (3, 3)
    codes = coder.transform(vectors)
    assert codes.shape == (15, 3)
    assert (codes.max(axis=1) > 0.9).all()
    np.testing.assert_array_equal(SimplexCoder(0.01, 3, random_state=0).fit(vectors).transform(vectors), codes)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"gamma": -1}, "gamma must be a finite number of at least 0, got -1"),
        ({"atoms": "all"}, "atoms='all' is not known: choose 'seen', or give a number"),
        ({"atoms": 4}, "atoms must be a whole number of at least 1 and at most 3, got 4"),
        ({"atoms": 1.5}, "atoms must be a whole number"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        SimplexCoder(**parameters).fit(np.eye(3))


def test_must_be_fitted():
    with pytest.raises(NotFittedError):
        SimplexCoder().transform(np.eye(3))


def attributes(name):
    if not SPLITS.exists():
        pytest.skip(f"the class attributes are not in {SPLITS}")
    return loadmat(SPLITS / name / "att_splits.mat")["original_att"].T


@pytest.mark.parametrize(
    ("gamma", "used", "largest"), [(10, 20, 0.10), (1, 18, 0.30), (0.1, 9.3, 0.59), (0.01, 7.3, 0.75)]
)
def test_codes_of_apy_are_as_dense_as_known(gamma, used, largest):
    vectors = attributes("APY")
    codes = SimplexCoder(gamma).fit(vectors[:20]).transform(vectors)
    assert np.mean(np.count_nonzero(codes, axis=1)) == pytest.approx(used, abs=0.1)
    assert np.mean(codes.max(axis=1)) == pytest.approx(largest, abs=0.01)


@pytest.mark.parametrize("gamma", [10, 0.01, 0])
def test_717_classes_on_645_atoms_take_seconds(gamma):
    vectors = attributes("SUN")
    coder = SimplexCoder(gamma).fit(vectors[:645])
    start = process_time()
    codes = coder.transform(vectors)
    assert process_time() - start < 5
    assert measure_violation(codes, normalize(vectors), coder.atoms_, gamma).max() < 1e-8
