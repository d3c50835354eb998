"""Answer requests with a model that was loaded once; nothing here knows of HTTP."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.confidence import Answers, answers
from unseen.data import FeatureRows
from unseen.data.class_groups import ClassGroups
from unseen.encoders import ImageEncoder
from unseen.report.explain import Explanation
from unseen.server.candidates import CandidateFinder, Candidates
from unseen.server.errors import explain_input, refuse_more
from unseen.server.limits import Limits
from unseen.server.requests.asked import Asked
from unseen.utils.errors import InputError
from unseen.utils.wrapping import is_transductive
from unseen.workflows import describe_model, explain, open_model
from unseen.workflows.fitting import AnyModel
from unseen.workflows.inputs.candidates import find_candidates
from unseen.workflows.inputs.pictures import encode_picture_contents, make_recorded_encoder
from unseen.workflows.inputs.rows import InputRows, find_rows

# Attributes of an explanation, as on the command line.
_SHOWN = 15


@dataclass(frozen=True, eq=False)
class Question:
    """Rows to recognise among candidates.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Checked features in double precision.
    candidates : Candidates
    top : int
        Number of candidates to compute for each row.
    abstain : float
        Probability below which a label is withheld.
    shown : int
        Number of candidates to return for each row.
    groups : ClassGroups or None
        Groups over which probabilities are summed.
    """

    X: NDArray[np.float64]
    candidates: Candidates
    top: int
    abstain: float
    shown: int
    groups: ClassGroups | None = None

    @property
    def key(self) -> Hashable:
        """What the questions of one batch have in common."""
        return self.candidates.key


class Service:
    """A fitted model, the candidates that it is asked about by default, and its encoder of pictures.

    Parameters
    ----------
    model : path-like, ModelFile, Fitted or fitted estimator
    classes : optional
        The candidates of requests that name none, as for `unseen.workflows.predict`.
    weights, device
        For pictures, as for `unseen.workflows.predict`.
    limits : Limits, optional

    Attributes
    ----------
    file : ModelFile
    name : str
        Kind of the model.
    limits : Limits
    candidates : CandidateFinder
    together : bool
        Whether the model answers all rows of a request together, so that requests must not be put together.
    """

    def __init__(
        self,
        model: AnyModel,
        classes: Any = None,
        *,
        weights: Path | None = None,
        device: str = "cpu",
        limits: Limits | None = None,
    ) -> None:
        self.file = open_model(model)
        self.limits = limits or Limits()
        self.facts = describe_model(self.file)
        self.name = str(self.facts["model"])
        default = find_candidates(self.file.model, classes)
        self.candidates = CandidateFinder(self.file.model, default, self.limits.candidates)
        self.together = is_transductive(self.file.model)
        self._encoder: ImageEncoder | None = None
        self.without_pictures: str | None = None
        try:
            self._encoder = make_recorded_encoder(self.file, weights=weights, device=device)
        except InputError as error:
            # A server of features is of use all the same; whoever sends a picture reads the reason.
            if weights is not None:
                raise
            self.without_pictures = str(error)

    def find_rows(self, asked: Asked) -> InputRows:
        """Return the rows of a request, in the order of columns that the model was fitted on and in double precision.

        Pictures are encoded. In double precision, the answer for a row is the same in any batch, up to rounding that
        does not reach the digits of an answer.
        """
        with explain_input():
            given = asked.rows
            found = self._encode(asked) if given is None else find_rows(self.file, given, source="rows")
            rows = found.rows
            exact = FeatureRows(np.asarray(rows.X, dtype=np.float64), rows.names, rows.feature_names)
            return InputRows(exact, found.unreadable)

    def ask(self, asked: Asked, rows: FeatureRows) -> Question:
        """Return what a request asks about its rows."""
        options, groups = asked.options, asked.options.groups
        if groups is None:
            candidates = self.candidates.find(options.classes)
        else:
            candidates = self.candidates.group(groups, options.classes, options.only)
        shown = min(options.top or 1, len(candidates.table))
        top = shown if groups is None else len(candidates.table)
        refuse_more(len(rows.X) * top, self.limits.answers, "top", " answers for all rows")
        return Question(rows.X, candidates, top, options.abstain, shown, groups)

    def answer(self, questions: Sequence[Question]) -> list[Answers | Exception]:
        """Answer questions with the same key in one product.

        If that fails, they are answered one by one, so that only the one at fault is told.
        """
        try:
            return [*self._answer(questions)]
        except Exception as error:
            if len(questions) == 1:
                return [error]
            return [answer for one in questions for answer in self.answer([one])]

    def _answer(self, questions: Sequence[Question]) -> list[Answers]:
        X = np.concatenate([one.X for one in questions]) if len(questions) > 1 else questions[0].X
        found = answers(self.file.model, X, questions[0].candidates.table, top=max(one.top for one in questions))
        parts, start = [], 0
        for one in questions:
            part = slice(start, start + len(one.X))
            chances = found.probabilities[part, : one.top]
            parts.append(Answers(found.labels[part, : one.top], chances, chances[:, 0] < one.abstain))
            start = part.stop
        return parts

    def explain(self, asked: Asked) -> tuple[Explanation, int]:
        """Return an explanation, and how many attributes to show of it."""
        rows, options = self.find_rows(asked).rows, asked.options
        known = self.candidates.known if options.classes is None else self.candidates.find(options.classes).table
        with explain_input():
            found = explain(self.file, rows, options.row, options.label, known)
        return found, options.top or _SHOWN

    def _encode(self, asked: Asked) -> InputRows:
        if self._encoder is None:
            raise InputError(self.without_pictures or "")
        rows, unreadable = encode_picture_contents(self._encoder, asked.pictures, most_pixels=self.limits.pixels)
        return InputRows(rows, unreadable)
