from dataclasses import replace

import pytest

from unseen import make_zero_shot
from unseen.learning import SoftMaximum
from unseen.sweep.batched_objective import BatchedObjective
from unseen.sweep.data import make_split


@pytest.fixture(scope="session")
def data():
    return make_zero_shot(
        n_seen=6, n_unseen=3, n_features=8, n_attributes=5, n_per_class=10, n_test_per_class=10, random_state=0
    )


@pytest.fixture(scope="session")
def split(data):
    """In double precision, so that long descents agree to the end."""
    single = make_split(data)
    return replace(single, X=single.X.astype(float), X_test=single.X_test.astype(float))


@pytest.fixture(params=["numpy", "torch"])
def objective(request, split):
    library = pytest.importorskip(request.param)
    data = split.scale().map(lambda array: library.asarray(array))
    return BatchedObjective(data, SoftMaximum(), 20_000)
