"""The models under test, one line each, and the data that they are tested on."""

import pytest
from sklearn.base import clone

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.models import (
    ALE,
    CMT,
    COSTA,
    DAP,
    ESZSL,
    EXEM,
    IAP,
    JFA,
    RKT,
    SAE,
    SDL,
    SJE,
    SSE,
    BilinearSVM,
    Blend,
    Bucher,
    ConSE,
    DeViSE,
    DirectJFA,
    Farhadi,
    GaussianJFA,
    JayaramanGrauman,
    LatEm,
    Mahajan,
    Qiao,
    StructuralSVM,
    SynC,
    WangJi,
    Yu,
    ZeroShotClassifier,
)

# Every test that asks for `estimator` or `fitted` runs once for each of these.
ESTIMATORS: list[ZeroShotClassifier] = [
    ALE(random_state=0),
    BilinearSVM(random_state=0),
    Blend([ESZSL(), BilinearSVM(random_state=0)], random_state=0),
    Bucher(step=0.02, max_epochs=40, n_starts=1, random_state=0),
    CMT(hidden=16, max_iter=30, random_state=0),
    ConSE(),
    COSTA(random_state=0),
    DAP(random_state=0),
    DeViSE(max_epochs=15, batch_size=32, random_state=0),
    # With its default omega the two blocks it learns differ so much in scale that rounding decides where it stops.
    DirectJFA(omega=(1.0, 1.0, 0.0, 0.0), random_state=0),
    ESZSL(),
    # Solved less exactly, the regressions turn rounding errors of repeated rows into differences of 1e-5.
    EXEM(tol=1e-8),
    Farhadi(),
    GaussianJFA(),
    IAP(random_state=0),
    JFA(random_state=0),
    JayaramanGrauman(n_trees=20, random_state=0),
    LatEm(2, max_epochs=15, batch_size=32, random_state=0),
    Mahajan(),
    Qiao(random_state=0),
    RKT(n_virtual=10, random_state=0),
    SAE(),
    # With its default lam_W many weights serve this little data equally well, and rounding decides among them.
    SDL(lam_W=1e-4, random_state=0),
    SJE(random_state=0),
    SSE(lambda_2=10.0, max_iter=2, tol=0.03, random_state=0),
    StructuralSVM(random_state=0),
    # The full version converges slowly, and rounding decides where it stops.
    SynC(lam=2.0**-6, fast=True),
    WangJi(random_state=0),
    Yu(),
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
