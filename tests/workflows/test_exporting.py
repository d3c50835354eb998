"""Models for other programs, and class tables of texts."""

from pathlib import Path

import numpy as np
import pytest

from unseen.data import ClassTable, ZeroShotDataset
from unseen.utils.errors import InputError
from unseen.workflows import Fitted, describe_classes, export


def test_an_index_over_the_candidates(fitted: Fitted, data: ZeroShotDataset, tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    done = export(fitted, faiss=tmp_path / "m.faiss", classes=data.unseen_table)
    assert (done.n_features, done.width) == (9, 6)
    assert done.index is not None
    assert list(done.index.labels) == list(data.unseen_classes)
    assert (tmp_path / "m.faiss").is_file()


def test_a_graph(fitted: Fitted, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    assert export(fitted, onnx=tmp_path / "m.onnx").index is None
    assert (tmp_path / "m.onnx").is_file()
    with pytest.raises(InputError, match="exists already"):
        export(fitted, onnx=tmp_path / "m.onnx")


def test_nothing_to_write_gets_a_sentence(fitted: Fitted) -> None:
    with pytest.raises(InputError, match="nothing to write"):
        export(fitted)


class LengthEncoder:
    """Counts letters: a stand-in for a network."""

    name, width, fingerprint = "length", 1, "0123456789abcdef"

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([[len(text)] for text in texts], dtype=np.float32)


def test_texts_become_descriptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unseen.workflows.texts.text_encoder", lambda name, **_: LengthEncoder())
    (tmp_path / "birds.csv").write_text("class,text\nwren,small\ncrow,black bird\n")
    found = describe_classes(tmp_path / "birds.csv", "text", template="a {}")
    assert found.encoder == "length"
    assert found.table.vectors.ravel().tolist() == [7, 12]
    found.write(tmp_path / "classes.csv")
    assert ClassTable.from_csv(tmp_path / "classes.csv") == found.table
    with pytest.raises(InputError, match=r"does not contain \{\} exactly once"):
        describe_classes(tmp_path / "birds.csv", template="a bird")
