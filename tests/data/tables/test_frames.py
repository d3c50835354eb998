import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unseen.data import ClassTable
from unseen.data.candidates import as_table
from unseen.utils.errors import InputError

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

LIBRARIES = [pd.DataFrame, pl.DataFrame]
COLUMNS = {"name": ["zebra", "snake"], "stripes": [True, False], "legs": [4, 0], "speed": [64.0, 29.5]}


@pytest.mark.parametrize("library", LIBRARIES)
def test_first_column_holds_the_labels(library):
    table = ClassTable.from_frame(library(COLUMNS))
    assert table == ClassTable([[1, 4, 64], [0, 0, 29.5]], ["zebra", "snake"], ["stripes", "legs", "speed"])


@pytest.mark.parametrize("library", LIBRARIES)
def test_label_names_another_column(library):
    table = ClassTable.from_frame(library({"legs": [4, 0], "id": [7, 3]}), label="id")
    assert table == ClassTable([[4], [0]], [7, 3], ["legs"])


@pytest.mark.parametrize("library", LIBRARIES)
@given(
    labels=st.lists(st.text("abcé ", min_size=1, max_size=4), min_size=3, max_size=3, unique=True)
    | st.lists(st.integers(0, 2**62), min_size=3, max_size=3, unique=True),
    vectors=arrays(np.float32, (3, 2), elements=st.floats(-8, 8, width=32)),
)
def test_frames_give_back_what_they_hold(library, labels, vectors):
    frame = library({"label": labels, "p": vectors[:, 0], "q": vectors[:, 1]})
    table = ClassTable.from_frame(frame)
    assert table == ClassTable(vectors, labels, ["p", "q"])
    assert table.vectors.dtype == np.float32


@pytest.mark.parametrize(
    ("frame", "labels"),
    [
        (pd.DataFrame(COLUMNS).set_index("name"), ["zebra", "snake"]),
        (pd.DataFrame(COLUMNS).set_index("name").rename_axis(None), ["zebra", "snake"]),
        (pd.DataFrame(COLUMNS).set_index("name").astype(int), ["zebra", "snake"]),
        (pd.DataFrame(COLUMNS).set_index("name").astype(float).set_axis([30, 10]), [30, 10]),
        (pd.DataFrame(COLUMNS).drop(columns="name").rename_axis("id"), [0, 1]),
        (pd.DataFrame(COLUMNS).drop(columns="name").set_axis(pd.CategoricalIndex(COLUMNS["name"])), ["zebra", "snake"]),
    ],
    ids=["named", "unnamed", "whole numbers", "integers", "named range", "categories"],
)
def test_the_index_holds_the_labels_where_no_column_does(frame, labels):
    vectors = frame.to_numpy().astype(float)
    assert ClassTable.from_frame(frame) == ClassTable(vectors, labels, ["stripes", "legs", "speed"])
    assert as_table(frame) == ClassTable.from_frame(frame)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS)[::-1][::-1].set_axis([7, 3]),
        pd.DataFrame(COLUMNS).set_axis(["p", "q"]),
        pd.DataFrame(COLUMNS).assign(name=[10, 20]).set_axis([7, 3]),
        pd.DataFrame(COLUMNS).assign(name=[10, 20]),
    ],
    ids=["rows taken out", "text in both", "numbers in both", "numbers"],
)
def test_a_column_of_labels_goes_before_the_index(frame):
    assert list(ClassTable.from_frame(frame)) == frame["name"].tolist()


def test_the_index_may_be_named_as_the_labels():
    frame = pd.DataFrame(COLUMNS).assign(id=["x", "y"]).drop(columns="name").set_index("id")
    assert list(ClassTable.from_frame(frame, label="id")) == ["x", "y"]
    assert list(ClassTable.from_frame(frame, label="legs")) == [4, 0]


def test_special_columns_of_pandas():
    labels = pd.Series(["zebra", "snake"], dtype="category")
    numbers = pd.Series([4, 0], dtype="Int64")
    objects = pd.Series([1, 0.5], dtype=object)
    table = ClassTable.from_frame(pd.DataFrame({"name": labels, 0: numbers, 1: objects}))
    assert table == ClassTable([[4, 1], [0, 0.5]], ["zebra", "snake"], ["0", "1"])


def test_special_columns_of_polars():
    frame = pl.DataFrame(
        {
            "name": pl.Series(["zebra", "snake"], dtype=pl.Categorical),
            "p": pl.Series(["1.5", "2"]).cast(pl.Decimal(4, 2)),
        }
    )
    assert ClassTable.from_frame(frame) == ClassTable([[1.5], [2]], ["zebra", "snake"], ["p"])


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"habitat": ["savanna", "forest"]},
            "frame column 'habitat' must be numeric, but holds 'savanna' for class 'zebra'",
        ),
        ({"legs": [4, None]}, r"(column 'legs' .* None for class 'snake')|(nan for class 'snake', attribute 'legs')"),
        ({"speed": [64.0, float("nan")]}, "vectors has nan for class 'snake', attribute 'speed'"),
        ({"name": ["zebra", "zebra"]}, "frame column 'name', read as labels, must be unique, but 'zebra'"),
        ({"name": ["zebra", None]}, "missing label in column 'name'"),
        ({"name": [0.5, 1.5]}, r"fractional numbers in the label column 'name'.*rename_axis\('label'\)"),
    ],
)
def test_bad_frame_gets_a_sentence(library, changes, sentence):
    with pytest.raises(InputError, match=sentence):
        ClassTable.from_frame(library(COLUMNS | changes))


def test_mixed_column_names_its_first_offender():
    frame = pd.DataFrame({"name": ["zebra", "snake"], "legs": pd.Series([4, "none"], dtype=object)})
    with pytest.raises(InputError, match="column 'legs' must be numeric, but holds 'none' for class 'snake'"):
        ClassTable.from_frame(frame)


@pytest.mark.parametrize(
    ("frame", "label", "sentence"),
    [
        (pd.DataFrame(COLUMNS), "nmae", r"label='nmae' is not a column .*did you mean 'name'\?"),
        (pd.DataFrame(COLUMNS).set_index("name"), "legz", r"is not a column.*did you mean 'legs'.*or the index"),
        (pd.DataFrame({"p": [1.0, 2.0]}, index=["a", "a"]), None, "the index of frame, .*, must be unique, but 'a'"),
        (pd.DataFrame({"p": [1.0, 2.0]}, index=["a", None]), None, "the index of frame, read as labels, mixes text"),
        (pd.DataFrame(index=["a", "b"]), None, "frame has no columns"),
        (pl.DataFrame(COLUMNS).select("name"), None, "no column beside the labels: add one per attribute"),
        (pl.DataFrame(), None, "frame has no columns"),
        (pl.DataFrame(COLUMNS).lazy(), None, r"in memory.*got LazyFrame.*collect\(\)"),
        ([[1, 2]], None, "in memory.*got list"),
        (pd.DataFrame([["a", 1, 2]], columns=["name", "p", "p"]), None, "columns of the same name"),
        (pl.DataFrame(COLUMNS).clear(), None, "describes nothing"),
    ],
)
def test_frames_of_the_wrong_shape_get_a_sentence(frame, label, sentence):
    with pytest.raises(InputError, match=sentence):
        ClassTable.from_frame(frame, label)
