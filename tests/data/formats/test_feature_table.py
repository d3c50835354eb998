import re
import sys
import time

import numpy as np
import pytest

from unseen.data import ClassTable, load_dataset
from unseen.utils.errors import InputError
from unseen.utils.optional import suggest_install

CLASSES = ClassTable([[1.0, 4.0], [0.5, 4.0], [0.0, 4.5]], ["zebra", "okapi", "horse+mare"])
NAMES = ["zebra", "Okapi", "horse mare", "zebra"]
X = np.array([[1.5, -2.0], [0.25, 1e-3], [3.0, 4.0], [5.0, 6.0]])


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "animals.csv"
    lines = [f'"{name}",{a},{b}' for name, (a, b) in zip(NAMES, X, strict=True)]
    path.write_text("\n".join(["class,f1,f2", *lines, ""]), encoding="utf-8-sig")
    return path


@pytest.fixture(params=["polars", "pandas", "pyarrow"])
def parquet(request, tmp_path, monkeypatch):
    """A Parquet file, to be read by one library in the absence of those before it."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip(request.param)
    columns = {"f1": X[:, 0].astype(np.float32), "kind": NAMES, "f2": X[:, 1].astype(np.float32)}
    parquet.write_table(pyarrow.table(columns), tmp_path / "animals.parquet")
    hidden = {"polars": [], "pyarrow": ["polars"], "pandas": ["polars"]}[request.param]
    for library in hidden:
        monkeypatch.setitem(sys.modules, library, None)
    return tmp_path / "animals.parquet"


def test_csv(csv):
    data = load_dataset(csv, split=["okapi"], classes=CLASSES)
    assert data.X.tolist() == X.tolist()
    assert data.y.tolist() == ["zebra", "okapi", "horse+mare", "zebra"]
    assert data.unseen_classes.tolist() == ["okapi"]
    assert data.name == "animals"


def test_class_table_in_any_form(csv, tmp_path):
    CLASSES.to_csv(tmp_path / "table.csv")
    mapping = {label: CLASSES.select([label]).vectors[0] for label in CLASSES}
    for classes in (tmp_path / "table.csv", str(tmp_path / "table.csv"), mapping):
        read = load_dataset(csv, split=["okapi"], classes=classes).classes
        assert list(read) == list(CLASSES)
        assert np.array_equal(read.vectors, CLASSES.vectors)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"name": list(CLASSES), "a": CLASSES.vectors[:, 0]})
    assert load_dataset(csv, split=["okapi"], classes=frame).classes.width == 1


def test_chosen_columns(csv):
    data = load_dataset(csv, split=["okapi"], classes=CLASSES, features=["f2"], label="class")
    assert data.X.tolist() == X[:, 1:].tolist()


def test_other_delimiter(csv):
    csv.write_text(csv.read_text(encoding="utf-8-sig").replace(",", ";"))
    data = load_dataset(csv, split=["okapi"], classes=CLASSES, delimiter=";")
    assert data.X.tolist() == X.tolist()


def test_parquet(parquet):
    data = load_dataset(parquet, split=["okapi"], classes=CLASSES, label="kind")
    assert data.X.dtype == np.float32
    assert data.X.tolist() == X.astype(np.float32).tolist()
    assert data.y.tolist() == ["zebra", "okapi", "horse+mare", "zebra"]


def test_parquet_with_text_among_features_gets_a_sentence(parquet):
    with pytest.raises(InputError, match="columns that are not numbers: 'kind'; name the column of labels with label="):
        load_dataset(parquet, split=["okapi"], classes=CLASSES)


def test_truncated_parquet_gets_a_sentence(parquet):
    parquet.write_bytes(parquet.read_bytes()[:100])
    with pytest.raises(InputError, match=r"animals\.parquet is truncated or damaged"):
        load_dataset(parquet, split=["okapi"], classes=CLASSES)


def test_parquet_without_a_library_gets_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "animals.parquet").write_bytes(b"PAR1")
    for library in ("polars", "pyarrow.parquet", "pandas"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=re.escape(f"needs pyarrow, polars or pandas: {suggest_install('parquet')}")):
        load_dataset(tmp_path / "animals.parquet", classes=CLASSES)


def test_empty_cells_of_parquet_get_a_sentence(tmp_path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"class": NAMES, "f1": [1.0, None, 2.0, 3.0]})
    frame.write_parquet(tmp_path / "gaps.parquet")
    with pytest.raises(InputError, match="has empty cells"):
        load_dataset(tmp_path / "gaps.parquet", classes=CLASSES)


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("class,f1\nzebra,1\n", {"classes": None}, "is a table of features: pass classes="),
        ("class,f1\nzebra,1\n", {"classes": "none.csv"}, r"classes='none\.csv' is not a file"),
        ("class,f1\nzebar,1\n", {}, r"labels names classes .* 'zebar' \(did you mean 'zebra'\?\)"),
        ("class,f1\nzebra,tall\n", {}, "cannot be read as a table of numbers .*tall"),
        ("class,f1\nzebra,1\nokapi\n", {}, "cannot be read as a table of numbers"),
        ("class,f1\n", {}, "has a header but no rows"),
        ("class\nzebra\n", {}, "needs a column of labels and at least one of features"),
        ("class,f1,f1\nzebra,1,2\n", {}, "each with its own name"),
        ("class,f1\nzebra,1\n", {"label": "clas"}, r"has no column 'clas' \(did you mean 'class'\?\)"),
        ("class,f1\nzebra,1\n", {"features": ["f2"]}, "has no column 'f2'"),
        ("class,f1\nzebra,1\n", {"features": "f1"}, "pass a list of columns"),
        ("class,f1\nzebra,nan\nokapi,1\nhorse mare,1\n", {"split": ["okapi"]}, "X has nan at row 0"),
        ("class,f1\nzebra,1\n", {"attributes": "a"}, "'CSV' has no parameter 'attributes'"),
    ],
)
@pytest.mark.filterwarnings("ignore:loadtxt")
def test_bad_tables_get_a_sentence(tmp_path, text, options, sentence):
    (tmp_path / "animals.csv").write_text(text)
    with pytest.raises(InputError, match=sentence):
        load_dataset(tmp_path / "animals.csv", **({"classes": CLASSES} | options))


def test_a_wide_table_is_read_fast(tmp_path):
    wide = np.random.default_rng(0).standard_normal((500, 1000))
    names = np.resize(list(CLASSES), 500)
    rows = [f"{name}," + ",".join(f"{value:.6g}" for value in row) for name, row in zip(names, wide, strict=True)]
    header = "class," + ",".join(f"f{at}" for at in range(1000))
    (tmp_path / "wide.csv").write_text("\n".join([header, *rows]))
    started = time.perf_counter()
    data = load_dataset(tmp_path / "wide.csv", split=["okapi"], classes=CLASSES)
    assert time.perf_counter() - started < 5
    assert np.allclose(data.X, wide, rtol=1e-5)
