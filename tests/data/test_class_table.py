import copy
import pickle
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.data import ClassTable
from unseen.utils.errors import InputError

ANIMALS = ["zebra", "okapi", "horse"]


@pytest.fixture
def animals():
    return ClassTable([[1, 0], [1, 1], [0, 0]], ANIMALS, ["stripes", "forest"])


def some_labels(min_size=1):
    text = st.lists(st.text("abcé \n", max_size=4), min_size=min_size, max_size=12, unique=True)
    return text | st.lists(st.integers(-(2**62), 2**62), min_size=min_size, max_size=12, unique=True)


def test_public_face(animals):
    assert len(animals) == 3
    assert animals.width == 2
    assert animals.attributes == ("stripes", "forest")
    assert list(animals) == animals.labels.tolist() == ANIMALS
    assert "okapi" in animals
    assert "lion" not in animals
    assert repr(animals) == "<ClassTable: 3 classes ('zebra', 'okapi', 'horse') of width 2 ('stripes', 'forest')>"


def test_repr_of_a_big_table_stays_short():
    assert "and 195 more" in repr(ClassTable.one_hot(range(200)))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.float16, np.float64),
        (bool, np.float64),
        (int, np.float64),
    ],
)
def test_precision(given, kept):
    assert ClassTable(np.ones((2, 3), dtype=given), ["a", "b"]).vectors.dtype == kept


def test_takes_torch_tensors_and_objects():
    torch = pytest.importorskip("torch")
    tensor = torch.ones((2, 3), requires_grad=True)
    assert ClassTable(tensor, torch.tensor([4, 5])) == ClassTable(np.ones((2, 3), dtype=object), [4, 5])


def test_is_immutable_and_independent_of_its_input():
    vectors, labels = np.eye(2), np.array(["a", "b"])
    table = ClassTable(vectors, labels)
    vectors[0, 0], labels[0] = 7, "z"
    assert table == ClassTable.one_hot(["a", "b"])
    with pytest.raises(ValueError, match="read-only"):
        table.vectors[0, 0] = 7
    with pytest.raises(ValueError, match="read-only"):
        table.labels[0] = "z"
    with pytest.raises(AttributeError):
        table.vectors = vectors


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda table: pickle.loads(pickle.dumps(table))])
def test_copies_are_equal_and_immutable(animals, copied):
    twin = copied(animals)
    assert twin == animals
    assert not twin.vectors.flags.writeable


def test_equality(animals):
    assert animals == ClassTable(animals.vectors.astype(np.float32), ANIMALS, animals.attributes)
    assert animals != ClassTable(animals.vectors, ANIMALS)
    assert animals != ClassTable(animals.vectors + 1, ANIMALS, animals.attributes)
    assert animals != animals.select(ANIMALS[::-1])
    assert ClassTable.one_hot([1, 2]) != ClassTable.one_hot(["1", "2"])
    assert animals != 3


@given(some_labels(), st.randoms(use_true_random=False))
def test_select_keeps_label_and_vector_together_in_the_order_asked(labels, random):
    table = ClassTable.one_hot(labels)
    wanted = random.sample(labels, random.randint(1, len(labels)))
    selected = table.select(wanted)
    assert list(selected) == wanted
    assert [labels[at] for at in selected.vectors.argmax(axis=1)] == wanted


@given(some_labels(), st.data())
def test_index_of_finds_every_label(labels, data):
    asked = data.draw(st.lists(st.sampled_from(labels)))
    positions = ClassTable.one_hot(labels).index_of(asked)
    assert positions.dtype == np.int64
    assert [labels[at] for at in positions] == asked


@given(some_labels(min_size=2), st.data())
def test_concat_undoes_a_division(labels, data):
    table = ClassTable.one_hot(labels)
    head = labels[: data.draw(st.integers(1, len(labels) - 1))]
    assert table.select(head).concat(table.without(head)) == table


def test_labels_come_in_many_guises(animals):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    asked = ["horse", "zebra", "horse"]
    guises = [tuple(asked), np.array(asked), np.array(asked, dtype=object), pd.Series(asked)]
    guises += [pd.Categorical(asked), pl.Series(asked), pl.Series(asked, dtype=pl.Categorical), iter(asked)]
    for guise in guises:
        assert animals.index_of(guise).tolist() == [2, 0, 2]


def test_labels_of_other_kinds():
    assert ClassTable.one_hot(np.array([3, 1], dtype=np.int16)).labels.dtype == np.int16
    assert ClassTable.one_hot(np.array(["b", "a"], dtype=object)).labels.dtype.kind == "U"
    assert ClassTable.one_hot([2, 5]).index_of(np.array([5.0, 2.0])).tolist() == [1, 0]
    pairs = ClassTable.one_hot([("tens", 1), ("ones", 2)])
    assert pairs.select([("ones", 2)]).vectors.tolist() == [[0, 1]]


@pytest.mark.parametrize("labels", [np.arange(200), np.array([f"class {at}" for at in range(200)])])
def test_index_of_a_million_labels_is_fast(labels):
    positions = np.random.default_rng(0).integers(200, size=10**6)
    table, y = ClassTable.one_hot(labels), labels[positions]
    start = time.perf_counter()
    assert np.array_equal(table.index_of(y), positions)
    assert time.perf_counter() - start < 2  # about 0.1 s on a quiet machine


