"""A search on a Dask cluster: the rows are sent once, whatever happens, and the result is the same."""

import gc
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.decomposition import PCA

from unseen.data import ZeroShotDataset
from unseen.evaluation import evaluate
from unseen.features import Rows
from unseen.models import ESZSL, JFA, BilinearSVM, Prepared
from unseen.selection import ClassDisjointSearch, HoldOutClasses, Selection, select
from unseen.selection.opened import Opened
from unseen.utils.cluster import Cluster
from unseen.utils.errors import InputError

distributed = pytest.importorskip("distributed")

# So many that a search has three rounds.
LAMS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]


class Counted(np.ndarray):
    """An array that counts how often it is written for another process."""

    times = 0

    def __reduce_ex__(self, protocol: Any) -> Any:
        Counted.times += 1
        return super().__reduce_ex__(protocol)


class DyingOnce(BilinearSVM):
    """Kills the first process that fits it; the file of this name tells whether it did."""

    def __init__(self, lam: float = 1.0, *, mark: str = "") -> None:
        super().__init__(lam)
        self.mark = mark

    def fit(self, *given: Any, **named: Any) -> Any:
        if not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(*given, **named)


class Dying(BilinearSVM):
    """Kills every process that fits it."""

    def fit(self, *given: Any, **named: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True, eq=False)
class NotedRows(Rows):
    """Rows of which some are taken only when their moments are measured, which is noted in a file."""

    log: str = ""

    def take(self, indices: Any) -> Any:
        note(self.log, "measured")
        return super().take(indices)


class Noting(BilinearSVM):
    """Notes in a file when rows are scaled and measured."""

    def __init__(self, lam: float = 1.0, *, log: str = "") -> None:
        super().__init__(lam)
        self.log = log

    def _make_training_rows(self, X: Any) -> Rows:
        note(self.log, "scaled")
        return NotedRows(**vars(super()._make_training_rows(X)), log=self.log)


def note(log: str, what: str) -> None:
    with open(log, "a") as file:
        file.write(f"{what} {os.getpid()}\n")


