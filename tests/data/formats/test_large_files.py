"""Files that are too large for the memory are read block by block, and hold what they would hold otherwise."""

import errno
import tempfile
from pathlib import Path

import numpy as np
import pytest

from unseen.data import FeatureRows, load_rows
from unseen.utils.errors import InputError
from unseen.utils.storage.spooling import spool_rows

X = np.random.default_rng(0).standard_normal((50, 4))


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of seven rows, of which three are too many for the memory."""
    for module in ("utils.storage.spooling", "data.formats.table_file", "data.formats.hdf5"):
        monkeypatch.setattr(f"unseen.{module}.MOST_IN_MEMORY", 2 * 7 * 4 * 8)
    monkeypatch.setattr("unseen.utils.arrays.BLOCK_BYTES", 7 * 4 * 8)
    monkeypatch.setattr("unseen.data.formats.table_file.BLOCK_BYTES", 7 * 4 * 8)


def write(path: Path) -> Path:
    names = [f"p{at}" for at in range(len(X))]
    if path.suffix == ".csv":
        lines = [",".join([name, *map(repr, row)]) for name, row in zip(names, X.tolist(), strict=True)]
        path.write_text("\n".join(["picture,a,b,c,d", *lines]))
    elif path.suffix == ".parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = {"picture": names} | {name: X[:, at] for at, name in enumerate("abcd")}
        parquet.write_table(arrow.table(columns), path)
    else:
        with pytest.importorskip("h5py").File(path, "w") as file:
            file.create_dataset("X", data=X, chunks=(5, 4), compression="gzip")
    return path


@pytest.mark.parametrize("name", ["X.csv", "X.parquet", "X.h5"])
def test_rows_are_the_same_from_a_temporary_file(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    whole = load_rows(write(tmp_path / name))
    request.getfixturevalue("little_memory")
    found = load_rows(tmp_path / name)
    assert isinstance(found.X, np.memmap)
    assert not isinstance(whole.X, np.memmap)
    np.testing.assert_array_equal(found.X, whole.X)
    assert list(found.names) == list(whole.names)
    assert found.feature_names == whole.feature_names


def test_a_mistake_in_a_later_block_is_found_where_it_is(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    lines = write(tmp_path / "X.csv").read_text().splitlines()
    lines[31] = lines[31].rpartition(",")[0] + ",many"
    (tmp_path / "X.csv").write_text("\n".join(lines))
    told = []
    for memory in (None, "little_memory"):
        if memory:
            request.getfixturevalue(memory)
        with pytest.raises(InputError, match="at row") as error:
            load_rows(tmp_path / "X.csv")
        told.append(str(error.value))
    assert told[0] == told[1]


def test_text_and_empty_cells_of_a_large_parquet_file_are_refused(tmp_path: Path, little_memory: None) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for column, sentence in ((["x"] * 200, "columns that are not numbers: 'b'"), ([None] + [1.0] * 199, "empty cells")):
        parquet.write_table(arrow.table({"a": np.arange(200.0), "b": column}), tmp_path / "X.parquet")
        with pytest.raises(InputError, match=sentence):
            load_rows(tmp_path / "X.parquet")


def test_exactly_full_blocks_end_too(tmp_path: Path, little_memory: None) -> None:
    for n in (7, 28, 29):
        rows = [",".join(map(repr, row)) for row in X[:n].tolist()]
        (tmp_path / "X.csv").write_text("\n".join(["a,b,c,d", *rows]) + "\n")
        found = load_rows(tmp_path / "X.csv")
        assert isinstance(found, FeatureRows)
        np.testing.assert_array_equal(found.X, X[:n])


def test_a_full_temporary_folder_gets_a_sentence(monkeypatch: pytest.MonkeyPatch, little_memory: None) -> None:
    def refuse(**options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(InputError, match="X does not fit into the temporary folder"):
        spool_rows([X, X], "X")
