"""A small model, a server of it, and what a user would get from the command line."""

from collections.abc import Iterator

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from serving import Client, serving

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.server import Service
from unseen.workflows import Fitted, fit


@pytest.fixture(scope="package")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=8, n_unseen=4, n_features=12, n_attributes=6, n_per_class=10, random_state=0)


@pytest.fixture(scope="package")
def fitted(data: ZeroShotDataset) -> Fitted:
    return fit(data, "jfa", seed=0)


@pytest.fixture(scope="package")
def service(fitted: Fitted) -> Service:
    return Service(fitted)


@pytest.fixture(scope="package")
def client(service: Service) -> Iterator[Client]:
    with serving(service) as found:
        yield found
