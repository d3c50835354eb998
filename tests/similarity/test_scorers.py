"""Scores of many blocks of rows: the function that does the shared work once gives what one call gives."""

import pickle

import numpy as np
import pytest

from unseen.similarity import AdaptiveSimilarity, BilinearSimilarity, DirectSimilarity
from unseen.utils.arrays import to_numpy

OMEGA = (5.0, 3.0, 0.5, 0.2)


@pytest.mark.parametrize("kind", [AdaptiveSimilarity(OMEGA), BilinearSimilarity(), DirectSimilarity(OMEGA)], ids=repr)
def test_a_scorer_gives_the_scores_of_every_block(xp, kind):
    rng = np.random.default_rng(0)
    phi, psi = xp.asarray(rng.normal(size=(9, 4))), xp.asarray(rng.normal(size=(5, 3)))
    similarity = kind.with_weights(xp.asarray(rng.normal(size=kind.weights_shape(4, 3))))
    for shared, whole in ((similarity.scorer, similarity.scores), (similarity.comparer, similarity.compare)):
        score, expected = shared(psi), to_numpy(whole(phi, psi))
        for rows in (slice(0, 4), slice(4, 9)):
            np.testing.assert_allclose(to_numpy(score(phi[rows, :])), expected[rows], rtol=1e-12)


def test_a_scorer_can_be_sent_to_a_worker():
    similarity = AdaptiveSimilarity(OMEGA).with_weights(np.ones((2, 2)))
    phi = np.ones((1, 2))
    sent = pickle.loads(pickle.dumps(similarity.comparer(np.eye(2))))
    np.testing.assert_array_equal(sent(phi), similarity.compare(phi, np.eye(2)))
