"""Features on their way to disk survive a kill at any byte."""

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.encoders.manifest import EncoderRecord
from unseen.encoders.store import Store, read_encoder
from unseen.utils.errors import InputError

WIDTH = 3
ONE, TWO = (EncoderRecord(name, f"fingerprint of {name}", WIDTH) for name in ("one", "two"))


def rows_of(store: Store) -> np.ndarray:
    return np.array([store.read(hash_) for hash_ in store.hashes]).reshape(-1, WIDTH)


def hashes_of(start: int, n: int) -> list[str]:
    return [hashlib.sha256(bytes([start + at])).hexdigest() for at in range(n)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 300), st.integers(0, 1100))
def test_any_truncation_leaves_whole_rows(batches: list[int], cut_rows: int, cut_hashes: int) -> None:
    with TemporaryDirectory() as name:
        folder, written, rows = Path(name) / "store", list[str](), list[np.ndarray]()
        with Store(folder, ONE) as store:
            for n in batches:
                rows.append(np.random.default_rng(n).standard_normal((n, WIDTH)).astype(np.float32))
                store.append(hashes_of(len(written), n), rows[-1])
                written += hashes_of(len(written), n)
        for file, cut in (("rows.f32", cut_rows), ("hashes.txt", cut_hashes)):
            content = (folder / file).read_bytes()
            (folder / file).write_bytes(content[: max(0, len(content) - cut)])
        with Store(folder, ONE) as again:
            kept = len(again.hashes)
            assert list(again.hashes) == written[:kept]
            np.testing.assert_array_equal(rows_of(again), np.concatenate(rows)[:kept])
            # No more is lost than was cut off, and what comes next lands where it should.
            assert kept == min(len(written) - -(-cut_rows // 12), len(written) - -(-cut_hashes // 130)) or kept == 0
            again.append([hashlib.sha256(b"next").hexdigest()], np.ones((1, WIDTH), dtype=np.float32))
            np.testing.assert_array_equal(rows_of(again)[-1], 1)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damaged_rows_are_not_there(data: st.DataObject) -> None:
    with TemporaryDirectory() as name:
        folder, hashes = Path(name) / "store", hashes_of(0, 6)
        rows = np.random.default_rng(0).standard_normal((6, WIDTH)).astype(np.float32)
        with Store(folder, ONE) as store:
            store.append(hashes, rows)
        file = folder / data.draw(st.sampled_from(["rows.f32", "hashes.txt"]))
        content = bytearray(file.read_bytes())
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] ^= data.draw(st.integers(1, 255))
        file.write_bytes(content)
        with Store(folder, ONE) as again:
            damaged = at * 6 // len(content)
            assert list(again.hashes) == hashes[:damaged] + hashes[damaged + 1 :]
            again.append([hashes[damaged]], rows[[damaged]])
        with Store(folder, ONE) as whole:
            np.testing.assert_array_equal([whole.read(hash_) for hash_ in hashes], rows)


def test_damage_during_a_run_is_noticed(tmp_path: Path) -> None:
    with Store(tmp_path / "store", ONE) as store:
        store.append(hashes_of(0, 2), np.ones((2, WIDTH), dtype=np.float32))
        with open(tmp_path / "store" / "rows.f32", "r+b") as file:
            file.write(b"x")
        with pytest.raises(InputError, match="was damaged after it was written"):
            store.read(hashes_of(0, 1)[0])
        np.testing.assert_array_equal(store.read(hashes_of(1, 1)[0]), 1)


def test_rows_of_another_encoder_are_not_there(tmp_path: Path) -> None:
    with Store(tmp_path / "store", ONE) as store:
        store.append(hashes_of(0, 2), np.zeros((2, WIDTH), dtype=np.float32))
    assert read_encoder(tmp_path / "store") == ONE
    with Store(tmp_path / "store", TWO) as other:
        assert not other.hashes


def test_an_unknown_encoder(tmp_path: Path) -> None:
    assert read_encoder(tmp_path) is None
    for wrong in ("", "{", "[]", "7", '{"name": 1}', '{"fingerprint": "a", "name": "b", "width": "c"}'):
        (tmp_path / "encoder.json").write_text(wrong)
        assert read_encoder(tmp_path) is None
