"""Requests that wait together are answered in one product, and none notices the others."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serving import Client, serving

from unseen.data import FeatureRows, ZeroShotDataset
from unseen.models import MODELS
from unseen.server import Service
from unseen.server.batching import Batcher
from unseen.server.requests.asked import Asked
from unseen.server.requests.options import Options
from unseen.server.service import Question
from unseen.transduction import GaussianEM
from unseen.utils.errors import InputError
from unseen.workflows import Fitted


class Recorder:
    """Doubles numbers, and remembers which came together; the first batch waits until the others are there."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.go_on = threading.Event()

    def __call__(self, asked: Sequence[int]) -> list[int | Exception]:
        self.batches.append(list(asked))
        assert self.go_on.wait(20)
        return [InputError("odd") if one < 0 else 2 * one for one in asked]


async def ask_all(batcher: Batcher[int, int], recorder: Recorder, asked: list[tuple[int, str, int]]) -> list[Any]:
    first = asyncio.create_task(batcher.ask(0, "a", 1))
    while not recorder.batches:
        await asyncio.sleep(0.001)
    tasks = [asyncio.create_task(batcher.ask(*one)) for one in asked]
    await asyncio.sleep(0)
    recorder.go_on.set()
    return [await first, *await asyncio.gather(*tasks, return_exceptions=True)]


def run_batches(asked: list[tuple[int, str, int]], most: int = 100) -> tuple[list[Any], list[list[int]]]:
    recorder = Recorder()
    with ThreadPoolExecutor(1) as executor:
        found = asyncio.run(ask_all(Batcher(recorder, executor, most), recorder, asked))
    return found, recorder.batches


def test_what_waits_is_answered_together() -> None:
    found, batches = run_batches([(at, "a", 1) for at in range(1, 6)])
    assert found == [0, 2, 4, 6, 8, 10]
    assert batches == [[0], [1, 2, 3, 4, 5]]


def test_only_the_same_key_is_answered_together_and_the_oldest_goes_first() -> None:
    found, batches = run_batches([(1, "b", 1), (2, "a", 1), (3, "b", 1), (4, "a", 1)])
    assert found == [0, 2, 4, 6, 8]
    assert batches == [[0], [1, 3], [2, 4]]


def test_batches_have_a_largest_size() -> None:
    _, batches = run_batches([(1, "a", 4), (2, "a", 4), (3, "a", 4), (4, "a", 30)], most=10)
    assert batches == [[0], [1, 2], [3], [4]]


def test_only_the_one_at_fault_is_told() -> None:
    found, _ = run_batches([(1, "a", 1), (-1, "a", 1), (2, "a", 1)])
    assert found[1] == 2
    assert isinstance(found[2], InputError)
    assert found[3] == 4


def test_who_has_gone_is_not_answered() -> None:
    async def leave() -> list[list[int]]:
        recorder = Recorder()
        with ThreadPoolExecutor(1) as executor:
            batcher: Batcher[int, int] = Batcher(recorder, executor, 10)
            first = asyncio.create_task(batcher.ask(0, "a", 1))
            while not recorder.batches:
                await asyncio.sleep(0.001)
            others = [asyncio.create_task(batcher.ask(at, "a", 1)) for at in (1, 2)]
            await asyncio.sleep(0)
            others[0].cancel()
            await asyncio.sleep(0)
            recorder.go_on.set()
            assert await first == 0
            assert await others[1] == 4
        return recorder.batches

    assert asyncio.run(leave()) == [[0], [2]]


def question(service: Service, X: Any, top: int = 12) -> Question:
    asked = Asked(Options(classes=None, top=top), FeatureRows.from_matrix(np.asarray(X)))
    return service.ask(asked, service.find_rows(asked).rows)


@settings(max_examples=20, deadline=None)
@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=8), seed=st.integers(0, 1000))
@pytest.mark.parametrize("name", ["jfa", "gaussian", "eszsl", "sync"])
def test_the_answer_for_a_row_does_not_depend_on_its_batch(name: str, sizes: list[int], seed: int) -> None:
    service = SERVICES.setdefault(name, make_service(name))
    random = np.random.default_rng(seed)
    questions = [question(service, random.normal(scale=3, size=(size, 12)).astype(np.float32)) for size in sizes]
    together = service.answer(questions)
    for one, found in zip(questions, together, strict=True):
        [alone] = service.answer([one])
        np.testing.assert_allclose(found.probabilities, alone.probabilities, rtol=1e-8, atol=1e-12)
        np.testing.assert_array_equal(found.labels, alone.labels)


SERVICES: dict[str, Service] = {}


def make_service(name: str) -> Service:
    from unseen.data import make_zero_shot

    data = make_zero_shot(n_seen=8, n_unseen=4, n_features=12, n_attributes=6, n_per_class=10, random_state=0)
    return Service(MODELS.find(name)().fit(data.X_train, data.y_train, classes=data.classes), data.classes)


def test_a_batch_that_fails_is_answered_one_by_one(fitted: Fitted, data: ZeroShotDataset) -> None:
    service = Service(fitted)
    good, bad = question(service, data.X_train[:2]), question(service, data.X_train[:1])
    bad.X[0, 0] = np.nan
    first, second, third = service.answer([good, bad, good])
    assert isinstance(second, ValueError)
    np.testing.assert_array_equal(first.labels, third.labels)


def test_rows_that_are_answered_together_are_not_mixed_with_other_requests(data: ZeroShotDataset) -> None:
    model = GaussianEM(MODELS["gaussian"]()).fit(data.X_train, data.y_train, classes=data.classes)
    service = Service(model, data.unseen_table)
    assert service.together
    X = data.X_test_unseen
    expected = model.predict(X, classes=data.unseen_table).tolist()
    with serving(service) as client, ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: client.ask("/predict", {"rows": X.tolist()}).json, range(6)))
    for one in found:
        assert one["together"]
        assert [row["label"] for row in one["answers"]] == expected


def test_many_clients_at_once_get_their_own_answers(client: Client, fitted: Fitted, data: ZeroShotDataset) -> None:
    X = np.concatenate([data.X_train, data.X_test_unseen])
    tables = [None, data.unseen_classes.tolist(), data.classes.labels.tolist()[::-1]]
    expected = {at: fitted.model.predict(X, classes=classes).tolist() for at, classes in enumerate(tables)}

    def ask(at: int) -> tuple[Any, Any]:
        body = {"rows": [X[at].tolist()], "classes": tables[at % 3], "names": [str(at)]}
        [answer] = client.ask("/predict", body).json["answers"]
        assert answer["row"] == str(at)
        return answer["label"], expected[at % 3][at]

    with ThreadPoolExecutor(8) as pool:
        for found, right in pool.map(ask, range(len(X))):
            assert found == right
