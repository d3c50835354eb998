"""A small problem, models fitted on it, and what was measured, shared by the tests of figures and pages."""

import os
from importlib.util import find_spec

import pytest

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.evaluation import EvaluationResult, evaluate
from unseen.models import ESZSL, JFA, Calibrated
from unseen.report import Report, examine, page

if find_spec("matplotlib") is None:
    collect_ignore_glob = ["*"]  # all that is tested here draws
os.environ["MPLBACKEND"] = "agg"

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


@pytest.fixture(scope="session")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 12, "n_unseen": 6, "n_features": 10, "n_attributes": 8, "n_per_class": 12}
    return make_zero_shot(**sizes, n_test_per_class=10, noise=1.5, random_state=0)


@pytest.fixture(scope="session")
def model(data: ZeroShotDataset) -> Calibrated:
    return Calibrated(JFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.seen_table)


@pytest.fixture(scope="session")
def standard(data: ZeroShotDataset) -> list[EvaluationResult]:
    return [evaluate(model, data, trials=1) for model in (JFA(), ESZSL())]


@pytest.fixture(scope="session")
def generalized(data: ZeroShotDataset) -> list[EvaluationResult]:
    return [evaluate(model, data, "generalized", trials=1) for model in (JFA(), ESZSL())]


@pytest.fixture(scope="session")
def report(model: Calibrated, data: ZeroShotDataset) -> Report:
    return examine(model, data, [ESZSL()], pictures=lambda row: PIXEL, facts={"omega": "<1 & 2>"}, command="unseen x")


@pytest.fixture(scope="session")
def text(report: Report) -> str:
    return page(report)
