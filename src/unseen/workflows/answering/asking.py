"""Bring a model, rows and candidates together, and answer one block of rows after the other."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

from unseen.confidence.answers import Answers, answer_blocks
from unseen.confidence.coverage import CoverageCurve
from unseen.data.class_groups import ClassGroups
from unseen.data.class_table import ClassTable
from unseen.data.rows import FeatureRows
from unseen.files.model_file import ModelFile
from unseen.files.scoring.reading import is_layer, open_to_ask
from unseen.utils.errors import InputError
from unseen.utils.progress import Counter, OnProgress, ignore
from unseen.workflows.answering.questions import Question, add_up_groups, ask_alone, ask_among_own, ask_together
from unseen.workflows.inputs.candidates import find_candidates
from unseen.workflows.inputs.rows import InputRows, find_rows

if TYPE_CHECKING:
    from unseen.workflows.fitting import AnyModel
    from unseen.workflows.inputs.data import Named

    Asked: TypeAlias = Named | FeatureRows | NDArray[Any]


class NamedAnswers(NamedTuple):
    """The names of some rows, and their answers."""

    names: Sequence[Any]
    answers: Answers


@dataclass(frozen=True, eq=False)
class Asking:
    """A model that is about to be asked about rows.

    Attributes
    ----------
    rows : FeatureRows
    question : callable
        Function from the numbers of a block of rows to probabilities; see `unseen.workflows.answering.questions`.
    labels : ndarray of shape (m,)
        What may be answered: the candidates, or groups of them.
    n_candidates : int
        How many candidates there are.
    unreadable : mapping of str to str
        Pictures without a row, and the reasons.
    expected : CoverageCurve or None
        Expected coverage curve of a calibrated model, where probabilities are those of candidates among each other.
    calibrated : bool
        Whether the model is calibrated.
    together : bool
        Whether all rows are answered together, as one batch.
    """

    rows: FeatureRows
    question: Question
    labels: NDArray[Any]
    n_candidates: int
    unreadable: Mapping[str, str] = field(default_factory=dict)
    expected: CoverageCurve | None = None
    calibrated: bool = False
    together: bool = False

    def answer(self, top: int = 1, abstain: float = 0.0, on_progress: OnProgress = ignore) -> Iterator[NamedAnswers]:
        """Yield the answers of one block of rows after the other.

        Parameters
        ----------
        top : int, default 1
            Number of candidates of each row.
        abstain : float, default 0.0
            Probability below which a label is withheld.
        on_progress : callable, optional
        """
        X, names, first = self.rows.X, self.rows.names, 0
        count = Counter("recognising", len(X), on_progress)
        blocks = answer_blocks(
            self.question, X, self.labels, top=top, abstain=abstain, together=self.together, on_rows=count
        )
        for block in blocks:
            end = first + len(block.withheld)
            yield NamedAnswers(names[first:end], block)
            first = end


def prepare_to_ask(
    model: "AnyModel",
    data: "Asked",
    classes: Any = None,
    *,
    groups: Any = None,
    only: Iterable[str] | None = None,
    sum_groups: bool = False,
    own_candidates: str | Sequence[Any] | None = None,
    independent: bool = False,
    prior: float | None = None,
    device: str = "cpu",
    on_progress: OnProgress = ignore,
    **reading: Any,
) -> Asking:
    """Open the model, find rows and candidates, and decide how to ask.

    Parameters
    ----------
    model, data, classes, on_progress
        As for `unseen.workflows.predict`.
    groups : path-like, mapping of str to sequence, or ClassGroups, optional
        Groups of classes: a file with the columns class and group, or the classes of each group.
    only : iterable of str, optional
        Groups whose classes are the candidates; needs `groups`.
    sum_groups : bool, default False
        Whether to answer with groups, whose probabilities are the sums of those of their classes; needs `groups`.
    own_candidates : str or sequence, optional
        The candidates of each row: a column of the table of features, which names them with ";" or "|" between them, or
        a list for each row. They are chosen from the candidates that `classes` names.
    independent : bool, default False
        Whether to judge each label by itself, so that labels do not compete with each other: see
        `unseen.models.Calibrated.predict_alone`.
    prior : float, optional
        With `independent`, the share of rows that a label is expected to apply to; by default 0.5.
    device : str, default "cpu"
        Where the model works and, for pictures, the encoder. Any other than "cpu" is a device of PyTorch, to which the
        rows are sent.
    **reading
        How data are read: `features` and `label` as for `unseen.data.load_rows`; for pictures `weights` (the encoder's
        weights if they have moved), `batch`, the number of pictures encoded at once, and `keep`, a folder to keep their
        features in, so that they are encoded only once.
    """
    file = _open(model, device)
    grouped = _check_groups(groups, only, sum_groups)
    prior = _check_prior(independent, prior, sum_groups, own_candidates)
    table = find_candidates(file.model, classes)
    table = table if grouped is None or only is None else grouped.choose(table, only)
    asked = _find_rows(file, data, own_candidates, on_progress=on_progress, device=device, **reading)
    rows = asked.rows if device == "cpu" else asked.rows.send_to(device)
    facts = find_facts(file.model)
    if facts.together and rows.candidates is not None:
        raise InputError(
            "a refined model answers all rows together among the same candidates: leave out own_candidates, or give "
            "the model that is refined"
        )
    question, labels = _choose_question(file.model, facts, rows, table, prior), table.labels
    if grouped is not None and sum_groups:
        question, labels = add_up_groups(question, grouped, table)
    plain = not independent and not sum_groups and rows.candidates is None
    expected, calibrated = (facts.expected if plain else None), facts.expected is not None
    return Asking(rows, question, labels, len(table), asked.unreadable, expected, calibrated, facts.together)


def _find_rows(file: ModelFile, data: "Asked", own_candidates: Any, **reading: Any) -> InputRows:
    """Return the rows, with their own candidates if they have some."""
    if not isinstance(own_candidates, str):
        asked = find_rows(file, data, **reading)
        if own_candidates is None:
            return asked
        return replace(asked, rows=replace(asked.rows, candidates=list(own_candidates)))
    asked = find_rows(file, data, candidates=own_candidates, **reading)
    if asked.rows.candidates is None:
        raise InputError(
            f"own_candidates={own_candidates!r} names a column, but data is not a table in a file: give a list of "
            "candidates for each row"
        )
    return asked


def _check_prior(independent: bool, prior: float | None, sum_groups: bool, own_candidates: Any) -> float | None:
    """Return the prior of labels that are judged by themselves, or None if they are not."""
    if not independent:
        if prior is not None:
            raise InputError(f"prior={prior!r} is for labels that are judged by themselves: add independent")
        return None
    if sum_groups or own_candidates is not None:
        raise InputError(
            "independent judges each label by itself, so that probabilities neither sum up over groups nor depend on "
            "the candidates of a row: leave out sum_groups and own_candidates"
        )
    return 0.5 if prior is None else prior


def _choose_question(model: Any, facts: "Facts", rows: FeatureRows, table: ClassTable, prior: float | None) -> Question:
    if prior is not None:
        if not facts.judges_alone:
            raise InputError(
                "independent needs a model that was calibrated for labels by themselves: fit it again with this "
                "version, calibrated, without a refinement, and on at least 4 classes"
            )
        return ask_alone(model, rows.X, table, prior)
    if rows.candidates is not None:
        return ask_among_own(model, rows, table)
    return ask_together(model, rows.X, table)


def _check_groups(groups: Any, only: Any, sum_groups: bool) -> ClassGroups | None:
    if groups is not None:
        if only is None and not sum_groups:
            raise InputError("groups is given for nothing: choose groups with only=, or sum over them with sum_groups")
        return ClassGroups.make(groups)
    if only is not None or sum_groups:
        raise InputError("only and sum_groups need groups: name a file with the columns class and group")
    return None


def _open(model: "AnyModel", device: str) -> ModelFile:
    if device != "cpu":
        from unseen.utils.devices import find_device

        find_device(device)  # refused before anything is read
    elif isinstance(model, str | os.PathLike):
        return open_to_ask(model)
    from unseen.workflows.fitting import open_model

    return open_model(model)


class Facts(NamedTuple):
    """What to expect of a model, whether it answers all rows together, and whether it judges labels by themselves."""

    expected: CoverageCurve | None
    together: bool
    judges_alone: bool


def find_facts(model: Any) -> Facts:
    """Find the facts about an estimator, or about what was read of a file."""
    if is_layer(model):
        return Facts(model.expected, False, getattr(model, "alone", None) is not None)
    from unseen.models.wrappers.calibrated import calibration_of
    from unseen.utils.wrapping import is_transductive

    calibration = calibration_of(model)
    judges_alone = getattr(model, "alone_", None) is not None
    return Facts(None if calibration is None else calibration.curve_, is_transductive(model), judges_alone)
