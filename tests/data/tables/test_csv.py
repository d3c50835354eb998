import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unseen.data import ClassTable
from unseen.utils.errors import InputError


@st.composite
def tables(draw):
    n, width = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    # NumPy drops NUL at the end of text, and lone surrogates are no UTF-8.
    text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
    labels = draw(st.lists(text, min_size=n, max_size=n, unique=True))
    numbers = draw(
        arrays(
            draw(st.sampled_from([np.float32, np.float64])),
            (n, width),
            elements={"allow_nan": False, "allow_infinity": False},
        )
    )
    names = st.lists(text.map(lambda name: "is " + name), min_size=width, max_size=width, unique=True)
    return ClassTable(numbers, labels, draw(st.none() | names))


@given(tables())
def test_text_labels_survive_the_file(table):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table.to_csv(path)
        assert ClassTable.from_csv(path, text_labels=True) == table


@given(st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=1, max_size=6, unique=True))
def test_integer_labels_survive_the_file(labels):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        ClassTable.one_hot(labels).to_csv(path)
        assert ClassTable.from_csv(path) == ClassTable.one_hot(labels)


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "animals.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_reads_a_file_as_people_write_it(tmp_path):
    path = written(tmp_path, 'name,stripes, legs\r\nzebra,1,4\r\n"snake, big",0.5, 0\r\n\r\n', encoding="utf-8-sig")
    table = ClassTable.from_csv(path)
    assert table == ClassTable([[1, 4], [0.5, 0]], ["zebra", "snake, big"], ["stripes", " legs"])


def test_label_column_and_delimiter_can_be_named(tmp_path):
    path = written(tmp_path, "stripes;class;legs\n1;zebra;4\n0;snake;0\n")
    table = ClassTable.from_csv(str(path), label="class", delimiter=";")
    assert table == ClassTable([[1, 4], [0, 0]], ["zebra", "snake"], ["stripes", "legs"])


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1", "-2", "0"], [1, -2, 0]),
        (["1", "02"], ["1", "02"]),
        (["1", "+2"], ["1", "+2"]),
        (["1", "2.0"], ["1", "2.0"]),
        (["1", "99999999999999999999"], ["1", "99999999999999999999"]),
        (["1", "b"], ["1", "b"]),
    ],
)
def test_labels_are_integers_only_if_all_are_plain_integers(tmp_path, cells, labels):
    path = written(tmp_path, "label,p\n" + "".join(f"{cell},0\n" for cell in cells))
    assert list(ClassTable.from_csv(path)) == labels


def test_files_of_pandas_can_be_read(tmp_path):
    pd = pytest.importorskip("pandas")
    path = tmp_path / "embeddings.csv"
    pd.DataFrame([[0.25, 1.5], [2.0, 3.0]], index=["zebra", "okapi"]).to_csv(path)
    assert ClassTable.from_csv(path) == ClassTable([[0.25, 1.5], [2, 3]], ["zebra", "okapi"], ["0", "1"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "animals.csv is empty"),
        ("\n\n", "animals.csv is empty"),
        ("name,legs\n", "header but no classes"),
        ("name\nzebra\n", "single column 'name'.*delimiter"),
        ("name,legs\nzebra,4\nsnake,\n", "line 3, column 'legs': the cell is empty"),
        ("name,legs\nzebra,four\n", "line 2, column 'legs': 'four' is not a number"),
        ("name,,\nzebra,1,x\n", "line 2, column 3: 'x' is not a number"),
        ("name,legs\nzebra,nan\n", "line 2, column 'legs': 'nan' is not finite"),
        ("name,legs\nzebra,1e999\n", "line 2, column 'legs': '1e999' is not finite"),
        ("name,legs\n\nzebra,4,1\n", "line 3 has 3 cells, but the header has 2"),
        ("name,legs\nzebra\n", "line 2 has 1 cells, but the header has 2"),
        ("name,legs\nzebra,4\nsnake,0\nzebra,4\n", "line 4: label 'zebra' is already on line 2"),
        ("name,legs\n,4\n", "line 2: the label is empty"),
        ("name,legs,legs\nzebra,4,4\n", r"line 1 \(the header\) repeats the column 'legs'"),
        ("name,legs,\nzebra,4,4\n", r"line 1 \(the header\) leaves attribute 2 without a name"),
        ("zebra,0.25,4\nsnake,0.5,0\n", r"line 1 \(the header\) holds only numbers \('0.25', '4'\)"),
        ("zebra,1,0\nsnake,0,0\n", "line 1 .* holds only numbers"),
    ],
)
def test_bad_file_gets_a_sentence(tmp_path, text, sentence):
    with pytest.raises(InputError, match=sentence):
        ClassTable.from_csv(written(tmp_path, text))


def test_unknown_label_column_gets_a_sentence(tmp_path):
    path = written(tmp_path, "class,legs\nzebra,4\n")
    with pytest.raises(InputError, match=r"label='clas' names 0 columns .*did you mean 'class'\?.*'class', 'legs'"):
        ClassTable.from_csv(path, label="clas")


def test_other_encodings_and_missing_files(tmp_path):
    with pytest.raises(InputError, match="not UTF-8"):
        ClassTable.from_csv(written(tmp_path, "name,größe\nzebra,4\n", encoding="latin-1"))
    with pytest.raises(InputError, match=r"nothing\.csv cannot be read .*: give the path of a CSV file"):
        ClassTable.from_csv(tmp_path / "nothing.csv")


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (ClassTable([[1.0]], [0.5]), "CSV file cannot hold: 0.5; use text or integers"),
        (ClassTable([[1.0]], [""]), "CSV file cannot hold: ''"),
        (ClassTable([[1.0]], ["a"], ["0.5"]), "attributes holds only numbers"),
    ],
)
def test_tables_that_could_not_be_read_back_are_not_written(tmp_path, table, sentence):
    with pytest.raises(InputError, match=sentence):
        table.to_csv(tmp_path / "table.csv")
    assert not (tmp_path / "table.csv").exists()
