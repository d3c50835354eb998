import numpy as np
import pytest

from unseen.features import Logit, SquareRoot, list_description_choices

SHARES = np.random.default_rng(0).random((6, 4))


@pytest.mark.parametrize("vectors", [SHARES, 100 * SHARES, SHARES.tolist(), 0.3 * SHARES])
def test_frequencies_may_be_taken_by_their_roots_and_logits(vectors):
    first, *others = list_description_choices(vectors)
    assert first is None
    assert [type(choice) for choice in others] == [SquareRoot, Logit]
    for choice in others:
        assert np.isfinite(choice.fit_transform(vectors)).all()


@pytest.mark.parametrize(
    "vectors",
    [SHARES - 0.5, 200 * SHARES, 7 * SHARES, (SHARES > 0.5).astype(float), np.zeros((3, 2))],
    ids=["signed", "large", "a scale to 7", "yes and no", "constant"],
)
def test_others_are_taken_as_they_are(vectors):
    assert list_description_choices(vectors) == [None]
