"""A small problem and a model fitted on it, shared by the tests of all workflows."""

from pathlib import Path

import numpy as np
import pytest

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.utils.progress import Progress
from unseen.workflows import Fitted, fit


@pytest.fixture(scope="session")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 10, "n_unseen": 4, "n_features": 9, "n_attributes": 6, "n_per_class": 8}
    return make_zero_shot(**sizes, n_test_per_class=6, random_state=0)


@pytest.fixture(scope="session")
def fitted(data: ZeroShotDataset) -> Fitted:
    return fit(data, "eszsl")


@pytest.fixture(scope="session")
def npz(data: ZeroShotDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data in a file, with their split."""
    path = tmp_path_factory.mktemp("data") / "small.npz"
    np.savez(
        path,
        X=data.X,
        y=data.y,
        classes=data.classes.labels,
        attributes=data.classes.vectors,
        trainval_loc=data.train,
        test_seen_loc=data.test_seen,
        test_unseen_loc=data.test_unseen,
    )
    return path


@pytest.fixture
def told() -> list[Progress]:
    """What was told through `on_progress=told.append`."""
    return []
