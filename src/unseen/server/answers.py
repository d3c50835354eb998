"""Write answers as JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from unseen.confidence import Answers
from unseen.data import ClassTable
from unseen.report.explain import Explanation
from unseen.server.service import Question, Service
from unseen.workflows.answers import DIGITS


def write_json(value: Any) -> bytes:
    """Return a value as JSON; labels of other kinds than text and numbers are written as text."""
    return json.dumps(value, default=str, separators=(",", ":")).encode()


def write_answers(
    service: Service, question: Question, found: Answers, names: Sequence[Any], unreadable: Mapping[str, str]
) -> bytes:
    """Return the answer to `POST /predict`."""
    labels, chances = found.labels.tolist(), found.probabilities.astype(float).round(DIGITS).tolist()
    rows = [
        {
            "row": name,
            "label": best,
            "ranked": [{"label": label, "probability": chance} for label, chance in zip(*ranked, strict=True)],
        }
        for name, best, ranked in zip(names, found.best(), zip(labels, chances, strict=True), strict=True)
    ]
    about = {"model": service.name, "candidates": len(question.candidates.table), "together": service.together}
    return write_json({"answers": rows, "unreadable": dict(unreadable), **about})


def write_explanation(found: Explanation, top: int) -> bytes:
    """Return the answer to `POST /explain`, with the same fields as `unseen explain --format json`."""
    facts = {"kind": found.kind, "model": found.model, "class": found.label, "attributes": found.rows(top)}
    return write_json(facts)


def write_classes(service: Service, table: ClassTable) -> bytes:
    """Return the answer to `/classes`: the candidates, and which of them were seen in training."""
    seen = set(service.file.model.classes_.tolist())
    attributes = table.attributes or service.file.model.table_.attributes
    classes = [{"label": label, "seen": label in seen} for label in table.labels.tolist()]
    return write_json(
        {"classes": classes, "width": table.width, "attributes": None if attributes is None else list(attributes)}
    )
