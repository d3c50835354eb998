"""Small studios, and a browser to look at them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import opened, started
from studio_pages import OpenPage, wait_until

from unseen.data import ClassTable, ZeroShotDataset, load_dataset, make_zero_shot
from unseen.models import JFA, Calibrated
from unseen.studio import Studio, open_studio


@pytest.fixture(scope="session")
def digits() -> ZeroShotDataset:
    return load_dataset("digit-pairs", n_test_unseen=6, n_train=12)


@pytest.fixture(scope="session")
def model(digits: ZeroShotDataset) -> Calibrated:
    return Calibrated(JFA(), random_state=0).fit(digits.X_train, digits.y_train, classes=digits.classes)


@pytest.fixture(scope="session")
def studio(model: Calibrated, digits: ZeroShotDataset) -> Studio:
    return open_studio(model, digits)


@pytest.fixture(scope="session")
def shares() -> ZeroShotDataset:
    """Data whose descriptions are shares between 0 and 1, as every preparation takes them."""
    sizes = {"n_seen": 12, "n_unseen": 6, "n_features": 10, "n_attributes": 8, "n_per_class": 12}
    data = make_zero_shot(**sizes, n_test_per_class=10, noise=1.5, random_state=0)
    vectors = data.classes.vectors
    low, high = vectors.min(), vectors.max()
    table = ClassTable(
        (vectors - low) / (high - low), data.classes.labels, [f"part {j // 4}::{j % 4}" for j in range(8)]
    )
    return ZeroShotDataset(np.abs(data.X), data.y, table, data.train, data.test_seen, data.test_unseen, name="shares")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with started() as browser:
        yield browser


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> OpenPage:
    """Open a studio as a file in the browser; nothing may be asked for but the page itself."""

    @contextmanager
    def open_page(studio: Studio, width: int = 1440, scheme: str = "light", link: str = "") -> Iterator[Any]:
        path = tmp_path / "index.html"
        path.write_text(studio.page(), encoding="utf-8")
        with opened(chromium, path.as_uri() + link, width, scheme) as (page, asked):
            wait_until(page, "window.studio !== undefined")
            yield page
            assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [path.as_uri()]

    return open_page
