"""A small fitted model and its file."""

from pathlib import Path

import pytest
from sklearn.decomposition import PCA

import unseen
from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.models import JFA, Calibrated, Prepared


@pytest.fixture(scope="session")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=8, n_unseen=4, n_features=6, n_attributes=5, n_per_class=6, random_state=0)


@pytest.fixture(scope="session")
def model(data: ZeroShotDataset) -> Calibrated:
    """With everything that a file may hold: preparation, calibration, scalings, tables."""
    model = Calibrated(Prepared(JFA(), features=PCA(5)), random_state=0)
    return model.fit(data.X_train, data.y_train, classes=data.classes)


@pytest.fixture(scope="session")
def path(model: Calibrated, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files") / "model.unseen"
    unseen.save(model, path, encoder={"name": "vgg19"})
    return path
