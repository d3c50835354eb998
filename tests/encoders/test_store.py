"""Features on their way to disk survive a kill at any byte."""

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.encoders.store import Store
from unseen.utils.errors import InputError

WIDTH = 3


def hashes_of(start: int, n: int) -> list[str]:
    return [hashlib.sha256(bytes([start + at])).hexdigest() for at in range(n)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 300), st.integers(0, 1100))
def test_any_truncation_leaves_whole_rows(batches: list[int], cut_rows: int, cut_hashes: int) -> None:
    with TemporaryDirectory() as name:
        folder, written, rows = Path(name) / "store", list[str](), list[np.ndarray]()
        store = Store(folder, "encoder", WIDTH)
        for n in batches:
            rows.append(np.random.default_rng(n).standard_normal((n, WIDTH)).astype(np.float32))
            store.append(hashes_of(len(written), n), rows[-1])
            written += hashes_of(len(written), n)
        store.close()
        for file, cut in (("rows.f32", cut_rows), ("hashes.txt", cut_hashes)):
            content = (folder / file).read_bytes()
            (folder / file).write_bytes(content[: max(0, len(content) - cut)])
        again = Store(folder, "encoder", WIDTH)
        kept = len(again.positions)
        assert list(again.positions) == written[:kept]
        np.testing.assert_array_equal(again.rows(), np.concatenate(rows)[:kept])
        # No more is lost than was cut off, and what comes next lands where it should.
        assert kept == min(len(written) - -(-cut_rows // 12), len(written) - -(-cut_hashes // 65)) or kept == 0
        again.append([hashlib.sha256(b"next").hexdigest()], np.ones((1, WIDTH), dtype=np.float32))
        np.testing.assert_array_equal(again.rows()[-1], 1)
        again.close()


def test_rows_of_another_encoder_are_thrown_away(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", "one", WIDTH)
    store.append(hashes_of(0, 2), np.zeros((2, WIDTH), dtype=np.float32))
    store.close()
    other = Store(tmp_path / "store", "two", WIDTH)
    assert other.positions == {}
    other.close()


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="locks are not taken on this system")
    store = Store(tmp_path / "store", "one", WIDTH)
    with pytest.raises(InputError, match="being written by another"):
        Store(tmp_path / "store", "one", WIDTH)
    store.close()
    Store(tmp_path / "store", "one", WIDTH).close()
