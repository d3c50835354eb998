"""Ordinary tables of class descriptions, as people keep them, each with the vectors that it means."""

import warnings

import numpy as np
import pytest

from unseen.data import ClassTable, ClassTableWarning, load_training, read_class_table
from unseen.utils.errors import InputError

VECTORS = [[0.5, 1.0], [0.25, 0.0], [2.0, 1.0]]
LABELS = ["zebra", "lion", "Löwe 2"]
NAMES = ("size", "striped")

PLAIN = "name,size,striped\nzebra,0.5,1\nlion,0.25,0\nLöwe 2,2,1\n"
GERMAN = "name;size;striped\nzebra;0,5;1\nlion;0,25;0\nLöwe 2;2;1\n"


def sheet(rows, name="Sheet1", others=()):
    """Make a workbook with a sheet of these rows and others beside it."""
    openpyxl = pytest.importorskip("openpyxl")

    def write(path):
        book = openpyxl.Workbook()
        book.active.title = name
        for row in rows:
            book.active.append(row)
        for other in others:
            book.create_sheet(other).append(["see", "elsewhere"])
        book.save(path)

    return write


def parquet(path):
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    vectors = np.array(VECTORS)
    pandas.DataFrame({"name": LABELS, "size": vectors[:, 0], "striped": vectors[:, 1] > 0}).to_parquet(path)


CELLS = [["name", "size", "striped"], ["zebra", 0.5, 1], ["lion", 0.25, 0], ["Löwe 2", 2, 1]]
FLAGS = [["name", "size", "striped"], ["zebra", 0.5, True], ["lion", 0.25, False], ["Löwe 2", 2, True]]

TABLES = {
    "plain": (PLAIN, {}, ()),
    "Windows line ends and a byte order mark": (PLAIN.replace("\n", "\r\n").encode("utf-8-sig"), {}, ()),
    "semicolons": (PLAIN.replace(",", ";"), {}, ("separated by ';'",)),
    "semicolons and decimal commas": (GERMAN, {}, ("separated by ';'", "decimal commas")),
    "tabs": (PLAIN.replace(",", "\t"), {}, (r"separated by '\t'",)),
    "tabs and decimal commas": (GERMAN.replace(";", "\t"), {}, ("decimal commas",)),
    "bars": (PLAIN.replace(",", "|"), {}, ("separated by '|'",)),
    "quoted decimal commas": ('name,size,striped\nzebra,"0,5",1\nlion,"0,25",0\nLöwe 2,2,1\n', {}, ("decimal commas",)),
    "latin-1": (PLAIN.encode("latin-1"), {}, ("Windows-1252",)),
    "UTF-16": (PLAIN.encode("utf-16"), {}, ("UTF-16",)),
    "UTF-16 with tabs, as Excel saves Unicode text": (PLAIN.replace(",", "\t").encode("utf-16"), {}, ("UTF-16",)),
    "per cent": (
        "name,size,striped\nzebra,50%,1\nlion,25 %,0\nLöwe 2,200%,1\n",
        {},
        ("'size' read as fractions, for they are per cent",),
    ),
    "yes and no": (
        "name,size,striped\nzebra,0.5,yes\nlion,0.25,No\nLöwe 2,2,YES\n",
        {},
        ("'striped' read as 1 for yes and 0 for no",),
    ),
    "TRUE and FALSE": ("name,size,striped\nzebra,0.5,TRUE\nlion,0.25,FALSE\nLöwe 2,2,TRUE\n", {}, ("'striped'",)),
    "trailing empty columns": ("name,size,striped,,\nzebra,0.5,1,,\nlion,0.25,0,,\nLöwe 2,2,1,,\n", {}, ()),
    "trailing empty rows": (PLAIN + ",,\n,,\n", {}, ()),
    "a title above": ("Animals of 2024\n" + PLAIN, {}, ("line 1 ('Animals of 2024') above the header left out",)),
    "a title with a delimiter in it": ("Animals, 2024\n\n" + GERMAN, {}, ("line 1 ('Animals, 2024')",)),
    "a title and an empty line": ("Animals,,\n,,\n" + PLAIN, {}, ("line 1 ('Animals')",)),
    "an id before the name": (
        "id,name,size,striped\n1,zebra,0.5,1\n2,lion,0.25,0\n3,Löwe 2,2,1\n",
        {},
        ("'id' left out, for it holds ids",),
    ),
    "a column of notes": (
        'name,size,notes,striped\nzebra,0.5,"in herds, 2019",1\nlion,0.25,,0\nLöwe 2,2,see above,1\n',
        {},
        ("'notes' left out, for it holds words",),
    ),
    "the name is not first": ("size,striped,name\n0.5,1,zebra\n0.25,0,lion\n2,1,Löwe 2\n", {"label": "name"}, ()),
    "spaces around cells": ("name , size, striped\nzebra , 0.5 , 1\n lion, 0.25, 0\nLöwe 2 ,2 ,1\n", {}, ()),
    "Excel": (sheet(CELLS), {}, ()),
    "Excel with TRUE and FALSE": (sheet(FLAGS), {}, ("'striped' read as 1",)),
    "Excel with a title and an empty column": (
        sheet([["Animals"], [], *([row[0], None, *row[1:]] for row in CELLS)]),
        {},
        ("line 1 ('Animals')",),
    ),
    "one of several sheets": (sheet(CELLS, "animals", ["notes"]), {"sheet": "animals"}, ()),
    "Parquet": (parquet, {}, ("'striped' read as 1",)),
}


