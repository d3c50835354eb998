"""Other ways to ask: groups of classes, own candidates of each row, labels by themselves, pictures encoded once."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import ran, run
from picture_files import attributes, write_folder, write_onnx, write_picture

from unseen.data import ZeroShotDataset
from unseen.utils.errors import InputError
from unseen.workflows import Fitted, extract, fit, predict


@pytest.fixture(scope="module")
def fitted(data: ZeroShotDataset) -> Fitted:
    return fit(data, "jfa", seed=0)


@pytest.fixture(scope="module")
def folder(fitted: Fitted, data: ZeroShotDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("questions")
    fitted.save(folder / "m.unseen")
    data.unseen_table.to_csv(folder / "new.csv")
    labels = data.unseen_classes.tolist()
    lines = [f"{label},{'first' if at < 2 else 'rest'}" for at, label in enumerate(labels)]
    (folder / "groups.csv").write_text("\n".join(["class,group", *lines]))
    names = [f"f{at}" for at in range(data.X.shape[1])]
    own = [";".join(labels[:2]), labels[2], "|".join(labels[:3]), ";".join(labels[:2])]
    rows = [",".join([f"p{at}", own[at], *map(repr, data.X_test_unseen[at].tolist())]) for at in range(4)]
    (folder / "own.csv").write_text("\n".join([",".join(["picture", "among", *names]), *rows]))
    return folder


def test_only_a_group_is_those_candidates(fitted: Fitted, data: ZeroShotDataset, folder: Path) -> None:
    labels, X = data.unseen_classes.tolist(), data.X_test_unseen[:6]
    groups = {"first": labels[:2], "rest": labels[2:]}
    found = predict(fitted, X, data.unseen_table, top=2, groups=groups, only=["first"])
    assert found.columns() == predict(fitted, X, data.unseen_table.select(labels[:2]), top=2).columns()
    assert found.expected is fitted.expected
    assert found.n_candidates == 2


def test_groups_have_the_sums_of_their_classes(fitted: Fitted, data: ZeroShotDataset, folder: Path) -> None:
    X = data.X_test_unseen[:6]
    found = predict(fitted, X, data.unseen_table, top=2, groups=folder / "groups.csv", sum_groups=True)
    chances = fitted.model.predict_proba(X, classes=data.unseen_table)
    first = chances[:, :2].sum(axis=1)
    best = np.where(first >= 0.5, first, 1 - first)
    np.testing.assert_allclose(found.answers.probabilities[:, 0], best, rtol=1e-6)
    assert found.labels == np.where(first >= 0.5, "first", "rest").tolist()
    assert found.expected is None  # what to expect was measured for classes


def test_each_row_is_asked_among_its_own(fitted: Fitted, data: ZeroShotDataset, folder: Path, monkeypatch) -> None:
    labels, X = data.unseen_classes.tolist(), data.X_test_unseen[:4]
    own = [labels[:2], labels[2:3], labels[:3], labels[:2]]
    for size in (1, 2**20):
        monkeypatch.setattr("unseen.utils.arrays.BLOCK_BYTES", size)
        found = predict(fitted, X, data.unseen_table, top=3, own_candidates=own)
        for at, among in enumerate(own):
            alone = predict(fitted, X[at : at + 1], data.unseen_table.select(among), top=3).answers
            missing = 3 - len(among)
            assert found.answers.labels[at].tolist() == alone.labels[0].tolist() + [None] * missing
            np.testing.assert_allclose(found.answers.probabilities[at, : len(among)], alone.probabilities[0])
            assert np.isnan(found.answers.probabilities[at, len(among) :]).all()
    written = json.loads(found.to_json())
    assert written[1]["label_2"] is None
    assert written[1]["probability_2"] is None


def test_own_candidates_and_sums_go_together(fitted: Fitted, data: ZeroShotDataset) -> None:
    labels, X = data.unseen_classes.tolist(), data.X_test_unseen[:2]
    groups = {"first": labels[:2], "rest": labels[2:]}
    own = [labels[:2], labels]
    found = predict(fitted, X, data.unseen_table, top=2, groups=groups, sum_groups=True, own_candidates=own)
    assert found.answers.labels[0].tolist() == ["first", None]
    assert found.answers.probabilities[0, 0] == pytest.approx(1)
    assert sorted(found.answers.labels[1].tolist()) == ["first", "rest"]


def test_labels_by_themselves(fitted: Fitted, data: ZeroShotDataset) -> None:
    X = data.X_test_unseen[:5]
    found = predict(fitted, X, data.unseen_table, top=len(data.unseen_classes), independent=True, prior=0.1)
    expected = np.sort(fitted.model.predict_alone(X, classes=data.unseen_table, prior=0.1), axis=1)[:, ::-1]
    np.testing.assert_array_equal(found.answers.probabilities, expected)
    assert found.expected is None


def test_as_a_user_types_it(folder: Path, data: ZeroShotDataset, fitted: Fitted) -> None:
    common = ["predict", folder / "m.unseen", folder / "own.csv", "--classes", folder / "new.csv"]
    groups = ["--label", "among", "--groups", folder / "groups.csv"]
    labels = data.unseen_classes.tolist()
    lines = ran(*common, *groups, "--only", "first").stdout.splitlines()
    assert {line.split(",")[1] for line in lines[1:]} <= set(labels[:2])
    assert [line.split(",")[0] for line in lines] == ["row", "p0", "p1", "p2", "p3"]
    lines = ran(*common, *groups, "--sum-groups").stdout.splitlines()
    assert {line.split(",")[1] for line in lines[1:]} <= {"first", "rest"}
    lines = ran(*common, "--own-candidates", "among", "--top", "2").stdout.splitlines()
    assert lines[2] == f"p1,{labels[2]},1.0,,"
    result = ran(*common, "--label", "among", "--independent", "--prior", "0.2", "--abstain", "0.9")
    assert "was measured for plain answers only" in result.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"only": ["first"]}, "only and sum_groups need groups"),
        ({"groups": {"a": ["b"]}}, "groups is given for nothing"),
        ({"prior": 0.2}, "prior=0.2 is for labels that are judged by themselves"),
        ({"independent": True, "prior": 2.0}, "prior=2.0 is not a share"),
        ({"independent": True, "own_candidates": [["x"]]}, "leave out sum_groups and own_candidates"),
        ({"own_candidates": [["zebra"]]}, "own_candidates names classes .* does not describe: 'zebra'"),
        ({"own_candidates": [[]]}, "row 0 names no candidate of its own"),
        ({"own_candidates": []}, "own_candidates has 0 lists for 1 rows"),
        ({"keep": "out"}, "keep=out is for a folder of pictures"),
    ],
)
def test_bad_questions_get_a_sentence(
    options, sentence: str, fitted: Fitted, data: ZeroShotDataset, folder: Path
) -> None:
    np.save(folder / "one.npy", data.X_test_unseen[:1])
    with pytest.raises(InputError, match=sentence):
        predict(fitted, folder / "one.npy", data.unseen_table, **options)


def test_models_that_cannot_are_refused(data: ZeroShotDataset, folder: Path) -> None:
    X, labels = data.X_test_unseen[:2], data.unseen_classes.tolist()
    refined = fit(data, "eszsl", refine="pst", calibrate=False)
    with pytest.raises(InputError, match="a refined model answers all rows together"):
        predict(refined, X, data.unseen_table, own_candidates=[labels, labels])
    for model in (refined, fit(data, "eszsl", calibrate=False)):
        with pytest.raises(InputError, match="independent needs a model that was calibrated"):
            predict(model, X, data.unseen_table, independent=True)
    assert run("predict", folder / "m.unseen", folder / "new.csv", "--own-candidates", "nothing").exit_code == 2


def test_a_column_of_candidates_needs_a_table(fitted: Fitted, data: ZeroShotDataset, folder: Path) -> None:
    with pytest.raises(InputError, match="names a column, but data is not a table in a file"):
        predict(fitted, data.X_test_unseen[:2], data.unseen_table, own_candidates="among")
    np.save(folder / "two.npy", data.X_test_unseen[:2])
    with pytest.raises(InputError, match="candidates"):
        predict(fitted, folder / "two.npy", data.unseen_table, own_candidates="among")


def test_pictures_are_encoded_once(tmp_path: Path) -> None:
    write_onnx(tmp_path / "tiny.onnx")
    write_folder(tmp_path / "birds")
    extract(tmp_path / "birds", tmp_path / "features", encoder=str(tmp_path / "tiny.onnx"))
    birds = fit(tmp_path / "features", "eszsl", calibrate=False)
    for at in (6, 7):
        write_picture(tmp_path / "new" / f"{at}.png", attributes(8)[at], seed=1000 + at)
    (tmp_path / "new" / "broken.png").write_bytes(b"no picture")
    classes = ["006.Bird_6", "007.Bird_7"]
    expected = predict(birds, tmp_path / "new", classes)
    first = predict(birds, tmp_path / "new", classes, keep=tmp_path / "kept")
    assert first.columns() == expected.columns()
    assert list(first.unreadable) == ["broken.png"]
    # What was kept is asked again, and another picture beside it is the only one that is encoded.
    assert predict(birds, tmp_path / "kept", classes[:1]).labels == [classes[0]] * 2
    write_picture(tmp_path / "new" / "8.png", attributes(8)[5], seed=5)
    before = (tmp_path / "kept" / "features.npy").read_bytes()
    again = predict(birds, tmp_path / "new", classes, keep=tmp_path / "kept")
    assert list(again.names) == ["6.png", "7.png", "8.png"]
    assert (tmp_path / "kept" / "features.npy").read_bytes() != before
    done = extract(tmp_path / "new", tmp_path / "kept", encoder=str(tmp_path / "tiny.onnx")).done
    assert (done.rows, done.encoded) == (3, 0)  # the folder is just what extract writes
    with pytest.raises(InputError, match="is one picture: name its folder"):
        predict(birds, tmp_path / "new" / "7.png", classes, keep=tmp_path / "kept")
