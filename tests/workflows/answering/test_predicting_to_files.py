"""Answers written block by block are the answers, and a file of them is whole or not there."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from unseen.data import ZeroShotDataset
from unseen.utils.arrays import give_back_pages
from unseen.utils.errors import InputError
from unseen.utils.progress import Progress
from unseen.workflows import Fitted, fit, predict, predict_to_file


@pytest.fixture(scope="module")
def fitted(data: ZeroShotDataset) -> Fitted:
    return fit(data, "eszsl", seed=0)


@pytest.fixture
def one_row_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unseen.utils.arrays.BLOCK_BYTES", 1)


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_blocks_make_the_same_text(
    ending: str, fitted: Fitted, data: ZeroShotDataset, tmp_path: Path, one_row_blocks: None
) -> None:
    X = data.X_test_unseen[:7]
    whole = predict(fitted, X, data.unseen_table, top=3, abstain=0.9)
    done = predict_to_file(fitted, X, tmp_path / f"a.{ending}", data.unseen_table, top=3, abstain=0.9)
    expected = whole.to_csv() if ending == "csv" else whole.to_json()
    assert (tmp_path / f"a.{ending}").read_text() == expected
    assert (done.n_rows, done.n_withheld) == (7, sum(label is None for label in whole.labels))
    stream = io.StringIO()
    predict_to_file(fitted, X, stream, data.unseen_table, top=3, abstain=0.9, wanted=ending)
    assert stream.getvalue() == expected


def test_blocks_make_the_same_table(
    fitted: Fitted, data: ZeroShotDataset, tmp_path: Path, one_row_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("unseen.workflows.answering.answer_files.ROWS_OF_GROUP", 2)
    X = data.X_test_unseen[:7]
    for abstain in (0.0, 0.9, 1.0):  # with 1.0 no block has a label that would tell its type
        whole = predict(fitted, X, data.unseen_table, top=2, abstain=abstain)
        predict_to_file(fitted, X, tmp_path / "a.parquet", data.unseen_table, top=2, abstain=abstain, force=True)
        file = parquet.ParquetFile(tmp_path / "a.parquet")
        assert file.num_row_groups == 4
        assert file.read().to_pylist() == json.loads(whole.to_json())
        assert [str(field.type) for field in file.schema_arrow] == ["int64", "string", "double", "string", "double"]


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.parquet"])
def test_a_stop_leaves_nothing_behind(
    name: str, fitted: Fitted, data: ZeroShotDataset, tmp_path: Path, one_row_blocks: None
) -> None:
    def stop(now: Progress) -> None:
        if now.done == 3:
            raise KeyboardInterrupt

    (tmp_path / "before").mkdir()
    (tmp_path / "before" / name).write_text("of before")
    for folder in (tmp_path, tmp_path / "before"):
        with pytest.raises(KeyboardInterrupt):
            predict_to_file(fitted, data.X_test_unseen, folder / name, data.unseen_table, force=True, on_progress=stop)
    assert [entry.name for entry in tmp_path.iterdir()] == ["before"]
    assert (tmp_path / "before" / name).read_text() == "of before"


def test_rows_that_cannot_be_answered_leave_no_file(fitted: Fitted, data: ZeroShotDataset, tmp_path: Path) -> None:
    X = data.X_test_unseen[:5].copy()
    X[3, 0] = np.nan
    with pytest.raises(InputError, match="nan in row 3"):
        predict_to_file(fitted, X, tmp_path / "a.csv", data.unseen_table)
    assert not list(tmp_path.iterdir())


def test_a_memory_map_is_read_again_after_its_pages_were_given_back(tmp_path: Path) -> None:
    values = np.random.default_rng(0).standard_normal((300, 50))
    np.save(tmp_path / "X.npy", values)
    for mode in ("r", "c", "r+"):
        X = np.load(tmp_path / "X.npy", mmap_mode=mode)
        if mode == "c":
            X[0] = 1.0
        before = X[:5].copy()
        give_back_pages(X)
        give_back_pages(X[10:20])
        np.testing.assert_array_equal(X[:5], before)
    give_back_pages(values)


def test_memory_maps_of_every_kind_give_the_same_answers(
    fitted: Fitted, data: ZeroShotDataset, tmp_path: Path, one_row_blocks: None
) -> None:
    h5py = pytest.importorskip("h5py")
    X = data.X_test_unseen[:6]
    np.save(tmp_path / "X.npy", X)
    with h5py.File(tmp_path / "X.h5", "w") as file:
        file["X"] = X
    expected = predict(fitted, X, data.unseen_table, top=2).to_csv()
    for name in ("X.npy", "X.h5"):
        predict_to_file(fitted, tmp_path / name, tmp_path / "a.csv", data.unseen_table, top=2, force=True)
        assert (tmp_path / "a.csv").read_text() == expected
