"""Describe the addresses of a server in the words of OpenAPI 3.1, for programs that write clients and tests."""

from typing import Any

from unseen import __version__
from unseen.server.limits import Limits
from unseen.server.service import Service

_LABEL = {"type": ["string", "number", "boolean"]}
_NUMBERS = {"type": "array", "items": {"type": "number"}}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_CLASSES = {
    "description": "The candidates: labels that the model knows, in any spelling; or a description of each, as values "
    "in the order of the attributes or by their names, where null stands for the description that is known.",
    "oneOf": [
        {"type": "array", "items": _LABEL, "minItems": 1},
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {
                "oneOf": [_NUMBERS, {"type": "object", "additionalProperties": {"type": "number"}}, {"type": "null"}]
            },
        },
    ],
}
_GROUPS = {
    "description": "Labels by the name of a group, over which probabilities are summed: each candidate in one group.",
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {"oneOf": [{"type": "string"}, {"type": "array", "items": _LABEL, "minItems": 1}]},
}
_ONLY = {
    "description": "Names of groups: only their classes are candidates.",
    "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}],
}
_ABSTAIN = {
    "type": "number",
    "minimum": 0,
    "maximum": 1,
    "default": 0,
    "description": "Probability below which the label is withheld (null).",
}
_ROW = {"type": ["integer", "string"], "default": 0, "description": "The row to explain: its number from 0, or name."}
_CLASS = _LABEL | {"description": "The class to explain; by default the best candidate."}
_REFUSALS = {
    "400": "What was sent is wrong; the sentence says what to change.",
    "401": "The token is missing or wrong.",
    "403": "A page of another site asks.",
    "408": "The request came too slowly.",
    "413": "More than the server takes at a time.",
    "415": "A body of a kind that the server does not read.",
    "421": "The header Host does not name this machine.",
    "500": "A defect of the server.",
    "503": "The server is busy, or the answer takes too long; try again later.",
}


def describe_server(service: Service) -> dict[str, Any]:
    """Return the description of a server as plain values."""
    limits, width = service.limits, service.file.model.n_features_in_
    grouped = {"classes": _CLASSES, "groups": _GROUPS, "only": _ONLY}
    predict = grouped | {"top": _top("candidates for each row", 1), "abstain": _ABSTAIN}
    explain = {"classes": _CLASSES, "top": _top("attributes to show", 15), "row": _ROW, "class": _CLASS}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "unseen",
            "version": __version__,
            "summary": f"{service.name}: {width:,} features, {len(service.candidates.default.table):,} candidates",
        },
        "security": [{}, {"token": []}],
        "paths": {
            "/predict": {"post": _question("predict", "Recognise rows or pictures", "Predicted", predict, limits)},
            "/explain": {"post": _question("explain", "Explain an answer by attributes", "Explained", explain, limits)},
            "/classes": {
                "get": _operation("listClasses", "The candidates of requests that name none", "Classes"),
                "post": _operation("checkClasses", "How candidates are understood; nothing is kept", "Classes")
                | {"requestBody": _body({"application/json": {"schema": _object({"classes": _CLASSES}, ["classes"])}})},
            },
            "/healthz": {"get": _operation("tellHealth", "Whether the server runs; needs no token", "Health")},
            "/metrics": {"get": _operation("showMetrics", "Counts for Prometheus", None, "text/plain")},
            "/openapi.json": {"get": _operation("describe", "This description", None, "application/json")},
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _schemas(),
        },
    }


def _question(name: str, summary: str, answer: str, options: dict[str, Any], limits: Limits) -> dict[str, Any]:
    rows = {
        "rows": {"type": "array", "items": _NUMBERS, "minItems": 1, "maxItems": limits.rows},
        "names": _TEXTS | {"description": "A name for each row; by default its number from 0."},
        "features": _TEXTS | {"description": "The name of each column, to put them into the order of the model."},
    }
    binary: dict[str, Any] = {"type": "string", "contentMediaType": "application/octet-stream"}
    form = {
        "options": _object(options),
        "rows": binary | {"description": "A .npy file"},
        "pictures": {"type": "array", "items": binary, "maxItems": limits.pictures},
    }
    content = {
        "application/json": {"schema": _object(rows | options, ["rows"])},
        "application/x-npy": {"schema": {"description": "A .npy file of numbers; options go into the address."}},
        "image/*": {"schema": {"description": f"A picture of up to {limits.pixels:,} pixels."}},
        "multipart/form-data": {"schema": {"type": "object", "properties": form}},
    }
    found = _operation(name, summary, answer) | {"requestBody": _body(content)}
    found["parameters"] = [
        {"name": option, "in": "query", "required": False, "schema": _as_query(option, schema)}
        for option, schema in options.items()
        if option not in ("groups", "only")
    ]
    return found


def _as_query(option: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}} if option == "classes" else schema


def _operation(name: str, summary: str, answer: str | None, media: str = "application/json") -> dict[str, Any]:
    schema = {} if answer is None else {"schema": {"$ref": f"#/components/schemas/{answer}"}}
    refusals = {
        status: {
            "description": words,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}},
        }
        for status, words in _REFUSALS.items()
    }
    answered = {"200": {"description": "The answer.", "content": {media: schema}}}
    return {"operationId": name, "summary": summary, "responses": answered | refusals}


def _body(content: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": content}


def _object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return found | ({"required": required} if required else {})


def _top(words: str, default: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": 1, "default": default, "description": f"Number of {words}."}


def _schemas() -> dict[str, Any]:
    ranked = _object({"label": _LABEL, "probability": {"type": "number", "minimum": 0, "maximum": 1}}, ["label"])
    answer = {
        "row": {"type": ["integer", "string"], "description": "Number or name of the row, or name of the picture."},
        "label": {"type": [*_LABEL["type"], "null"], "description": "The best candidate, or null if withheld."},
        "ranked": {"type": "array", "items": ranked, "description": "The best candidates, the most probable first."},
    }
    group = _object({"group": {"type": "string"}, "probability": {"type": "number"}}, ["group", "probability"])
    groups = {"groups": {"type": "array", "items": group, "description": "If asked for, the most probable first."}}
    predicted = {
        "answers": {"type": "array", "items": _object(answer | groups, [*answer])},
        "unreadable": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Pictures without an answer, and why.",
        },
        "model": {"type": "string"},
        "candidates": {"type": "integer", "description": "How many there were to choose from."},
        "together": {"type": "boolean", "description": "Whether the answers depend on the other rows of the request."},
    }
    explained = {
        "kind": {"enum": ["displacement", "contribution"]},
        "model": {"type": "string"},
        "class": _LABEL,
        "attributes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"attribute": {"type": "string"}},
                "required": ["attribute", "described"],
                "additionalProperties": {"type": "number"},
            },
        },
    }
    classes = {
        "classes": {
            "type": "array",
            "items": _object({"label": _LABEL, "seen": {"type": "boolean"}}, ["label", "seen"]),
        },
        "width": {"type": "integer"},
        "attributes": {"type": ["array", "null"], "items": {"type": "string"}},
    }
    error = {"type": {"type": "string"}, "message": {"type": "string"}, "argument": {"type": "string"}}
    return {
        "Predicted": _object(predicted, [*predicted]),
        "Explained": _object(explained, [*explained]),
        "Classes": _object(classes, [*classes]),
        "Health": _object({"status": {"const": "ok"}}, ["status"]),
        "Refusal": _object({"error": _object(error, ["type", "message"])}, ["error"]),
    }
