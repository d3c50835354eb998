"""Do for an open page what it cannot do itself: encode pictures and texts, refine the model, write it to a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import ClassTable, FeatureRows, TrainingRows
from unseen.encoders import TextEncoder
from unseen.files import ModelFile, to_bytes
from unseen.models.wrappers.redescribed import redescribe
from unseen.server.errors import refuse_more
from unseen.server.requests.asked import Asked, make_matrix
from unseen.server.requests.options import Options
from unseen.server.service import Service
from unseen.studio.numbers import share_arrays
from unseen.studio.session import Studio
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_whole_number
from unseen.workflows.refining import refine
from unseen.workflows.texts import find_text_encoder

# Rows that can be added to a page; they are kept while it is open.
MOST_ADDED = 5000
# Letters of a text that describes a class.
LONGEST_TEXT = 2000


@dataclass(eq=False)
class OpenPage:
    """What belongs to one open page: the rows that were added to it, and its model once it is refined."""

    added: list[NDArray[np.float64]] = field(default_factory=list)
    refined: ModelFile | None = None


class StudioServer:
    """What the server of a studio does for its pages.

    Parameters
    ----------
    studio : Studio
        What the pages show.
    service : Service
        The model of the studio, with its encoder of pictures.

    Attributes
    ----------
    functions : list of str
        What can be asked, for the page to offer.
    """

    def __init__(self, studio: Studio, service: Service) -> None:
        self._studio = studio
        self._service = service
        self._labels = {str(label): label for label in studio.table.labels.tolist()}
        self._texts, self.without_texts = _find_text_encoder(studio.table)
        dataset = studio.shown.dataset
        self._training = (
            None
            if dataset is None
            else TrainingRows(dataset.X_train, dataset.y_train, dataset.classes, dataset.name, dataset.feature_names)
        )
        can_refine = hasattr(studio.file.model, "partial_fit") or dataset is not None
        offered = {
            "pictures": service.without_pictures is None and studio.terms is not None,
            "rows": studio.terms is not None,
            "text": self._texts is not None,
            "scores": studio.terms is None,
            "refine": can_refine and studio.terms is not None,
            "model": True,
        }
        self.functions = [name for name, is_there in offered.items() if is_there]

    def add_picture(self, page: OpenPage, name: str, content: bytes) -> dict[str, Any]:
        """Encode a picture; return its row."""
        asked = Asked(Options(), pictures={name: content})
        [row] = self._add(page, self._service.find_rows(asked).rows.X)
        return row

    def add_rows(self, page: OpenPage, features: Any) -> list[dict[str, Any]]:
        """Take rows of features; return the rows of the page."""
        if not isinstance(features, list) or not features:
            raise InputError("features is missing or empty: give a list of rows, each a list of numbers")
        asked = Asked(Options(), FeatureRows.from_matrix(make_matrix(features)))
        return self._add(page, self._service.find_rows(asked).rows.X)

    def describe(self, text: Any) -> list[float]:
        """Return the description of a class from a text."""
        if self._texts is None:
            raise InputError(f"text cannot be encoded, because {self.without_texts}: describe the class by numbers")
        if not isinstance(text, str) or not text.strip():
            raise InputError("text is empty: write what the class looks like")
        refuse_more(len(text), LONGEST_TEXT, "text", " letters")
        vector: list[float] = self._texts.encode([text.strip()])[0].astype(float).tolist()
        return vector

    def score(self, classes: Any, features: Any = None) -> list[list[float]]:
        """Return the logarithms of probabilities for each of the classes, of the shown rows or of others."""
        table = self._read_classes(classes)
        X = self._studio.shown.X
        if features is not None:
            X = self._service.find_rows(Asked(Options(), FeatureRows.from_matrix(make_matrix(features)))).rows.X
        refuse_more(len(X) * len(table), self._service.limits.answers, "scores")
        chances = to_numpy(self._studio.file.model.predict_proba(X, classes=table)).astype(np.float64)
        found: list[list[float]] = np.log(np.maximum(chances, np.finfo(np.float64).tiny)).T.tolist()
        return found

    def refine(self, page: OpenPage, marks: Any, classes: Any = None, added: Any = None) -> dict[str, Any]:
        """Learn from marked rows; return the model for the page, and how many of the other rows are right.

        Parameters
        ----------
        page : OpenPage
            Keeps the refined model.
        marks : list of dict
            `row`, a number among the shown rows and then the added ones, and `label`.
        classes : list of dict, optional
            `label` and `description` of classes that were edited or are new.
        added : list of int, optional
            Keys of the added rows, in the order of the page; by default all.
        """
        X = np.concatenate([np.asarray(self._studio.shown.X, dtype=np.float64), *self._list_added(page, added)])
        rows, labels = self._read_marks(marks, len(X))
        edited = self._read_classes(classes) if classes else None
        found = refine(self._studio.file, X[rows], labels, edited, training=self._training)
        refined = replace(self._studio, file=found.file)
        if refined.terms is None:
            raise InputError(f"the refined model cannot be shown: {refined.reason}")
        page.refined = found.file
        content, arrays = share_arrays(
            {
                "model": refined.write_model(X),
                "before": self._count_right(self._studio.file.model, rows, edited),
                "after": self._count_right(found.file.model, rows, edited),
                "how": found.said,
            }
        )
        return {"arrays": arrays, **content}

    def write_model(self, page: OpenPage, classes: Any, refined: Any = False) -> bytes:
        """Return a model file in which the candidates are described as on the page."""
        file = page.refined if refined else self._studio.file
        if file is None:
            raise InputError("refined=True, but this page has not refined its model: refine it first")
        return to_bytes(replace(file, model=redescribe(file.model, self._read_classes(classes))))

    def _add(self, page: OpenPage, X: NDArray[Any]) -> list[dict[str, Any]]:
        refuse_more(len(page.added) + len(X), MOST_ADDED, "rows")
        first = len(page.added)
        page.added.extend(np.asarray(X, dtype=np.float64))
        if self._studio.terms is None:
            return [{"key": first + at, "features": row.tolist()} for at, row in enumerate(X)]
        terms = self._studio.write_rows(X)
        return [{"key": first + at, "terms": [term[at].tolist() for term in terms]} for at in range(len(X))]

    def _list_added(self, page: OpenPage, keys: Any) -> list[NDArray[np.float64]]:
        if keys is None:
            keys = list(range(len(page.added)))
        if not isinstance(keys, list):
            raise InputError(f"added={keys!r} is not a list: give the keys of the rows that were added")
        places = [check_whole_number(key, "added", 0, len(page.added) - 1) for key in keys]
        return [page.added[at][None, :] for at in places]

    def _read_marks(self, marks: Any, count: int) -> tuple[list[int], NDArray[Any]]:
        if not isinstance(marks, list) or not marks or not all(isinstance(mark, dict) for mark in marks):
            raise InputError("marks is missing or empty: mark some rows with their class first")
        rows = [check_whole_number(mark.get("row"), "row", 0, count - 1) for mark in marks]
        if len(set(rows)) < len(rows):
            raise InputError("marks names a row twice: mark each row once")
        return rows, np.asarray([self._find_label(mark.get("label")) for mark in marks])

    def _read_classes(self, classes: Any) -> ClassTable:
        if not isinstance(classes, list) or not classes or not all(isinstance(one, dict) for one in classes):
            raise InputError("classes is missing or empty: give a list of labels with descriptions")
        refuse_more(len(classes), self._service.limits.candidates, "classes")
        vectors = make_matrix([one.get("description") for one in classes], "classes")
        labels = [self._find_label(one.get("label")) for one in classes]
        table = self._studio.table
        return ClassTable(vectors, labels, table.attributes if vectors.shape[1] == table.width else None)

    def _find_label(self, label: Any) -> Any:
        """Return the label of the table that the page writes as text, or the text of a new class."""
        if not isinstance(label, str) or not label.strip():
            raise InputError(f"label={label!r} is not a name: give one")
        return self._labels.get(label, label)

    def _count_right(self, model: Any, marked: Sequence[int], edited: ClassTable | None) -> Mapping[str, int]:
        """Count the right answers among the shown rows whose class is known and that were not learned from."""
        truth = self._studio.shown.truth
        left = [at for at, label in enumerate(truth) if label is not None and at not in set(marked)]
        if not left:
            return {"right": 0, "of": 0}
        asked = model if edited is None else redescribe(model, edited)
        new = [] if edited is None else [one for one in edited.labels.tolist() if one not in self._studio.table]
        labels = [*self._studio.candidates, *new]
        found = asked.predict(np.asarray(self._studio.shown.X)[left], classes=asked.table_.select(labels)).tolist()
        return {"right": sum(one == truth[at] for one, at in zip(found, left, strict=True)), "of": len(left)}


def _find_text_encoder(table: ClassTable) -> tuple[TextEncoder | None, str]:
    try:
        return find_text_encoder(table), "the classes were not described by texts"
    except InputError as error:  # then the page does without
        return None, str(error)
