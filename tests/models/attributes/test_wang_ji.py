"""Wang & Ji's model against enumeration of the attributes of an image, and against DAP."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

from unseen.data import ClassTable
from unseen.models import DAP, WangJi
from unseen.selection.grid import fit_grid
from unseen.utils.errors import InputError


def score_slowly(model, phi, signature):
    """log p(measurements | signature) up to a term of the row, summed over all attributes that the image may have."""
    tree, epsilon = model.tree_, model.epsilon
    p = 1 / (1 + np.exp(-(phi @ model.weights_ + model.offsets_)))
    joint = alone = 0.0
    for values in product((0, 1), repeat=len(signature)):
        prior = word = measured = 1.0
        for m, value in enumerate(values):
            parent = tree.parents[m]
            yes = tree.marginals[m] if parent < 0 else tree.conditionals[m, values[parent]]
            prior *= yes if value else 1 - yes
            word *= 1 - epsilon if value == signature[m] else epsilon
            measured *= p[m] / tree.marginals[m] if value else (1 - p[m]) / (1 - tree.marginals[m])
        joint, alone = joint + prior * word * measured, alone + prior * word
    return np.log(joint / alone)


@pytest.mark.parametrize("epsilon", [0.02, 0.3])
def test_scores_are_those_of_enumeration(epsilon, data):
    table = ClassTable(data.classes.vectors[:, :6], data.classes.labels)
    model = WangJi(epsilon=epsilon, random_state=0).fit(data.X_train, data.y_train, classes=table)
    X, candidates = data.X_test_unseen[:4], table.select(data.unseen_classes[:5])
    signatures = model._find_present(candidates.vectors)
    phi = model._feature_scaling.apply(X)
    expected = np.array([[score_slowly(model, row, signature) for signature in signatures] for row in phi])
    found = model.decision_function(X, classes=candidates)
    np.testing.assert_allclose(found - found[:, :1], expected - expected[:, :1], rtol=1e-8, atol=1e-10)


def test_without_errors_it_is_dap_with_the_shares_of_the_rows(data):
    model = WangJi(epsilon=1e-12, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    dap = DAP(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_allclose(model.weights_, dap.weights_)
    share = model.tree_.marginals
    shift = np.log(share / (1 - share)) - (model.offsets_ - dap.offsets_)
    signatures = model._find_present(data.unseen_table.vectors)
    expected = dap.decision_function(data.X_test_unseen, data.unseen_table) - signatures @ shift
    found = model.decision_function(data.X_test_unseen, data.unseen_table)
    np.testing.assert_allclose(found - found[:, :1], expected - expected[:, :1], atol=1e-6)


def test_dependencies_matter(data):
    model = WangJi(epsilon=0.2, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    apart = clone(model).fit(data.X_train, data.y_train, classes=data.classes)
    tree = apart.tree_
    tree.conditionals[:] = tree.marginals[:, None]
    one, two = (one.decision_function(data.X_test_unseen, data.unseen_table) for one in (model, apart))
    assert np.abs((one - one[:, :1]) - (two - two[:, :1])).max() > 0.1


def test_rows_are_scored_in_blocks(data, monkeypatch):
    model = WangJi(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    whole = model.decision_function(data.X_test_unseen, data.unseen_table)
    monkeypatch.setattr("unseen.models.attributes.wang_ji.WORK", 10**6)
    np.testing.assert_allclose(model.decision_function(data.X_test_unseen, data.unseen_table), whole, rtol=1e-10)


def test_a_grid_shares_the_machines(data):
    points = [{"C": C, "epsilon": epsilon} for C in (0.1, 1.0) for epsilon in (0.05, 0.3)]
    found = fit_grid(WangJi(random_state=0), data.X_train, data.y_train, data.classes, points)
    for model, point in zip(found, points, strict=True):
        alone = WangJi(**point, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
        scores = [one.decision_function(data.X_test_unseen, data.classes) for one in (model, alone)]
        np.testing.assert_array_equal(*scores)
        assert model.epsilon_ == point["epsilon"]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"epsilon": 0.5}, r"epsilon=0\.5 is not below 0\.5"),
        ({"epsilon": 0}, "epsilon must be a finite number above 0"),
        ({"C": -1}, "C must be a finite number above 0"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence, data):
    with pytest.raises(InputError, match=sentence):
        WangJi(**parameters).fit(data.X_train, data.y_train, classes=data.classes)
