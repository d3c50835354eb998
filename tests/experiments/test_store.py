import json
import os
import random
import sqlite3

import numpy as np
import pytest
from file_faults import damaged

from unseen.evaluation import Trial
from unseen.experiments import TrialStore
from unseen.utils.errors import InputError

# The other half on the store of a sweep.
CASES = int(os.environ.get("UNSEEN_DAMAGES", "100")) // 2
NAMES = {"experiment": "mine", "version": "1.0"}


def trial(seed):
    return Trial({"per-image accuracy": 0.1 * seed}, {"recall": np.array([0.1, 1 / 3])}, "x", seed=seed)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trials.sqlite"


def test_trials_are_there_for_the_next_run(path):
    with TrialStore(path) as store:
        store.add_trial("key", 1, trial(1), **NAMES)
        store.add_trial("key", 0, trial(0), **NAMES)
        store.add_trial("other", 0, trial(9), **NAMES)
        store.add_selection("key", {"lam": 0.5, "omega": [1, 2]}, seconds=1.5, **NAMES)
    with TrialStore(path) as store:
        assert list(store.trials("key")) == [0, 1]
        assert store.trials("key")[1].per_class["recall"].tolist() == [0.1, 1 / 3]
        assert store.finished("key") == {0, 1}
        assert store.selection("key") == {"lam": 0.5, "omega": [1, 2]}
        assert store.selection("other") is None
        assert (store.selection_seconds("key"), store.selection_seconds("other")) == (1.5, None)
        assert store.others("mine", "key") == 1


def test_a_selection_from_before_times_were_stored_is_still_of_use(path):
    with TrialStore(path) as store:
        store._add("selections", [("key", "mine", "1.0", "then", json.dumps({"lam": 0.5}))])
        assert (store.selection("key"), store.selection_seconds("key")) == ({"lam": 0.5}, None)


def test_a_trial_is_kept_before_the_store_is_closed(path):
    store = TrialStore(path)
    store.add_trial("key", 0, trial(0), **NAMES)
    with TrialStore(path) as second:
        assert second.finished("key") == {0}
        second.add_trial("key", 1, trial(1), **NAMES)
    assert store.finished("key") == {0, 1}
    store.__exit__(None, None, None)


def test_the_first_outcome_of_a_trial_stays(path):
    with TrialStore(path) as store:
        store.add_trial("key", 0, trial(3), **NAMES)
        store.add_trial("key", 0, trial(4), **NAMES)
        assert store.trials("key")[0].seed == 3


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to have a header " * 9, b"PK\x03\x04"])
def test_files_of_other_kinds_are_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"trials\.sqlite cannot be used"):
        TrialStore(path)
    assert path.read_bytes() == content


def test_databases_of_other_programs_are_left_alone(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE trials (mine TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="database of another program"):
        TrialStore(path)
    assert path.read_bytes() == before


def test_stores_of_another_layout_are_left_alone(path):
    TrialStore(path).__exit__(None, None, None)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match=r"written by another version of unseen \(layout 99"):
        TrialStore(path)


def test_a_place_that_cannot_be_written_gets_a_sentence(tmp_path):
    with pytest.raises(InputError, match="cannot be used"):
        TrialStore(tmp_path / "no such folder" / "trials.sqlite")


@pytest.mark.chaos
def test_damaged_bytes_never_give_other_numbers(path, tmp_path):
    written = {number: trial(number) for number in range(40)}
    with TrialStore(path) as store:
        for number, one in written.items():
            store.add_trial("key", number, one, **NAMES)
        store.add_selection("key", {"lam": 0.5}, seconds=1.5, **NAMES)
    whole, refused = path.read_bytes(), list[str]()
    for case in range(CASES):
        other = tmp_path / f"{case}.sqlite"
        other.write_bytes(damaged(whole, random.Random(case)))
        try:
            with TrialStore(other) as store:
                found, selection = store.trials("key"), store.selection("key")
        except InputError as error:
            refused.append(str(error))
            continue
        assert {n: t.to_dict() for n, t in found.items()} == {n: t.to_dict() for n, t in written.items()}
        assert selection == {"lam": 0.5}
    assert 0 < len(refused) < CASES
    assert all(str(tmp_path) in sentence for sentence in refused)
    print(f"{CASES} damaged stores of trials: {len(refused)} refused, others equal")


@pytest.mark.parametrize("record", ["{", "[]", json.dumps({"curve": 3})])
def test_a_record_that_is_not_a_trial_is_a_sentence(path, record):
    with TrialStore(path) as store:
        store._add("trials", [("key", 0, "mine", "1.0", "today", record)])
        with pytest.raises(InputError, match=r"trials\.sqlite is damaged \(a record cannot be read\)"):
            store.trials("key")
