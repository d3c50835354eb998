"""What the server answers is what the command line answers, for every kind of body."""

import io
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from serving import Client, form

from unseen.data import ZeroShotDataset
from unseen.workflows import Fitted, explain, predict


def npy(X: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, X)
    return file.getvalue()


def labels(found: Any) -> list[Any]:
    return [row["label"] for row in found["answers"]]


def test_rows_are_answered_as_by_predict(client: Client, fitted: Fitted, data: ZeroShotDataset) -> None:
    X, classes = data.X_test_unseen, data.unseen_classes.tolist()
    expected = predict(fitted, X, classes, top=3)
    found = client.ask("/predict", {"rows": X.tolist(), "classes": classes, "top": 3})
    assert found.status == 200
    assert labels(found.json) == expected.labels
    assert found.json["candidates"] == 4
    ranked = [[one["label"] for one in row["ranked"]] for row in found.json["answers"]]
    chances = [[one["probability"] for one in row["ranked"]] for row in found.json["answers"]]
    assert ranked == expected.answers.labels.tolist()
    np.testing.assert_allclose(chances, expected.answers.probabilities, atol=1e-6)


def test_without_candidates_the_seen_classes_are_asked(client: Client, fitted: Fitted, data: ZeroShotDataset) -> None:
    X = data.X_train[:5]
    found = client.ask("/predict", {"rows": X.tolist(), "names": list("abcde")}).json
    assert labels(found) == predict(fitted, X).labels
    assert [row["row"] for row in found["answers"]] == list("abcde")
    assert found["candidates"] == 8


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4", "F"])
def test_npy_files_are_rows(client: Client, data: ZeroShotDataset, kind: str) -> None:
    X = data.X_test_unseen[:4]
    address = "/predict?top=2&" + urlencode([("classes", label) for label in data.unseen_classes])
    expected = client.ask("/predict", {"rows": X.tolist(), "classes": data.unseen_classes.tolist(), "top": 2}).json
    content = npy(np.asfortranarray(X)) if kind == "F" else npy(X.astype(kind))
    for media in ("application/x-npy", "application/octet-stream"):
        found = client.ask(address, content, media).json
        assert labels(found) == labels(expected)
    one = client.ask(address, npy(X[0]), "application/x-npy").json
    assert labels(one) == labels(expected)[:1]


def test_a_form_holds_rows_and_options(client: Client, data: ZeroShotDataset) -> None:
    X = data.X_test_unseen[:2]
    body = form([("options", None, b'{"top": 2, "abstain": 1.0}'), ("rows", "rows.npy", npy(X))])
    found = client.ask("/predict", body, "multipart/form-data; boundary=xyz").json
    assert labels(found) == [None, None], "withheld, for nothing is certain"
    assert [len(row["ranked"]) for row in found["answers"]] == [2, 2]


def test_candidates_are_described_in_the_request(client: Client, fitted: Fitted, data: ZeroShotDataset) -> None:
    table = data.unseen_table
    described = {f"new {at}": vector for at, vector in enumerate(table.vectors.tolist())}
    X = data.X_test_unseen
    found = client.ask("/predict", {"rows": X.tolist(), "classes": described}).json
    assert labels(found) == predict(fitted, X, described).labels
    # A null stands for what the model knows.
    known = data.seen_classes[0]
    mixed = client.ask("/predict", {"rows": data.X_train.tolist(), "classes": described | {str(known): None}}).json
    expected = predict(fitted, data.X_train, described | {str(known): data.classes.select([known]).vectors[0]})
    assert labels(mixed) == expected.labels
    assert str(known) in labels(mixed)


def test_candidates_are_not_kept(client: Client, data: ZeroShotDataset) -> None:
    before = client.ask("/classes").json
    described = {"new": data.unseen_table.vectors[0].tolist()}
    seen = client.ask("/classes", {"classes": described}).json
    assert seen["classes"] == [{"label": "new", "seen": False}]
    client.ask("/predict", {"rows": data.X_train[:1].tolist(), "classes": described})
    assert client.ask("/classes").json == before
    assert [one["seen"] for one in before["classes"]] == [True] * 8
    refused = client.ask("/predict", {"rows": data.X_train[:1].tolist(), "classes": ["new"]})
    assert refused.status == 400
    assert refused.error["argument"] == "classes"


def test_explanations_are_those_of_explain(client: Client, fitted: Fitted, data: ZeroShotDataset) -> None:
    X, label = data.X_test_unseen[:3], data.unseen_classes[0]
    found = client.ask("/explain", {"rows": X.tolist(), "row": 1, "class": str(label), "top": 4}).json
    expected = explain(fitted, X, 1, label)
    assert found["kind"] == expected.kind
    assert found["class"] == label
    assert found["attributes"] == expected.rows(4)
    best = client.ask("/explain", {"rows": X.tolist(), "classes": data.unseen_classes.tolist()}).json
    assert best["class"] == predict(fitted, X, data.unseen_classes).labels[0]
    assert len(best["attributes"]) == 6


