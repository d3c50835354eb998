"""The random forest of Jayaraman & Grauman against its equations, node by node in explicit loops."""

from collections.abc import Iterator

import numpy as np
import pytest

from unseen.models.attributes.machines import forest_growing
from unseen.models.attributes.machines.forest_growing import Validation, grow_forest
from unseen.models.attributes.machines.signature_forest import SignatureForest

RANDOM = np.random.default_rng(0)
SIGNATURES = RANDOM.random((5, 4)) < 0.5
HAS = RANDOM.random((60, 4)) < 0.5
# The later an attribute, the less reliable its classifier.
OUTPUTS = np.clip(0.5 + 0.2 * (2 * HAS - 1) + RANDOM.normal(size=(60, 4)) * [0.1, 0.2, 0.4, 0.8], 0, 1)


def grow(seed: int = 0, n_trees: int = 4, n_tests: int = 6) -> SignatureForest:
    random = np.random.RandomState(seed)
    return grow_forest(SIGNATURES, Validation(OUTPUTS, HAS), n_trees=n_trees, n_tests=n_tests, random=random)


def find_rate(rows: list[int], attribute: int, threshold: float, *, has: bool) -> float:
    """Return TPR_n(m, t) or FPR_n(m, t), blended with the rate of all rows, which counts as five rows."""
    above, n = 0.5, 1.0
    for row in range(len(HAS)):
        if HAS[row, attribute] == has:
            above, n = above + (OUTPUTS[row, attribute] > threshold), n + 1
    of_all, above, n = above / n, 0, 0
    for row in rows:
        if HAS[row, attribute] == has:
            above, n = above + (OUTPUTS[row, attribute] > threshold), n + 1
    return (above + 5 * of_all) / (n + 5)


def pass_on(shares: list[float], rows: list[int], attribute: int, threshold: float) -> list[float]:
    """Return the shares of the classes that are expected above the threshold."""
    rates = {has: find_rate(rows, attribute, threshold, has=has) for has in (False, True)}
    return [share * rates[bool(SIGNATURES[k, attribute])] for k, share in enumerate(shares)]


def measure_entropy(shares: list[float]) -> float:
    total = sum(shares)
    return -sum(share / total * np.log(share / total) for share in shares if share > 0)


def measure_gain(shares: list[float], above: list[float]) -> float:
    below = [share - part for share, part in zip(shares, above, strict=True)]
    weights = [sum(part) / sum(shares) for part in (above, below)]
    entropies = [measure_entropy(part) for part in (above, below)]
    return measure_entropy(shares) - sum(w * e for w, e in zip(weights, entropies, strict=True))


def visit(
    forest: SignatureForest, node: int, shares: list[float], rows: list[int]
) -> Iterator[tuple[int, list[float]]]:
    yield node, shares
    attribute, threshold = forest.attributes[node], forest.thresholds[node]
    if attribute >= 0:
        above = pass_on(shares, rows, attribute, threshold)
        below = [share - part for share, part in zip(shares, above, strict=True)]
        low, high = forest.children[node]
        yield from visit(forest, low, below, [row for row in rows if OUTPUTS[row, attribute] <= threshold])
        yield from visit(forest, high, above, [row for row in rows if OUTPUTS[row, attribute] > threshold])


def test_shares_are_passed_on_as_in_the_paper() -> None:
    forest = grow()
    seen = []
    for root in forest.roots:
        for node, shares in visit(forest, root, [1.0] * 5, list(range(60))):
            np.testing.assert_allclose(forest.posteriors[node], np.array(shares) / sum(shares), rtol=1e-9)
            seen.append(node)
    assert sorted(seen) == list(range(len(forest.attributes)))
    assert len(seen) > 40


def test_a_node_takes_the_test_that_tells_most(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, own = [], forest_growing._draw_tests
    monkeypatch.setattr(forest_growing, "_draw_tests", lambda *args: drawn.append(own(*args)) or drawn[-1])
    forest = grow()
    attributes, thresholds = drawn[0]
    for root in forest.roots:
        tests = list(zip(attributes[root], thresholds[root], strict=True))
        gains = [measure_gain([1.0] * 5, pass_on([1.0] * 5, list(range(60)), m, t)) for m, t in tests]
        assert (forest.attributes[root], forest.thresholds[root]) == tests[int(np.argmax(gains))]


def test_blocks_of_trees_are_one_forest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unseen.utils.arrays.BLOCK_BYTES", 1)
    forest = grow(n_trees=3)
    assert len(forest.roots) == 3
    reached = [node for root in forest.roots for node, _ in visit(forest, root, [1.0] * 5, list(range(60)))]
    assert sorted(reached) == list(range(len(forest.attributes)))


def test_rows_go_down_the_trees_one_by_one() -> None:
    forest, outputs = grow(), RANDOM.random((7, 4))
    expected = np.zeros((7, 5))
    for row, output in enumerate(outputs):
        for root in forest.roots:
            node = root
            while forest.attributes[node] >= 0:
                node = forest.children[node, int(output[forest.attributes[node]] > forest.thresholds[node])]
            expected[row] += forest.posteriors[node] / len(forest.roots)
    np.testing.assert_allclose(forest.predict(outputs), expected)
    classes = np.arange(7) % 5
    parts = forest.take_apart(outputs, classes)
    np.testing.assert_allclose(parts.sum(axis=1), expected[np.arange(7), classes] - 1 / 5)


def test_attributes_that_cannot_be_trusted_are_asked_for_less() -> None:
    forest = grow(n_trees=50)
    roots = np.bincount(forest.attributes[forest.roots], minlength=4)
    assert roots[:2].sum() > 5 * roots[3]