def written(content, tmp_path):
    path = tmp_path / "animals"
    if callable(content):
        path = tmp_path / "animals.xlsx"
        content(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", TABLES)
def test_ordinary_tables_are_read(name, tmp_path):
    content, options, notes = TABLES[name]
    found = read_class_table(written(content, tmp_path), **options)
    assert found.table == ClassTable(VECTORS, LABELS, NAMES)
    for note in notes:
        assert note in found.describe()
    assert bool(found.notes) == bool(notes)


def test_empty_cells_are_filled_on_request(tmp_path):
    path = written("name,size,striped\nzebra,0.5,yes\nlion,,no\nokapi,1.5,\n", tmp_path)
    found = read_class_table(path, fill="mean")
    assert found.table.vectors.tolist() == [[0.5, 1.0], [1.0, 0.0], [1.5, 0.5]]
    assert "2 empty cells filled with the mean of their column" in found.notes
    assert read_class_table(path, fill="zero").table.vectors.tolist() == [[0.5, 1.0], [0.0, 0.0], [1.5, 0.0]]


@pytest.mark.parametrize("attributes", [None, NAMES])
def test_what_a_class_table_writes_is_read_back(attributes, tmp_path):
    table = ClassTable(VECTORS, ["=1+1", "-x", "'@y"], attributes)
    table.to_csv(tmp_path / "table.csv")
    assert read_class_table(tmp_path / "table.csv").table == table


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("name,size\nzebra,1\nlion,\n", {}, "line 3, column 'size': the cell is empty; .*--fill mean"),
        ("name,size\nzebra,1\nlion,n/a\n", {}, "line 3, column 'size': the cell is empty"),
        ("name,size\nzebra,1\nlion,big\nokapi,2\n", {}, "line 3, column 'size': 'big' is not a number"),
        ("name,size\nzebra,1\nlion,nan\n", {}, "line 3, column 'size': 'nan' is not finite"),
        ("name,size\nzebra,50%\nlion,25%\nokapi,2\n", {}, "line 4, column 'size': '2' is not like .* per cent"),
        ("name,size,wild\nzebra,1,\nlion,2,\n", {}, "column 'wild': all its cells are empty"),
        ("name;size\nzebra;1,234\nlion;2,500\n", {}, "'1,234' may be a fraction or thousands"),
        (
            "name;size;legs\nzebra;1,5;1.234\nlion;2,5;4\n",
            {},
            "comma in column 'size' and with a point in column",
        ),
        ("class,name,size\n1,zebra,1\n2,lion,2\n", {}, "labels in the column 'class' or 'name': .*--label-column"),
        ("name,size\nzebra,big\nlion,small\n", {}, "has no column of numbers beside the labels 'name'"),
        ("name,size\nzebra,1\nzebra,2\n", {}, "label 'zebra' is already on line 2"),
        ("name,size\nzebra,1,2\nlion,1\n", {}, "line 2 has 3 cells, but the header has 2"),
        ("zebra,0.5,1\nlion,0.25,0\n", {}, "holds only numbers"),
        ("a;b,c\nzebra;1,5\n", {}, "could be separated by ',', ';': name the one"),
        ("name,size\nzebra,1\n", {"label": "nam"}, "label='nam' names 0 columns .*did you mean 'name'"),
        ("name,size\nzebra,1\n", {"sheet": "a"}, "sheet='a' is for Excel files"),
        ("name,size\nzebra,1\n", {"fill": "median"}, "fill='median'"),
        ("", {}, "is empty"),
        ("name,size\n", {}, "has a header but no classes"),
        (b"\xd0\xcf\x11\xe0 and so on", {}, r"old Excel \(.xls\)"),
        (b"PK\x03\x04 and so on", {}, "is not an Excel workbook, or damaged"),
        (b"a\0b", {}, "is not text"),
    ],
)
def test_what_could_mean_two_things_is_refused(content, options, sentence, tmp_path):
    with pytest.raises(InputError, match=sentence):
        read_class_table(written(content, tmp_path), **options)


