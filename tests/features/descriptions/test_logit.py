import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import check_estimator

from unseen.features import Logit
from unseen.utils.errors import InputError

SHARES = arrays(np.float64, (3, 4), elements=st.floats(0, 1))
OFFSETS = st.floats(1e-3, 1)


@pytest.mark.parametrize("logit", [Logit(), Logit(0.1, whole=1000.0)])
def test_passes_all_checks_of_scikit_learn(logit):
    check_estimator(logit, on_skip=None)


@given(SHARES, OFFSETS)
def test_is_the_formula_and_its_inverse_gives_the_shares_back(shares, offset):
    found = Logit(offset, whole=1.0).fit(shares).transform(shares)
    np.testing.assert_allclose(found, np.log((shares + offset) / (1 + offset - shares)), rtol=1e-9, atol=1e-9)
    odds = np.exp(found)
    np.testing.assert_allclose((odds * (1 + offset) - offset) / (1 + odds), shares, atol=1e-9)


@given(SHARES, OFFSETS)
def test_what_is_absent_mirrors_what_is_present(shares, offset):
    logit = Logit(offset, whole=1.0).fit(shares)
    np.testing.assert_allclose(logit.transform(1 - shares), -logit.transform(shares), atol=1e-9)


def test_per_cent_and_shares_give_the_same():
    shares = np.random.default_rng(0).random((5, 3))
    shares[0, 0] = 0.9
    by_share, by_percent = Logit().fit(shares), Logit().fit(100 * shares)
    assert (by_share.whole_, by_percent.whole_) == (1.0, 100.0)
    np.testing.assert_allclose(by_percent.transform(100 * shares), by_share.transform(shares))
    np.testing.assert_allclose(Logit(whole=7).fit_transform(7 * shares), by_share.transform(shares))


def test_units_are_those_of_the_seen_classes():
    percent = Logit().fit([[0.0, 80.0], [30.0, 60.0]])
    np.testing.assert_allclose(percent.transform([[1.0, 0.5]]), Logit().fit([[1.0]] * 2).transform([[0.01], [0.005]]).T)


def test_values_that_stray_by_rounding_are_taken_as_never_and_always():
    logit = Logit().fit([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(logit.transform([[-0.01, 1.02]]), logit.transform([[0.0, 1.0]]))


@pytest.mark.parametrize(
    ("seen", "later", "sentence"),
    [
        ([[0.0, -1.0]], None, "Negative values in data passed to Logit, such as -1, which are not frequencies"),
        ([[0.0, 300.0]], None, r"X has the value 300, but Logit takes frequencies of 0 to 100: .*set whole"),
        ([[0.0, 1.0]], [[0.5, 37.0]], "X has the value 37, but Logit takes frequencies of 0 to 1: give X in the units"),
        ([[0.0, 80.0]], [[-5.0, 3.0]], "such as -5"),
    ],
)
def test_what_is_not_a_frequency_gets_a_sentence(seen, later, sentence):
    with pytest.raises(InputError, match=sentence):
        Logit().fit(seen).transform(seen if later is None else later)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"offset": 0}, "offset must be a finite number above 0, got 0"),
        ({"whole": -1}, "whole must be a finite number above 0, got -1"),
        ({"whole": "percent"}, "whole='percent' is not known: choose 'auto', or give the number that means always"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        Logit(**parameters).fit([[0.5]])


def test_keeps_names_and_single_precision():
    logit = Logit().fit(np.ones((2, 2), dtype=np.float32))
    assert logit.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]
    assert logit.transform(np.ones((2, 2), dtype=np.float16)).dtype == np.float32
