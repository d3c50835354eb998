"""The description is valid, and what the server answers is what it describes."""

import json
from typing import Any

import numpy as np
import pytest
from serving import Client

from unseen.data import ZeroShotDataset
from unseen.server import Service
from unseen.server.openapi import describe_server

validator = pytest.importorskip("openapi_spec_validator")
jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture(scope="module")
def described(client: Client) -> Any:
    return client.ask("/openapi.json").json


def test_the_description_is_valid(described: Any) -> None:
    validator.validate(described, cls=validator.OpenAPIV31SpecValidator)


def test_every_address_is_described(described: Any, client: Client) -> None:
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            reply = client.ask(path, None if method == "get" else {})
            assert reply.status != 404
            assert str(reply.status) in operation["responses"]
    text = client.ask("/metrics").content.decode()
    assert 'path="other"' not in "\n".join(line for line in text.splitlines() if 'status="200"' in line)


def check(described: Any, reply: Any, name: str) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": described["components"]}
    jsonschema.Draft202012Validator(schema).validate(reply)


def test_answers_are_as_described(described: Any, client: Client, data: ZeroShotDataset) -> None:
    rows = data.X_train[:3].tolist()
    body = {"rows": rows, "top": 3, "abstain": 0.9, "classes": data.unseen_classes.tolist()}
    asked = described["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator(asked).validate(body)
    check(described, client.ask("/predict", body).json, "Predicted")
    body["groups"] = {"one": data.unseen_classes.tolist()[0], "others": data.unseen_classes.tolist()[1:]}
    jsonschema.Draft202012Validator(asked).validate(body)
    grouped = client.ask("/predict", body).json
    check(described, grouped, "Predicted")
    assert {one["group"] for one in grouped["answers"][0]["groups"]} == {"one", "others"}
    check(described, client.ask("/explain", {"rows": rows}).json, "Explained")
    check(described, client.ask("/classes").json, "Classes")
    check(described, client.ask("/healthz").json, "Health")
    check(described, client.ask("/predict", {"rows": []}).json, "Refusal")
    with pytest.raises(jsonschema.ValidationError):
        check(described, client.ask("/classes").json, "Predicted")


def test_labels_may_be_numbers(data: ZeroShotDataset) -> None:
    from unseen.models import MODELS
    from unseen.server.answers import write_classes

    model = MODELS["eszsl"]().fit(data.X_train, np.unique(data.y_train, return_inverse=True)[1])
    service = Service(model)
    found = json.loads(write_classes(service, service.candidates.default.table))
    check(describe_server(service), found, "Classes")
    assert found["classes"][0]["label"] == 0
    assert service.candidates.find(["3", 1]).table.labels.tolist() == [3, 1]
