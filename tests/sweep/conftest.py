import pytest

from unseen import make_zero_shot


@pytest.fixture(scope="session")
def data():
    return make_zero_shot(
        n_seen=6, n_unseen=3, n_features=8, n_attributes=5, n_per_class=10, n_test_per_class=10, random_state=0
    )
