"""The largest of several bilinear forms: its steps against finite differences, and which forms are dropped."""

from typing import Any

import numpy as np
import pytest

from unseen.learning.solvers.ranking.ranked_scores import LargestBilinear
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError


def test_a_step_follows_the_gradient(xp: Any) -> None:
    rng = np.random.default_rng(0)
    W, phi, psi, G = (rng.normal(size=shape) for shape in ((3, 4, 5), (6, 4), (7, 5), (6, 7)))
    score = LargestBilinear(3)

    def value(W: Any) -> float:
        return float(np.sum(G * np.max([phi @ W_k @ psi.T for W_k in W], axis=0)))

    moved, others = xp.asarray(W.copy()), [xp.asarray(part) for part in (phi, G, psi)]
    scores, winners = score.reduce(others[0] @ moved @ others[2].T)
    np.testing.assert_allclose(to_numpy(scores), np.max([phi @ W_k @ psi.T for W_k in W], axis=0))
    score.descend(moved, 0.5, *others, winners)
    for place in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[place] = 1e-6
        slope = (value(W + step) - value(W - step)) / 2e-6
        assert (W - to_numpy(moved))[place] == pytest.approx(0.5 * slope, abs=1e-6)


def test_forms_that_win_too_few_rows_are_dropped_every_five_epochs() -> None:
    winners = np.repeat([0, 1, 3], [4, 90, 6])
    assert LargestBilinear(5, prune=True).find_kept(5, lambda: winners).tolist() == [1, 3]
    assert LargestBilinear(5, prune=True).find_kept(4, lambda: winners) is None
    assert LargestBilinear(5).find_kept(5, lambda: winners) is None
    # Of very many that win alike, not all go.
    assert len(LargestBilinear(40, prune=True).find_kept(5, lambda: np.arange(40))) == 40


@pytest.mark.parametrize(("settings", "sentence"), [({"K": 0}, "K must be"), ({"K": 2, "prune": 1}, "prune must be")])
def test_settings_that_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        LargestBilinear(**settings)
