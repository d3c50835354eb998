"""Labels from the files of other programs: what they mean, which pictures they are of, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.data.exchange import Labelling, json_file, read_labelling
from unseen.data.exchange.labelling import read_choices
from unseen.utils.errors import InputError


def choose(*names: str, **more: Any) -> dict[str, Any]:
    result = {"from_name": "kind", "to_name": "img", "type": "choices", "value": {"choices": list(names)}}
    return {"result": [{"type": "rating", "value": {"rating": 3}}, result], "was_cancelled": False} | more


def write(folder: Path, content: Any) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps(content))
    return path


def test_an_export_of_label_studio(tmp_path: Path) -> None:
    tasks = [
        {"data": {"note": "by day", "img": "/data/local-files/?d=birds/a%20b.jpg"}, "annotations": [choose("crow")]},
        {
            "data": {"img": "s3://bucket/birds/c.png"},
            "annotations": [choose("crow"), choose("jay", was_cancelled=True)],
        },
        {"data": {"img": "https://x/d.jpg?size=3"}, "annotations": [choose("crow"), choose("jay", ground_truth=True)]},
        {"data": {"img": "/data/upload/1/0a1b2c3d-e.jpg"}, "annotations": [choose("crow"), choose("jay")]},
        {"data": {"img": "f.jpg"}, "annotations": []},
        {"data": {"img": "g.jpg"}, "annotations": [choose("crow", "jay")]},
        {"data": {"img": "h.jpg"}, "annotations": None, "predictions": [choose("jay")]},
    ]
    found = read_labelling(write(tmp_path, tasks))
    assert list(found.labels.values()) == ["crow", "crow", "jay"]
    assert list(found.skipped.values()) == ["labelled 'crow', 'jay'", "no label", "labelled 'crow', 'jay'", "no label"]
    pictures = ["birds/a b.jpg", "birds/c.png", "d.jpg"]
    assert found.match(pictures) == dict(zip(pictures, found.labels.values(), strict=True))


def test_json_min_of_label_studio(tmp_path: Path) -> None:
    about = {"id": 1, "annotator": 1, "annotation_id": 7, "created_at": "2021-03-09T22:16:08.728353Z", "lead_time": 4.2}
    tasks = [
        {"picture": "/data/upload/1/0a1b2c3d-a.jpg", "kind": "inn/indoor", **about},
        {"picture": "b.jpg", "kind": {"choices": ["inn/indoor"]}, **about},
        {"picture": "c.jpg", **about},
    ]
    found = read_labelling(write(tmp_path, tasks))
    assert found.match(["x/a.jpg", "x/b.jpg", "x/c.jpg"]) == {"x/a.jpg": "inn/indoor", "x/b.jpg": "inn/indoor"}
    tasks[0]["mood"] = "sad"
    with pytest.raises(InputError, match="several answers"):
        read_labelling(write(tmp_path, tasks))


def test_labels_of_fiftyone(tmp_path: Path) -> None:
    labels = {"birds/a": 1, "b": "jay", "c": {"label": 0, "confidence": 0.5}, "d": None, "e": ["jay"], "f": ["jay", 0]}
    path = write(tmp_path, {"classes": ["crow", "jay"], "labels": labels})
    found = read_labelling(path)
    assert found.labels == {"birds/a": "jay", "b": "jay", "c": "crow", "e": "jay"}
    assert found.match(["birds/a.jpg", "b.png", "c#1.jpg"]) == {"birds/a.jpg": "jay", "b.png": "jay"}
    assert read_choices(path) == ["crow", "jay"]


@given(
    st.lists(st.lists(st.text("ab#? %é", min_size=1, max_size=4), min_size=1, max_size=3), min_size=1, unique_by=tuple)
)
def test_a_path_is_its_own_address(parts: list[list[str]]) -> None:
    pictures = ["/".join(path) + ".jpg" for path in parts]
    labels = {picture: str(at) for at, picture in enumerate(pictures)}
    assert Labelling(labels).match(pictures) == labels
    without = {picture.removesuffix(".jpg"): label for picture, label in labels.items()}
    assert Labelling(without).match(pictures) == labels


def test_an_address_takes_as_many_folders_as_it_needs() -> None:
    pictures = ["day/a.jpg", "night/a.jpg", "night/b.jpg"]
    found = Labelling({"https://x/pictures/night/a.jpg": "owl", "other/b.jpg": "bat", "c.jpg": "fox"})
    assert found.match(pictures) == {"night/a.jpg": "owl", "night/b.jpg": "bat"}
    with pytest.raises(InputError, match=r"may be any of 'day/a\.jpg', 'night/a\.jpg'"):
        Labelling({"a.jpg": "owl"}).match(pictures)
    with pytest.raises(InputError, match="under different addresses"):
        Labelling({"x/night/a.jpg": "owl", "y/night/a.jpg": "bat"}).match(pictures)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b'"text"', "neither an export"),
        (b"[1, 2]", "neither an export"),
        (b'{"labels": [1]}', "neither an export"),
        (b"[]", "has no labels"),
        (b'[{"data": {"text": "good"}}]', "task 0 has no address of a picture"),
        (b'[{"annotations": 3, "data": 4}]', "task 0 has no address of a picture"),
        (b'{"classes": ["a"], "labels": {"x": 1}}', "the label 1, but 1 classes"),
        (b'{"classes": ["a"], "labels": {"x": -1}}', "the label -1, but 1 classes"),
        (b'{"labels": {"x": 1.5}}', "is not a name"),
        (b'{"labels": {"x": true}}', "is not a name"),
        (b'{"labels": {"x": []}}', "has no labels"),
    ],
)
def test_other_files_get_a_sentence(content: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        read_labelling(tmp_path / "x.json")


def test_missing_and_huge_files_get_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_labelling(tmp_path / "none.json")
    monkeypatch.setattr(json_file, "LARGEST", 10)
    with pytest.raises(InputError, match="more than 10"):
        read_labelling(write(tmp_path, {"classes": [], "labels": {}}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["a.jpg", "jay"]),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["data", "annotations", "result", "value", "choices", "labels", "classes", "type", "image"]
            ),
            inside,
            max_size=4,
        )
    ),
)


@given(JSON)
def test_whatever_the_content_nothing_but_a_sentence_is_raised(content: Any) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        try:
            found = read_labelling(write(Path(folder), content))
        except InputError:
            return
    assert all(isinstance(label, str) and label for label in found.labels.values())