def test_columns_are_put_into_the_order_of_the_model(data: ZeroShotDataset) -> None:
    from serving import serving

    from unseen.data import TrainingRows
    from unseen.server import Service
    from unseen.workflows import fit

    names = tuple(f"f{at}" for at in range(12))
    rows = TrainingRows(data.X_train, data.y_train, data.classes, "named", names)
    fitted = fit(rows, "eszsl", calibrate=False)
    turned = {"rows": data.X_train[:5, ::-1].tolist(), "features": list(names[::-1])}
    with serving(Service(fitted)) as client:
        assert labels(client.ask("/predict", turned).json) == predict(fitted, data.X_train[:5]).labels


def test_probabilities_are_summed_over_groups(client: Client, fitted: Fitted, data: ZeroShotDataset) -> None:
    X, labels_ = data.X_test_unseen[:6], data.classes.labels.tolist()
    groups = {"even": labels_[2::2], "odd": [*labels_[1::2], "okapi"], "first": labels_[0], "none": ["okapi"]}
    body = {"rows": X.tolist(), "classes": labels_, "groups": groups}
    found = client.ask("/predict", body).json["answers"]
    chances = fitted.model.predict_proba(X, classes=data.classes)
    for row, (answer, shares) in enumerate(zip(found, chances, strict=True)):
        assert len(answer["ranked"]) == 1
        expected = {"even": shares[2::2].sum(), "odd": shares[1::2].sum(), "first": shares[0]}
        assert {one["group"]: one["probability"] for one in answer["groups"]} == pytest.approx(expected, abs=1e-5), row
        found_order = [one["probability"] for one in answer["groups"]]
        assert found_order == sorted(found_order, reverse=True)


def test_candidates_are_restricted_to_a_group(client: Client, fitted: Fitted, data: ZeroShotDataset) -> None:
    X, unseen = data.X_test_unseen, data.unseen_classes.tolist()
    groups = {"a": unseen[:2], "b": unseen[2:]}
    for only, candidates in (("a", unseen[:2]), (["b"], unseen[2:]), (["b", "a"], unseen)):
        found = client.ask("/predict", {"rows": X.tolist(), "groups": groups, "only": only}).json
        assert labels(found) == predict(fitted, X, candidates).labels
        assert found["candidates"] == len(candidates)
    few = client.ask("/predict", {"rows": X.tolist(), "groups": groups, "only": "a", "classes": unseen[1:]}).json
    assert set(labels(few)) == {unseen[1]}


def test_groups_that_cannot_be_asked_get_the_sentence_of_the_command_line(
    client: Client, data: ZeroShotDataset, tmp_path: Path
) -> None:
    rows, unseen = data.X_test_unseen[:2].tolist(), data.unseen_classes.tolist()
    groups, seen = {"a": unseen[:2], "b": unseen[2:]}, str(data.seen_classes[0])
    (tmp_path / "groups.csv").write_text("\n".join(["class,group", *(f"{label},a" for label in data.seen_classes)]))
    for wrong, argument, words in (
        ({"only": "a"}, "only", "groups is missing"),
        ({"groups": groups, "only": "c"}, "only", "only='c' is not a group in groups"),
        ({"groups": groups, "only": []}, "only", "only=[] is not a group in groups"),
        ({"groups": groups, "only": 1}, "only", "only=1 is not a name"),
        ({"groups": groups, "only": "a", "classes": unseen[2:]}, "only", "only='a' leaves no candidate"),
        ({"groups": {"a": ["okapi"]}}, "groups", f"groups has the candidate {seen!r} in none"),
        ({"groups": groups | {"c": unseen[:1]}, "only": "a"}, "groups", f"candidate {unseen[0]!r} in 'a', 'c'"),
        ({"groups": []}, "groups", "groups is of the type list"),
        ({"groups": str(tmp_path / "groups.csv")}, "groups", "groups is of the type str"),
        ({"groups": {"a": [unseen]}}, "groups", "groups has a value of the type list in 'a'"),
    ):
        refused = client.ask("/predict", {"rows": rows} | wrong)
        assert refused.status == 400
        assert words in refused.error["message"]
        assert refused.error["argument"] == argument


def test_health_and_metrics(client: Client, data: ZeroShotDataset) -> None:
    assert client.ask("/healthz").json == {"status": "ok"}
    client.ask("/predict", {"rows": data.X_train[:3].tolist()})
    client.ask("/no/such/address")
    text = client.ask("/metrics").content.decode()
    counts = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(counts['unseen_requests_total{path="/predict",status="200"}']) >= 1
    assert float(counts['unseen_requests_total{path="other",status="404"}']) >= 1
    assert float(counts["unseen_rows_total"]) >= 3
    assert counts["unseen_requests_in_flight"] == "1", "this one"
    last = 'unseen_request_seconds_bucket{path="/predict",le="+Inf"}'
    assert counts[last] == counts['unseen_request_seconds_count{path="/predict"}']
    assert "/no/such" not in text
