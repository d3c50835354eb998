"""A studio: a fitted model, the classes it may choose among and the rows it is asked about, as one page of data."""

import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import ClassTable
from unseen.files import ModelFile
from unseen.models.base import core_of
from unseen.models.wrappers.calibrated import calibration_of, seen_penalty_of
from unseen.studio.numbers import share_arrays, write_array
from unseen.studio.page_files import fill_page
from unseen.studio.shown import Shown
from unseen.studio.steps import NotWritten
from unseen.studio.terms import WrittenTerm, write_terms
from unseen.utils.arrays import to_numpy

# Numbers that a page may hold so that features can be dropped onto it; with more, a server takes them.
MOST_FEATURE_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class Studio:
    """Everything that the page of a studio shows.

    Attributes
    ----------
    file : ModelFile
        The model.
    shown : Shown
        The rows.
    table : ClassTable
        All classes that can be candidates.
    candidates : list
        The labels that are candidates at first.
    level : float
        Probability below which the answer is "none of these" at first.
    groups : dict
        Groups of classes by the name of the grouping: a mapping of labels to groups.
    """

    file: ModelFile
    shown: Shown
    table: ClassTable
    candidates: list[Any]
    level: float = 0.0
    groups: dict[str, dict[Any, str]] = field(default_factory=dict)

    @cached_property
    def terms(self) -> list[WrittenTerm] | None:
        """The terms of the score, or None if a page cannot compute it."""
        try:
            return write_terms(self.file.model)
        except NotWritten:
            return None

    @cached_property
    def reason(self) -> str:
        """Why a page cannot compute the score; empty if it can."""
        try:
            write_terms(self.file.model)
        except NotWritten as reason:
            return str(reason)
        return ""

    def write_rows(self, X: NDArray[Any]) -> list[NDArray[np.float64]]:
        """Return what the page needs of rows of features: for each term an array (n, k)."""
        assert self.terms is not None
        return [term.find_rows(X) for term in self.terms]

    def write_model(self, X: NDArray[Any]) -> dict[str, Any]:
        """Return what a page needs to go on with this model in place of another, for rows of features (n, d)."""
        assert self.terms is not None
        return {
            "terms": [_write_term(term, X) for term in self.terms],
            "temperature": self._find_temperature(),
            "penalty": float(seen_penalty_of(self.file.model) or 0.0),
            "seen": [str(label) for label in self.file.model.classes_.tolist()],
        }

    def page(self, server: dict[str, Any] | None = None) -> str:
        """Return the studio as one HTML page.

        Parameters
        ----------
        server : dict, optional
            What the server that sends the page offers: `base`, the address that its functions are below, and
            `functions`, their names. Without it, the page works from a file.
        """
        title = f"{self.shown.name or 'rows'}: unseen studio"
        return fill_page(title, self.to_json(server), connects=server is not None)

    def to_dict(self, server: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the studio as plain values, which page/start/payload.js reads."""
        model, table = self.file.model, self.table
        seen = set(model.classes_.tolist())
        calibration = calibration_of(model)
        core = core_of(model)
        return {
            "format": 1,
            "title": self.file.path.name if self.file.path else type(core).__name__,
            "model": type(core).__name__,
            "data": self.shown.name,
            "attributes": list(table.attributes or (f"attribute {at}" for at in range(table.width))),
            "classes": {
                "labels": [str(label) for label in table.labels.tolist()],
                "seen": [label in seen for label in table.labels.tolist()],
                "vectors": write_array(table.vectors),
                "active": table.index_of(self.candidates).tolist(),
            },
            "groups": {
                name: {str(label): group for label, group in members.items()} for name, members in self.groups.items()
            },
            "rows": self._write_shown(),
            "terms": None if self.terms is None else [_write_term(term, self.shown.X) for term in self.terms],
            "scores": None if self.terms is not None else self._write_scores(),
            "reason": self.reason,
            "features": self._write_features(),
            "temperature": self._find_temperature(),
            "calibrated": calibration is not None,
            "penalty": float(seen_penalty_of(model) or 0.0),
            "level": self.level,
            "server": server,
        }

    def to_json(self, server: dict[str, Any] | None = None) -> str:
        """Return the studio as JSON that may stand inside a page: no tag can begin in it."""
        content, arrays = share_arrays(self.to_dict(server))
        text = json.dumps({"arrays": arrays, **content}, separators=(",", ":"), allow_nan=False)
        return text.replace("<", "\\u003c")

    def _find_temperature(self) -> float:
        calibration = calibration_of(self.file.model)
        if calibration is not None:
            return float(calibration.temperature_)
        return float(core_of(self.file.model)._probability_temperature())

    def _write_shown(self) -> dict[str, Any]:
        shown = self.shown
        count = len(shown.names)
        return {
            "names": list(shown.names),
            "truth": [None if label is None else str(label) for label in shown.truth],
            "pictures": None if shown.pictures is None else [shown.pictures(at) for at in range(count)],
            "drawn": shown.drawn,
        }

    def _write_scores(self) -> dict[str, Any]:
        """Return the logarithms of the probabilities among the candidates, by class (m, n)."""
        chances = to_numpy(self.file.model.predict_proba(self.shown.X, classes=self.table.select(self.candidates)))
        tiny = np.finfo(np.float64).tiny
        return write_array(np.log(np.maximum(np.asarray(chances, dtype=np.float64), tiny)).T)

    def _write_features(self) -> dict[str, Any] | None:
        """Return how features become rows of the page, unless that takes too many numbers."""
        if self.terms is None:
            return None
        terms = [
            {
                "operations": term.feature_operations,
                "project": None if term.project is None else write_array(term.project, "f4"),
            }
            for term in self.terms
        ]
        numbers = sum(math.prod(array["shape"]) for array in share_arrays(terms)[1])
        if numbers > MOST_FEATURE_NUMBERS:
            return None
        return {
            "width": int(self.file.model.n_features_in_),
            "names": list(self.file.feature_names or ()),
            "terms": terms,
        }


def _write_term(term: WrittenTerm, X: NDArray[Any]) -> dict[str, Any]:
    return {
        "operations": term.operations,
        "head": term.head,
        "says": term.says,
        "rows": write_array(term.find_rows(X), "f4"),
    }
