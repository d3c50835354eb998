import numpy as np
import pytest
from scipy.io import savemat

from unseen.data import check_dataset
from unseen.utils.errors import InputError


def found(report, level, topic):
    return [finding.message for finding in report.findings if (finding.level, finding.topic) == (level, topic)]


def test_sound_data(npz):
    report = check_dataset(npz())
    assert report.worst == "ok"
    assert report.format == "npz"
    assert report.benchmark is None
    assert found(report, "ok", "contents") == ["12 rows, 4 classes, 2 attributes"]
    assert found(report, "ok", "overlap") == ["no unseen class has training rows"]
    assert found(report, "ok", "duplicates") == ["no two rows are equal"]


def changed(animals, **places):
    """A copy of the features with values put at places."""
    X = animals["X"].astype(np.float32)
    for value, where in places.values():
        X[where] = value
    return X


def test_bad_values_are_reported(npz, animals):
    X = changed(animals, nan=(np.nan, (4, 1)), infinite=(np.inf, (6, 0)))
    report = check_dataset(npz(X=X))
    assert report.worst == "error"
    assert found(report, "error", "features") == ["2 values are NaN or infinite, the first at row 4, column 1"]


def test_features_that_never_change_are_reported(npz, animals):
    X = np.column_stack([animals["X"], np.zeros(12), np.full(12, 3)])
    report = check_dataset(npz(X=X))
    assert report.worst == "warning"
    assert found(report, "warning", "features") == ["2 features are constant (1 of them are always 0): columns 2, 3"]


@pytest.mark.parametrize("kind", [np.int16, bool])
def test_features_of_other_types(npz, kind):
    X = np.arange(24).reshape(12, 2).astype(kind)
    X[:, 1] = 1
    report = check_dataset(npz(X=X))
    assert found(report, "warning", "features") == ["1 features are constant (0 of them are always 0): columns 1"]


@pytest.mark.parametrize(
    ("changes", "topic", "message"),
    [
        ({"trainval_loc": [0, 1, 6, 7, 3]}, "overlap", "train and test_unseen share 1 rows: 3"),
        ({"trainval_loc": [0, 1, 6, 7, 3]}, "overlap", "1 classes are both in train and unseen: 'okapi'"),
        ({"trainval_loc": [0, 1]}, "overlap", "1 classes of test_seen have no training rows: 'horse+mare'"),
        ({"trainval_loc": [0, 1, 6, 12]}, "split", "train names rows outside 0 to 11: 12"),
        ({"trainval_loc": [0, 0, 6]}, "split", "train names 1 rows twice"),
        ({"y": np.repeat([0, 9], 6)}, "reading", "animals.npz: y has the class numbers 9"),
        ({"X": np.eye(5)}, "reading", "y has 12 labels for 5 rows of X; give one for each row"),
        ({"X": np.full((12, 2), "a")}, "features", "X has shape (12, 2) and dtype <U1: give a matrix of numbers"),
    ],
)
def test_errors(npz, changes, topic, message):
    report = check_dataset(npz(**{key: np.array(value) for key, value in changes.items()}))
    assert report.worst == "error"
    assert any(message in text for text in found(report, "error", topic))


def test_what_makes_numbers_doubtful(npz, animals):
    X = changed(animals, twin=([0, 1], 3), other=([16, 17], 7))
    attributes = np.array([[1.0, 4.0], [1.0, 4.0], [0.0, 4.0], [2.0, 4.0]])
    report = check_dataset(npz(X=X, attributes=attributes, y=np.repeat([0, 1, 2], 4)))
    assert found(report, "warning", "descriptions") == [
        "1 attributes are the same for all classes: columns 1",
        "other classes have the same description as 'zebra'",
    ]
    assert found(report, "warning", "labels") == ["1 described classes have no rows: 'lion'"]
    assert found(report, "warning", "duplicates") == [
        "2 groups of equal rows, for example [0, 3]; of different classes: 1; both in train and test: 2"
    ]


def test_rows_left_out_are_counted(npz):
    report = check_dataset(npz(trainval_loc=np.array([0, 6])))
    assert found(report, "ok", "split") == ["2 rows are not in any part of the split"]


def test_report_as_plain_values(npz):
    report = check_dataset(npz())
    plain = report.to_dict()
    assert plain["verdict"] == "ok"
    assert plain["findings"][0] == {
        "level": "ok",
        "topic": "contents",
        "message": "12 rows, 4 classes, 2 attributes",
    }


def test_nowhere_gets_a_sentence():
    with pytest.raises(InputError, match=r"path='nowhere\.npz' is neither here nor in"):
        check_dataset("nowhere.npz")


def test_unknown_option_gets_a_sentence(npz):
    with pytest.raises(InputError, match="has no parameter 'label'"):
        check_dataset(npz(), label="class")


