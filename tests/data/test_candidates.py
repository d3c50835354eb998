import pytest

from unseen.data import ClassTable
from unseen.data.candidates import as_table, make_candidate_table
from unseen.utils.errors import InputError

TABLE = ClassTable([[1.0, 0.0], [0.0, 1.0]], ["zebra", "whale"], ["stripes", "fins"])


@pytest.mark.parametrize(
    "classes",
    [
        TABLE,
        {"zebra": {"stripes": 1, "fins": 0}, "whale": {"stripes": 0, "fins": 1}},
        ["zebra", "whale"],
    ],
    ids=["table", "mapping", "labels"],
)
def test_forms_of_classes(classes):
    assert make_candidate_table(classes, TABLE) == TABLE


def test_a_data_frame_of_classes():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"class": ["zebra", "whale"], "stripes": [1, 0], "fins": [0, 1]})
    assert make_candidate_table(frame, TABLE) == TABLE


@pytest.mark.parametrize(
    ("classes", "sentence"),
    [
        ([], "classes is empty: name at least one candidate"),
        (["okapi"], "classes has labels that the class table does not describe: 'okapi'"),
        (3, "classes is a int: give a ClassTable, .* or labels of the table given to fit"),
        (
            ClassTable.one_hot(["a", "b", "c"]),
            "classes has descriptions of width 3, but the model was fitted on width 2",
        ),
        (
            ClassTable([[1.0, 0.0]], ["okapi"], ["stripes", "wings"]),
            "classes lacks the attribute 'fins' and has the unknown attribute 'wings'",
        ),
    ],
)
def test_bad_candidates_get_a_sentence(classes, sentence):
    with pytest.raises(InputError, match=sentence):
        make_candidate_table(classes, TABLE)


def test_attributes_are_matched_by_name():
    swapped = ClassTable([[0.0, 1.0], [1.0, 0.0]], ["zebra", "whale"], ["fins", "stripes"])
    assert make_candidate_table(swapped, TABLE) == TABLE


def test_labels_alone_need_a_table():
    with pytest.raises(InputError, match="classes is a list: give a ClassTable, a data frame, a mapping"):
        as_table(["zebra"])
