"""The refinements under test, one line each, and the data that they are tested on."""

import numpy as np
import pytest
from sklearn.base import clone

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.models import ESZSL
from unseen.transduction import PST, SMS, SPZSR, TMVHLP, UDA, GaussianEM, TransductiveClassifier

# Every test that asks for `refinement` or `fitted` runs once for each of these.
REFINEMENTS: list[TransductiveClassifier] = [
    GaussianEM(ESZSL()),
    PST(ESZSL()),
    SMS(ESZSL()),
    SPZSR(ESZSL(), n_runs=4),
    TMVHLP(ESZSL()),
    UDA(ESZSL()),
]


@pytest.fixture(scope="session")
def refinements() -> list[TransductiveClassifier]:
    return REFINEMENTS


@pytest.fixture(scope="session", params=REFINEMENTS, ids=lambda refinement: type(refinement).__name__)
def refinement(request: pytest.FixtureRequest) -> TransductiveClassifier:
    """A refinement that has not been fitted; tests clone it."""
    return request.param


@pytest.fixture(scope="session")
def data() -> ZeroShotDataset:
    """14 seen and 8 unseen classes, noisy enough for a model to err."""
    sizes = {"n_seen": 14, "n_unseen": 8, "n_features": 16, "n_attributes": 10, "n_per_class": 20}
    return make_zero_shot(**sizes, n_test_per_class=20, noise=1.0, random_state=0)


@pytest.fixture(scope="session")
def fitted(refinement: TransductiveClassifier, data: ZeroShotDataset) -> TransductiveClassifier:
    """The refinement fitted once on `data`; tests only read it."""
    return clone(refinement).fit(data.X_train, data.y_train, classes=data.classes)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(0)
