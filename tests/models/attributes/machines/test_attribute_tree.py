"""The tree of attributes against enumeration of all their values and of all trees."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.models.attributes.machines.attribute_tree import AttributeTree, Likelihoods


def make_rows(seed: int, k: int = 9, q: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Signatures of k classes, of which the second attribute goes with the first, and weights that add up to k."""
    rng = np.random.default_rng(seed)
    present = rng.random((k, q)) < 0.5
    present[:-1, 1] = present[:-1, 0]
    weights = rng.uniform(0.5, 2, size=k)
    return present, weights * k / weights.sum()


def probability(tree: AttributeTree, values: tuple[int, ...]) -> float:
    total = 1.0
    for m, value in enumerate(values):
        parent = tree.parents[m]
        yes = tree.marginals[m] if parent < 0 else tree.conditionals[m, values[parent]]
        total *= yes if value else 1 - yes
    return total


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_sum_product_is_the_sum_over_all_values(seed, q):
    tree = AttributeTree.learn(*make_rows(seed, q=max(q, 2)))
    rng = np.random.default_rng(seed)
    one, two = (Likelihoods(*rng.uniform(0, 1, size=(2, *shape, len(tree.parents)))) for shape in ((3, 1), (1, 2)))
    found = sum(part for _, part in tree.pass_upwards([one, two]))
    expected = np.zeros((3, 2))
    for values in product((0, 1), repeat=len(tree.parents)):
        at = [np.prod([likely[value][..., m] for m, value in enumerate(values)], axis=0) for likely in (one, two)]
        expected = expected + probability(tree, values) * at[0] * at[1]
    np.testing.assert_allclose(found, np.log(expected), rtol=1e-9)


def test_probabilities_are_those_of_the_rows():
    present, weights = make_rows(0)
    tree = AttributeTree.learn(present, weights)
    everything = list(product((0, 1), repeat=5))
    assert sum(probability(tree, values) for values in everything) == pytest.approx(1)
    for m in range(5):
        found = sum(probability(tree, values) for values in everything if values[m])
        # One more row than there are, half of which has the attribute.
        assert found == pytest.approx((weights @ present[:, m] + 0.5) / (len(present) + 1))
        assert found == pytest.approx(tree.marginals[m])


def log_likelihood(parents: tuple[int, ...], present: np.ndarray, weights: np.ndarray) -> float:
    """The log likelihood of the smoothed pair tables under the tree with these parents, by explicit sums."""
    total, k = 0.0, len(present)
    for m, parent in enumerate(parents):
        for u, v in product((0, 1), repeat=2):
            if parent < 0:
                share = ((weights @ (present[:, m] == u)) + 0.5) / (k + 1)
                total += share * np.log(share) / 2
                continue
            both = (weights @ ((present[:, m] == u) & (present[:, parent] == v)) + 0.25) / (k + 1)
            of_parent = (weights @ (present[:, parent] == v) + 0.5) / (k + 1)
            total += both * np.log(both / of_parent)
    return total


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_other_tree_is_more_likely(seed):
    present, weights = make_rows(seed, q=4)
    tree = AttributeTree.learn(present, weights)
    others = []
    for parents in product(range(4), repeat=3):  # of attributes 1 to 3, with 0 as the root
        candidate = (-1, *parents)
        if all(_reaches_root(candidate, m) for m in range(4)):
            others.append(log_likelihood(candidate, present, weights))
    assert len(others) == 16  # Cayley: 4^2 trees
    assert log_likelihood(tuple(tree.parents), present, weights) == pytest.approx(max(others))
    assert tree.parents[1] == 0  # what goes together


def _reaches_root(parents: tuple[int, ...], m: int) -> bool:
    for _ in parents:
        m = parents[m] if m >= 0 else m
    return m < 0


def test_one_attribute_is_its_own_tree():
    tree = AttributeTree.learn(np.array([[True], [False], [True]]), np.ones(3))
    assert tree.parents.tolist() == [-1]
    [(m, part)] = tree.pass_upwards([Likelihoods(np.array([[0.2]]), np.array([[0.6]]))])
    assert m == 0
    np.testing.assert_allclose(part, np.log(0.2 * 1.5 / 4 + 0.6 * 2.5 / 4))


def test_hundreds_of_children_stay_in_range():
    q = 400
    tree = AttributeTree(
        np.r_[-1, np.zeros(q - 1, dtype=int)], np.arange(q), np.full(q, 0.01), np.tile([0.001, 0.9], (q, 1))
    )
    likely = Likelihoods(np.full((1, q), 1e-9), np.ones((1, q)))
    assert np.isfinite(sum(part for _, part in tree.pass_upwards([likely]))).all()