def test_a_sheet_has_to_be_named_where_there_are_several(tmp_path):
    path = written(sheet(CELLS, "animals", ["plants"]), tmp_path)
    with pytest.raises(InputError, match=r"has 2 sheets with cells .*'animals', 'plants'.*--sheet"):
        read_class_table(path)
    with pytest.raises(InputError, match="sheet='birds' is not in"):
        read_class_table(path, sheet="birds")


def write_features(folder):
    lines = ["label,a,b", "zebra,1,2", "lion,3,4", "zebra,1,3", "lion,3,5"]
    (folder / "features.csv").write_text("\n".join(lines))
    return folder / "features.csv"


CHANGED = "name,size,striped,notes\nzebra,0.5,yes,tame\nlion,0.25,no,wild\n"


def test_a_path_in_python_tells_what_was_changed(tmp_path):
    (tmp_path / "c.csv").write_text(CHANGED)
    with pytest.warns(ClassTableWarning, match=r"c.csv: 2 classes, 2 attributes; 'striped' read as 1 .*'notes' left"):
        rows = load_training(write_features(tmp_path), classes=tmp_path / "c.csv")
    assert rows.classes.attributes == NAMES


@pytest.mark.parametrize("text", [PLAIN, GERMAN])
def test_another_form_of_the_same_table_warns_of_nothing(text, tmp_path):
    (tmp_path / "c.csv").write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_training(write_features(tmp_path), classes=tmp_path / "c.csv")


def test_the_table_of_a_folder_is_read_in_the_same_way(tmp_path):
    write_features(tmp_path)
    (tmp_path / "classes.csv").write_text(CHANGED.replace(",", ";"))
    with pytest.warns(ClassTableWarning, match="'notes' left out"):
        rows = load_training(tmp_path)
    assert rows.classes.vectors.tolist() == [[0.5, 1.0], [0.25, 0.0]]


def test_a_table_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "c.csv").write_text(PLAIN)

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    with pytest.raises(InputError, match=r"c.csv cannot be read \(Permission denied\): make it readable"):
        read_class_table(tmp_path / "c.csv")
