"""DeViSE against a literal transcription of its loss, and its two ways to choose rivals."""

import numpy as np
import pytest

from unseen.data import ZeroShotDataset
from unseen.models import DeViSE
from unseen.utils.errors import InputError


@pytest.mark.parametrize("violating", ["all", "first"])
def test_one_row_at_a_time_is_the_algorithm_of_the_paper(violating: str, data: ZeroShotDataset) -> None:
    table, settings = data.seen_table, {"max_epochs": 2, "validation_share": 0, "batch_size": 1, "scaling": None}
    model = DeViSE(0.05, margin=0.4, violating=violating, random_state=0, **settings)
    model.fit(data.X_train, data.y_train, classes=table)
    phi, psi, y = data.X_train, table.vectors, table.index_of(data.y_train)
    rng = np.random.default_rng(np.random.RandomState(0).randint(2**31))
    rng.permutation(len(psi))
    W = rng.standard_normal((phi.shape[1], psi.shape[1])) / np.sqrt(phi.shape[1])
    for _ in range(2):
        for i in rng.permutation(len(phi)):
            order = np.argsort(-rng.random(len(psi))) if violating == "first" else np.arange(len(psi))
            scores = [phi[i] @ W @ psi[c] for c in range(len(psi))]
            rivals = [c for c in order if c != y[i] and 0.4 - scores[y[i]] + scores[c] > 0]
            for c in rivals if violating == "all" else rivals[:1]:
                W = W + 0.05 * np.outer(phi[i], psi[y[i]] - psi[c])
    np.testing.assert_allclose(model.W_, W, atol=1e-10)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"margin": 0}, "margin must be a finite number above 0, got 0"),
        ({"violating": "some"}, "violating='some' is not known"),
    ],
)
def test_settings_that_are_refused(settings: dict[str, object], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        DeViSE(**settings).fit(data.X_train, data.y_train)
