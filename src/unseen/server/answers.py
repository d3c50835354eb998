"""Write answers as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unseen.confidence import Answers
from unseen.data import ClassTable
from unseen.data.class_groups import ClassGroups
from unseen.report.explain import Explanation
from unseen.server.service import Question, Service
from unseen.workflows.answering.answers import DIGITS


def write_json(value: Any) -> bytes:
    """Return a value as JSON; labels of other kinds than text and numbers are written as text."""
    return json.dumps(value, default=str, separators=(",", ":")).encode()


def write_answers(
    service: Service, question: Question, found: Answers, names: Sequence[Any], unreadable: Mapping[str, str]
) -> bytes:
    """Return the answer to `POST /predict`."""
    labels = found.labels[:, : question.shown].tolist()
    chances = found.probabilities[:, : question.shown].astype(float).round(DIGITS).tolist()
    rows: list[dict[str, Any]] = [
        {
            "row": name,
            "label": best,
            "ranked": [{"label": label, "probability": chance} for label, chance in zip(*ranked, strict=True)],
        }
        for name, best, ranked in zip(names, found.best(), zip(labels, chances, strict=True), strict=True)
    ]
    if question.groups is not None:
        for row, sums in zip(rows, _sum_groups(question.groups, question, found), strict=True):
            row["groups"] = sums
    about = {"model": service.name, "candidates": len(question.candidates.table), "together": service.together}
    return write_json({"answers": rows, "unreadable": dict(unreadable), **about})


def _sum_groups(groups: ClassGroups, question: Question, found: Answers) -> Iterator[list[dict[str, Any]]]:
    """Yield the groups of each row, the most probable first."""
    table = question.candidates.table
    columns = table.index_of(found.labels.ravel()).reshape(found.labels.shape)
    by_class = np.zeros(found.probabilities.shape)
    np.put_along_axis(by_class, columns, found.probabilities, axis=1)
    added = groups.add_up(by_class, table.labels)
    names = added.groups.tolist()
    # Rounding may take a sum of all classes beyond 1.
    for sums in np.minimum(added.probabilities, 1.0).round(DIGITS).tolist():
        ranked = sorted(zip(names, sums, strict=True), key=lambda pair: -pair[1])
        yield [{"group": name, "probability": chance} for name, chance in ranked]


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
