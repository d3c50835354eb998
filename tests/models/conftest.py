"""The models under test, one line each, and the data that they are tested on."""

import pytest
from sklearn.base import clone

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.models import (
    ALE,
    DAP,
    ESZSL,
    JFA,
    SDL,
    SJE,
    BilinearSVM,
    Blend,
    Bucher,
    ConSE,
    DirectJFA,
    GaussianJFA,
    StructuralSVM,
    ZeroShotClassifier,
)

# Every test that asks for `estimator` or `fitted` runs once for each of these.
ESTIMATORS: list[ZeroShotClassifier] = [
    ALE(random_state=0),
    BilinearSVM(random_state=0),
    Blend([ESZSL(), BilinearSVM(random_state=0)], random_state=0),
    Bucher(step=0.02, max_epochs=40, n_starts=1, random_state=0),
    ConSE(),
    DAP(random_state=0),
    # With its default omega the two blocks it learns differ so much in scale that rounding decides where it stops.
    DirectJFA(omega=(1.0, 1.0, 0.0, 0.0), random_state=0),
    ESZSL(),
    GaussianJFA(),
    JFA(random_state=0),
    # With its default lam_W many weights serve this little data equally well, and rounding decides among them.
    SDL(lam_W=1e-4, random_state=0),
    SJE(random_state=0),
    StructuralSVM(random_state=0),
]


@pytest.fixture(scope="session")
def estimators() -> list[ZeroShotClassifier]:
    return ESTIMATORS


@pytest.fixture(scope="session", params=ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def estimator(request: pytest.FixtureRequest) -> ZeroShotClassifier:
    """A model that has not been fitted; tests clone it."""
    return request.param


@pytest.fixture(scope="session")
def data() -> ZeroShotDataset:
    """14 seen and 12 unseen classes, easy enough for every model."""
    sizes = {"n_seen": 14, "n_unseen": 12, "n_features": 16, "n_attributes": 10, "n_per_class": 10}
    return make_zero_shot(**sizes, n_test_per_class=8, noise=0.5, random_state=0)


@pytest.fixture(scope="session")
def fitted(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> ZeroShotClassifier:
    """The model fitted once on `data`; tests only read it."""
    return clone(estimator).fit(data.X_train, data.y_train, classes=data.classes)
