"""LatEm against a literal transcription of its algorithm, and the forms that it drops."""

from typing import Any

import numpy as np

from unseen.data import ZeroShotDataset
from unseen.models import LatEm


def literal_latem(phi: Any, y: Any, psi: Any, K: int, step: float, n_epochs: int, seed: int) -> Any:
    """Algorithm 1 of the paper, a row at a time, with the random numbers in the order in which the model draws them."""
    rng = np.random.default_rng(np.random.RandomState(seed).randint(2**31))
    rng.permutation(len(psi))
    W = rng.standard_normal((K, phi.shape[1], psi.shape[1])) / np.sqrt(phi.shape[1])
    for _ in range(n_epochs):
        for i in rng.permutation(len(phi)):
            others = [c for c in range(len(psi)) if c != y[i]]
            rival = others[rng.integers(len(others), size=1)[0]]
            own, other = ([phi[i] @ W_k @ psi[c] for W_k in W] for c in (y[i], rival))
            if 1 + max(other) > max(own):
                W[np.argmax(other)] -= step * np.outer(phi[i], psi[rival])
                W[np.argmax(own)] += step * np.outer(phi[i], psi[y[i]])
    return W


def test_one_row_at_a_time_is_the_algorithm_of_the_paper(data: ZeroShotDataset) -> None:
    table = data.seen_table
    model = LatEm(3, step=0.2, max_epochs=2, validation_share=0, batch_size=1, scaling=None, random_state=0)
    model.fit(data.X_train, data.y_train, classes=table)
    W = literal_latem(data.X_train, table.index_of(data.y_train), table.vectors, 3, 0.2, 2, 0)
    np.testing.assert_allclose(model.W_, W, atol=1e-10)
    X, psi = data.X_test_unseen, data.unseen_table.vectors
    expected = np.max([X @ W_k @ psi.T for W_k in W], axis=0)
    np.testing.assert_allclose(model.decision_function(X, classes=data.unseen_table), expected)


def test_with_one_form_the_score_is_bilinear(data: ZeroShotDataset) -> None:
    model = LatEm(1, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    X = data.X_test_unseen
    one, two, middle = (model.decision_function(part, classes=data.unseen_table) for part in (X, X[::-1], X + X[::-1]))
    origin = model.decision_function(0 * X, classes=data.unseen_table)
    np.testing.assert_allclose(one + two - origin, middle, atol=1e-9)


def test_pruning_drops_forms(data: ZeroShotDataset) -> None:
    settings = {"step": 0.1, "max_epochs": 10, "validation_share": 0, "random_state": 0}
    kept = LatEm(16, prune=True, **settings).fit(data.X_train, data.y_train, classes=data.classes)
    assert 1 <= len(kept.W_) < 16
    assert len(LatEm(16, **settings).fit(data.X_train, data.y_train, classes=data.classes).W_) == 16


def test_contributions_are_those_of_the_form_that_wins(data: ZeroShotDataset) -> None:
    model = LatEm(3, scaling=None, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    x, y = data.X_test_unseen[:1], data.y_test_unseen[:1]
    psi = data.classes.select(y).vectors[0]
    parts = [(x[0] @ W_k) * psi for W_k in model.W_]
    best = max(parts, key=np.sum)
    np.testing.assert_allclose(model.contributions(x, y)[0], best)
