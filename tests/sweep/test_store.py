"""The store of a sweep: made whole or not at all, and never another number than was written."""

import os
import random
import signal
import sqlite3
from pathlib import Path

import pytest
from file_faults import damaged

from unseen.sweep import sweep
from unseen.sweep.results import WAYS, Outcome
from unseen.sweep.store import SweepStore
from unseen.utils.errors import InputError

# Half of them here, half on the store of `unseen bench`.
CASES = int(os.environ.get("UNSEEN_DAMAGES", "100")) // 2

FACTS = {f"fact {number}": [number, "x" * 500] for number in range(20)}
OUTCOMES = [Outcome(at, way, at / 7, 0.1, 3.0, True, at, 0.5, 0.0) for at in range(20) for way in WAYS]


@pytest.mark.parametrize("size", [0, 512, *range(1000, 17_000, 1000)])
def test_killed_in_its_first_writes_it_can_be_made_again(tmp_path, size):
    """The system kills a process at the first write beyond a size, so in the midst of a commit."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "sweep.sqlite"
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        with SweepStore(path) as store:
            store.claim(FACTS)
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended == -signal.SIGXFSZ
    with SweepStore(path) as store:
        store.claim(FACTS | {"fact 3": "another"})
        store.add(OUTCOMES)
    with SweepStore(path) as store, pytest.raises(InputError, match="another fact 3"):
        store.claim(FACTS)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "sweep.sqlite"
    with SweepStore(path) as store:
        store.claim(FACTS)
        store.add(OUTCOMES)
    return path.read_bytes()


@pytest.mark.chaos
def test_damaged_bytes_never_give_other_numbers(whole, tmp_path):
    refused, removed = list[str](), 0
    for case in range(CASES):
        path = tmp_path / f"{case}.sqlite"
        path.write_bytes(damaged(whole, random.Random(case)))
        try:
            with SweepStore(path) as store:
                store.claim(FACTS)
                lost = store.remove_damaged()
                found = store.outcomes()
        except InputError as error:
            refused.append(str(error))
            continue
        removed += bool(lost)
        assert len(found) == len(OUTCOMES) - lost
        assert all(outcome in OUTCOMES for outcome in found)
    assert 0 < len(refused) < CASES
    assert all(str(tmp_path) in sentence for sentence in refused)
    print(f"{CASES} damaged stores of a sweep: {len(refused)} refused, {removed} lost rows, others equal")


def change(path: Path, table: str, change: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"UPDATE {table} SET {change}")
    connection.close()


def test_damaged_outcomes_are_solved_again_and_it_is_said(data, tmp_path, capsys):
    first = sweep(data, tmp_path, grid=(1.0, 100.0))
    results = (tmp_path / "results.csv").read_bytes()
    change(
        tmp_path / "sweep.sqlite",
        "outcomes",
        "record = replace(record, '\"iterations\": ', '\"iterations\": 1') WHERE problem = 3",
    )
    again = sweep(data, tmp_path, grid=(1.0, 100.0))
    assert 0 < again.solved_now <= first.problems
    assert "sweep.sqlite are damaged: they are solved again." in capsys.readouterr().err
    assert (tmp_path / "results.csv").read_bytes() == results


def test_damaged_facts_are_refused(tmp_path, whole):
    path = tmp_path / "sweep.sqlite"
    path.write_bytes(whole)
    change(path, "facts", "value = '[7]' WHERE name = 'fact 3'")
    with SweepStore(path) as store, pytest.raises(InputError, match=r"sweep\.sqlite is damaged .* move it away"):
        store.claim(FACTS)