def test_concat_keeps_the_names_that_one_table_has(animals):
    more = ClassTable([[0, 1]], ["lion"])
    assert animals.concat(more).attributes == more.concat(animals).attributes == ("stripes", "forest")


def test_iterator_labels_are_read_once():
    assert list(ClassTable(np.eye(2), (label for label in "ab"), iter(["p", "q"]))) == ["a", "b"]


ok = np.eye(2)
BAD_TABLES = {
    "flat": (([1.0, 2.0], ["a"]), r"vectors must have two dimensions .* shape \(2,\).* reshape"),
    "ragged": (([[1.0], [1.0, 2.0]], ["a", "b"]), "vectors has rows of different lengths"),
    "text": (([["1", "x"]], ["a"]), "vectors must hold real numbers, got '1' at row 0, column 0"),
    "object": (([[1.0, None]], ["a"]), "vectors has nan for class 'a', attribute 1"),
    "complex": (([[1j]], ["a"]), "vectors must hold real numbers, got 1j at row 0"),
    "nan": (([[1, 0], [0, np.nan]], ["a", "b"], ["p", "q"]), "vectors has nan for class 'b', attribute 'q': .*finite"),
    "inf": (([[np.inf]], ["a"]), "vectors has inf for class 'a', attribute 0"),
    "nothing": ((np.ones((0, 2)), []), r"vectors has shape \(0, 2\).* at least one class"),
    "no width": ((np.ones((2, 0)), ["a", "b"]), "describes nothing"),
    "count": ((ok, ["a"]), "labels has 1 labels for 2 rows of vectors: give one label per row"),
    "twice": ((ok, ["a", "a"]), "labels must be unique, but 'a' occurs more than once"),
    "one text": ((ok, "ab"), r"labels must be a list .* single value 'ab': write \['ab'\]"),
    "one number": ((ok, 3), "labels must be a list .* single value 3"),
    "two-dimensional labels": ((ok, np.array([["a"], ["b"]])), r"one-dimensional, got shape \(2, 1\).*ravel"),
    "mixed": ((ok, ["a", 1]), "labels mixes text with the other value 1"),
    "none": ((ok, ["a", None]), "labels mixes text with the other value None.*missing"),
    "mixed numbers": ((ok, [1, None]), "labels mixes numbers with the other value None"),
    "nan label": ((ok, [1.0, np.nan]), "labels has the label nan"),
    "unhashable": ((ok, [["a"], ["b"]]), "labels has a label that is not hashable"),
    "attribute count": ((ok, ["a", "b"], ["p"]), "attributes has 1 names for 2 columns"),
    "attribute twice": ((ok, ["a", "b"], ["p", "p"]), "attributes must be unique, but 'p'"),
    "attribute empty": ((ok, ["a", "b"], ["p", ""]), "attributes has an empty name at position 1"),
    "attribute text": ((ok, ["a", "b"], "pq"), "attributes is the single text 'pq': give a list of 2"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_table_gets_a_sentence(case):
    arguments, sentence = BAD_TABLES[case]
    with pytest.raises(InputError, match=sentence):
        ClassTable(*arguments)


def test_sparse_vectors_get_a_sentence():
    from scipy.sparse import csr_array

    with pytest.raises(InputError, match=r"vectors is a sparse csr_array: .*vectors\.toarray\(\)"):
        ClassTable(csr_array(np.eye(2)), ["a", "b"])


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (
            ["zebra", "Zebre"],
            r"labels has labels .* 'Zebre' \(did you mean 'zebra'\?\)\. The table describes 'zebra', 'o",
        ),
        (["lion"], r"does not describe: 'lion'\. The table"),
        (range(8), r"0, 1, 2, 3, 4 and 3 more\. The table"),
        ("zebra", "single value 'zebra'"),
        ([["zebra"]], "labels has a value that is not a label"),
        (["zebra", "zebra"], "labels must be unique, but 'zebra'"),
        ([], "labels selects no class"),
    ],
)
def test_bad_selection_gets_a_sentence(animals, labels, sentence):
    with pytest.raises(InputError, match=sentence):
        animals.select(labels)


def test_labels_of_the_wrong_type_are_noticed():
    with pytest.raises(InputError, match=r"'3' \(did you mean 3\?\)"):
        ClassTable.one_hot([3, 4]).index_of(["3"])
    with pytest.raises(InputError, match=r"y has labels .*: 5\. The table describes 3, 4"):
        ClassTable.one_hot([3, 4]).index_of([5], name="y")


@pytest.mark.parametrize(
    ("labels", "sentence"), [(ANIMALS, "so none is left"), (["lion"], "does not describe: 'lion'")]
)
def test_bad_removal_gets_a_sentence(animals, labels, sentence):
    with pytest.raises(InputError, match=sentence):
        animals.without(labels)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (ClassTable([[1]], ["lion"]), "other has width 1, but this table has width 2"),
        (ClassTable([[1, 0]], ["zebra"]), "other describes 'zebra' again"),
        (ClassTable([[1, 0]], ["lion"], ["stripes", "paws"]), "attribute 'paws' where this table has 'forest'"),
        (ClassTable([[1, 0]], [7]), "mixes text with the other value 7"),
    ],
)
def test_bad_concat_gets_a_sentence(animals, other, sentence):
    with pytest.raises(InputError, match=sentence):
        animals.concat(other)
