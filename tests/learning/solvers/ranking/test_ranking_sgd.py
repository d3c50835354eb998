"""Ranking descent against a literal transcription of the algorithm, and the choice of the number of epochs."""

from typing import Any

import numpy as np
import pytest

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.features import Rows
from unseen.learning.solvers.ranking.ranking_sgd import RankingSGD
from unseen.learning.solvers.ranking.rivals import MostViolating, SampledRank
from unseen.utils.errors import InputError


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 10, "n_unseen": 2, "n_features": 8, "n_attributes": 6, "n_per_class": 6}
    return make_zero_shot(**sizes, noise=0.3, random_state=0)


def test_one_row_at_a_time_is_the_algorithm_of_sje(data: ZeroShotDataset) -> None:
    phi, psi, y = data.X_train, data.seen_table.vectors, data.seen_table.index_of(data.y_train)
    sgd = RankingSGD(MostViolating(), step=0.1, max_epochs=3, validation_share=0.0, batch_size=1)
    learned = sgd.learn(Rows(phi), y, psi, np.random.default_rng(0))
    # The same random numbers in the same order: held-out classes (none), start, orders of the rows.
    rng = np.random.default_rng(0)
    rng.permutation(len(psi))
    W = rng.standard_normal((phi.shape[1], psi.shape[1])) / np.sqrt(phi.shape[1])
    for _ in range(3):
        for row in rng.permutation(len(phi)):
            scores = phi[row] @ W @ psi.T
            rival = np.argmax(scores + 1.0 - np.eye(len(psi))[y[row]])
            W += 0.1 * np.outer(phi[row], psi[y[row]] - psi[rival])
    np.testing.assert_allclose(learned.W, W, atol=1e-12)
    assert learned.n_epochs == 3
    assert learned.validation_accuracy == []


def test_the_number_of_epochs_is_chosen_on_held_out_classes(data: ZeroShotDataset) -> None:
    phi, psi, y = data.X_train, data.seen_table.vectors, data.seen_table.index_of(data.y_train)
    sgd = RankingSGD(SampledRank(), step=0.1, max_epochs=20, validation_share=0.3, batch_size=4)
    learned = sgd.learn(Rows(phi), y, psi, np.random.default_rng(0))
    accuracy = np.array(learned.validation_accuracy)
    assert accuracy[learned.n_epochs - 1] == accuracy.max()
    assert np.all(accuracy[learned.n_epochs :] < accuracy.max())
    assert len(accuracy) in (20, learned.n_epochs + 5)


def test_descriptions_of_fewer_classes_than_attributes(data: ZeroShotDataset) -> None:
    # Then the steps are made in the span of the descriptions; the random start outside it must stay as it was.
    rng = np.random.default_rng(0)
    phi, psi, y = data.X_train, rng.normal(size=(10, 25)), data.seen_table.index_of(data.y_train)
    sgd = RankingSGD(MostViolating(), step=0.1, max_epochs=1, validation_share=0.0, batch_size=len(phi))
    learned = sgd.learn(Rows(phi), y, psi, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    rng.permutation(len(psi))
    W = rng.standard_normal((phi.shape[1], 25)) / np.sqrt(phi.shape[1])
    rival = np.argmax(phi @ W @ psi.T + 1.0 - np.eye(len(psi))[y], axis=1)
    np.testing.assert_allclose(learned.W, W + 0.1 * phi.T @ (psi[y] - psi[rival]), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_with_few_classes_none_is_held_out(n_classes: int) -> None:
    rng = np.random.default_rng(0)
    phi, psi, y = rng.normal(size=(12, 3)), np.eye(n_classes), np.arange(12) % n_classes
    sgd = RankingSGD(SampledRank(), step=0.1, max_epochs=4, validation_share=0.2, batch_size=5)
    learned = sgd.learn(Rows(phi), y, psi, rng)
    assert (learned.n_epochs, learned.validation_accuracy) == (4, [])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"step": 0.0}, "step must be a finite number above 0, got 0.0"),
        ({"step": np.inf}, "step must be a finite number above 0, got inf"),
        ({"max_epochs": 0}, "max_epochs must be a whole number of at least 1, got 0"),
        ({"batch_size": 1.5}, "batch_size must be a whole number of at least 1, got 1.5"),
        ({"validation_share": 1.0}, "validation_share=1.0 is not a share of the classes"),
        ({"validation_share": -0.1}, "validation_share=-0.1 is not a share"),
    ],
)
def test_settings_that_are_refused(settings: dict[str, Any], sentence: str) -> None:
    usual = {"step": 0.1, "max_epochs": 3, "validation_share": 0.2, "batch_size": 4}
    with pytest.raises(InputError, match=sentence):
        RankingSGD(MostViolating(), **(usual | settings))