def test_image_folders_are_compared_with_classes(xlsa17, animals):
    names = animals["classes"][animals["y"]].tolist()
    files = [f"/data/images/{name.replace('+', '_')}/{row}.jpg" for row, name in enumerate(names)]
    assert found(check_dataset(xlsa17(image_files=files)), "ok", "images")
    report = check_dataset(xlsa17(image_files=files[3:] + files[:3]))
    assert not found(report, "ok", "images")
    files[0] = "/data/images/okapi/0.jpg"
    report = check_dataset(xlsa17(image_files=files))
    assert found(report, "warning", "images") == ["1 images do not lie in a folder named after their class"]


def test_awa(shared_data):
    report = check_dataset(shared_data / "AWA1_handcrafted.npz")
    assert report.benchmark == "AWA1"
    assert report.worst == "warning"
    assert len(found(report, "ok", "Table 1")) == 3
    assert found(report, "ok", "standard split") == [
        "40/10, images (train / test): 24,295 / 6,180, as in the literature"
    ]
    assert "the proposed split v1" in found(report, "ok", "split version")[0]
    assert found(report, "warning", "descriptions") == ["4 values are marked as missing (negative): they are read as 0"]


def test_split_alone(shared_data):
    report = check_dataset(shared_data / "splits" / "APY")
    assert report.worst == "error"
    assert "res101.mat does not exist" in found(report, "error", "reading")[0]
    assert found(report, "ok", "GBU") == [
        "proposed split, images (train / test_seen / test_unseen): 5,932 / 1,483 / 7,924, as in GBU's table"
    ]
    assert found(report, "ok", "split version")


@pytest.fixture
def sun(shared_data, tmp_path):
    """The published split of SUN with made-up features, 20 rows for each class in turn."""

    def write(n_rows=14340, **changes):
        from unseen.data.formats.mat import read_mat

        names = ["att", "allclasses_names", "trainval_loc", "test_seen_loc", "test_unseen_loc"]
        split = read_mat(shared_data / "splits" / "SUN" / "att_splits.mat", names)
        split["allclasses_names"] = split["allclasses_names"].astype(object)
        savemat(tmp_path / "att_splits.mat", split | changes)
        X = np.arange(n_rows, dtype=np.float32)[None]
        savemat(tmp_path / "res101.mat", {"features": X, "labels": np.arange(n_rows)[:, None] // 20 % 717 + 1})
        return tmp_path

    return write


def test_sun_is_the_published_one(sun):
    report = check_dataset(sun())
    assert report.benchmark == "SUN"
    assert found(report, "ok", "standard split") == [
        "707/10, images (train / test): 14,140 / 200, as in the literature",
        "645/72 (the standard split of GBU): its unseen classes are not known here",
    ]
    assert len(found(report, "ok", "GBU")) == 2
    assert found(report, "ok", "split version")


def test_other_versions_of_a_split_are_told(sun, shared_data):
    from unseen.data.formats.mat import read_mat

    split = read_mat(shared_data / "splits" / "SUN" / "att_splits.mat", ["trainval_loc", "test_seen_loc"])
    train, test = split["trainval_loc"], split["test_seen_loc"]
    report = check_dataset(sun(trainval_loc=train[:-3]))
    assert "not the proposed split v1" in found(report, "warning", "split version")[0]
    train[0], test[0] = test[0].copy(), train[0].copy()
    report = check_dataset(sun(trainval_loc=train, test_seen_loc=test))
    assert "but the rows differ" in found(report, "warning", "split version")[0]


def test_other_counts_are_told(sun):
    report = check_dataset(sun(n_rows=14400))
    assert found(report, "warning", "Table 1") == ["images: 14,400, but 14,340 in the paper's Table 1"]


def test_another_list_of_unseen_classes_is_told(awa, npz):
    path = npz(
        X=awa.X[:, :2],
        y=awa.y,
        classes=awa.classes.labels,
        attributes=awa.classes.vectors,
        attribute_names=None,
        unseen_standard=np.array(["zebra", *"abcdefghi"]),
    )
    report = check_dataset(path)
    assert "is not that of" in found(report, "warning", "standard split")[0]


def test_own_photographs_are_not_compared_with_the_literature(awa, npz):
    own = {"X": awa.X[:500, :2], "y": awa.y[:500], "attribute_names": None, "trainval_loc": None}
    own |= {"classes": awa.classes.labels, "attributes": awa.classes.vectors, "test_seen_loc": None}
    report = check_dataset(npz(**own, test_unseen_loc=None))
    assert report.benchmark is None
    assert "nothing says that these are its images: not compared" in found(report, "ok", "own images")[0]
    assert not found(report, "warning", "Table 1")