def count_opened() -> int:
    gc.collect()
    return sum(isinstance(each, Opened) for each in gc.get_objects())


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A cluster of two workers."""
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster) as client:
        yield client


def assert_equal(one: Selection, other: Selection) -> None:
    assert one.best_index == other.best_index
    assert one.results.keys() == other.results.keys()
    for column in one.results:
        if column not in ("mean_time", "params"):
            np.testing.assert_array_equal(one.results[column], other.results[column])


def search(data: ZeroShotDataset, estimator: Any, grid: Any, X: Any = None, **options: Any) -> Selection:
    X = data.X_train if X is None else X
    return select(estimator, grid, X, data.y_train, data.classes, random_state=0, **options)


@pytest.mark.parametrize("halving", [True, False])
@pytest.mark.parametrize(
    ("estimator", "name"), [(BilinearSVM(), "lam"), (ESZSL(), "lam"), (Prepared(JFA(), features=PCA(4)), "model__lam")]
)
def test_the_result_is_that_of_one_process(
    client: Any, data: ZeroShotDataset, estimator: Any, name: str, halving: bool
) -> None:
    here = search(data, estimator, {name: LAMS}, halving=halving)
    with joblib.parallel_config("dask", client=client):
        there = search(data, estimator, {name: LAMS}, halving=halving)
    assert_equal(here, there)


def test_rows_are_sent_once_for_all_splits_and_rounds(client: Any, data: ZeroShotDataset) -> None:
    X = data.X_train.view(Counted)
    Counted.times = 0
    with joblib.parallel_config("dask", client=client):
        found = search(data, BilinearSVM(), {"lam": LAMS}, X)
    assert set(found.results["round"]) == {0, 1, 2}
    assert Counted.times == 1


def test_a_worker_scales_and_measures_a_split_once(client: Any, data: ZeroShotDataset, tmp_path: Path) -> None:
    """There are two tasks for each worker; it lets go of the rows after the search."""
    log, splitter = tmp_path / "log", HoldOutClasses(0.25, n_splits=1, random_state=0)
    with joblib.parallel_config("dask", client=client):
        search(data, Noting(log=str(log)), {"lam": LAMS}, splitter=splitter, halving=False)
    noted = Counter(log.read_text().splitlines())
    assert {line.split()[0] for line in noted} == {"scaled", "measured"}
    assert set(noted.values()) == {1}
    deadline = time.monotonic() + 10
    while any(client.run(count_opened).values()):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_preparations_of_descriptions_share_the_prepared_rows(
    client: Any, data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, scatter = [], distributed.Client.scatter
    monkeypatch.setattr(
        distributed.Client,
        "scatter",
        lambda self, given, **options: sent.append(given) or scatter(self, given, **options),
    )
    with joblib.parallel_config("dask", client=client):
        search(data, Prepared(BilinearSVM()), {"descriptions": [None, PCA(3)], "model__lam": LAMS})
    [staged] = sent
    for stages in staged.stages:
        assert len(stages) == 2
        assert stages[0].ground.train.X is stages[1].ground.train.X


def test_omega_is_chosen_on_a_cluster(client: Any, data: ZeroShotDataset) -> None:
    X = data.X_train.view(Counted)
    here = JFA("auto", random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    Counted.times = 0
    with joblib.parallel_config("dask", client=client):
        there = JFA("auto", random_state=0).fit(X, data.y_train, classes=data.classes)
    assert Counted.times <= 1  # not at all if the model has made an array of its own
    assert_equal(here.selection_, there.selection_)


def test_dask_arrays_stay_on_the_cluster(client: Any, data: ZeroShotDataset) -> None:
    da = pytest.importorskip("dask.array")
    here = search(data, BilinearSVM(), {"lam": [0.1, 10.0]})
    with joblib.parallel_config("dask", client=client):
        there = search(
            data, BilinearSVM(), {"lam": [0.1, 10.0]}, da.from_array(data.X_train, chunks=(40, -1)).persist()
        )
    np.testing.assert_allclose(there.results["mean_test_score"], here.results["mean_test_score"])


def test_memory_maps_are_sent(client: Any, data: ZeroShotDataset, tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", data.X_train)
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    here = search(data, BilinearSVM(), {"lam": LAMS})
    with joblib.parallel_config("dask", client=client):
        assert_equal(here, search(data, BilinearSVM(), {"lam": LAMS}, X))


def test_an_error_names_the_parameters(client: Any, data: ZeroShotDataset) -> None:
    with (
        joblib.parallel_config("dask", client=client),
        pytest.raises(InputError, match=r"the search stopped at lam=-1 \(split \d of 3\): lam"),
    ):
        search(data, BilinearSVM(), {"lam": [1.0, -1]})


@pytest.mark.parametrize("options", [{"trials": 1}, {"class_splits": 2}], ids=["one trial", "two splits"])
def test_searches_inside_trials(client: Any, data: ZeroShotDataset, options: dict[str, int]) -> None:
    """With fewer trials than workers their searches are spread; a task that waits for others does not block them."""
    model = ClassDisjointSearch(BilinearSVM(), {"lam": LAMS}, random_state=0)
    here = evaluate(model, data, **options)
    with joblib.parallel_config("dask", client=client):
        there = evaluate(model, data, **options)
    assert [trial.parameters for trial in there.trials] == [trial.parameters for trial in here.trials]
    assert [trial.metrics for trial in there.trials] == [trial.metrics for trial in here.trials]


@pytest.mark.skipif(os.name != "posix", reason="sends SIGKILL")
def test_what_a_lost_worker_was_at_is_done_again(data: ZeroShotDataset, tmp_path: Path) -> None:
    """There is a single worker, and the rows are lost with it."""
    mark, X = tmp_path / "died", data.X_train.view(Counted)
    Counted.times = 0
    with Cluster(workers=1).use():
        there = search(data, DyingOnce(mark=str(mark)), {"lam": LAMS}, X, halving=False)
    assert mark.exists()
    assert Counted.times == 2
    assert_equal(search(data, BilinearSVM(), {"lam": LAMS}, halving=False), there)


@pytest.mark.skipif(os.name != "posix", reason="sends SIGKILL")
def test_workers_that_are_lost_again_and_again_are_a_sentence(data: ZeroShotDataset, monkeypatch: Any) -> None:
    monkeypatch.setattr("unseen.utils.cluster.working.ATTEMPTS", 2)
    with (
        Cluster(workers=1).use(),
        pytest.raises(InputError, match=r"the Dask cluster lost workers of the search 2 times"),
    ):
        search(data, Dying(), {"lam": [1.0, 2.0]})
