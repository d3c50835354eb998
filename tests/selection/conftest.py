import pytest

from unseen.data import ZeroShotDataset, make_zero_shot


@pytest.fixture(scope="session")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 12, "n_unseen": 4, "n_features": 10, "n_attributes": 8, "n_per_class": 6}
    return make_zero_shot(**sizes, n_test_per_class=6, noise=0.3, random_state=0)
