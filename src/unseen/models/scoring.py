"""Score rows against candidate classes by what was learned, without scikit-learn.

Models score through these functions, and so does `unseen.files.scoring`, which reads them from a file.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unseen.confidence.alone import AloneCalibration, find_evidence
from unseen.data.class_table import ClassTable
from unseen.utils.arrays import Array, convert_like, namespace
from unseen.utils.errors import InputError

# E and b with scores = phi E + b, or a function from phi to scores.
LinearForm = tuple[Array, Array]
ScoreFunction = Callable[[Array], Array]


class Scorer:
    """Score checked features against fixed candidates; what depends on the candidates alone is computed once.

    Parameters
    ----------
    scores : (E, b) or callable
        How features (n, d) are scored.
    check : callable
        Function of X and `finite`, which returns X as floats and, if `finite`, refuses NaN and infinite values.
    """

    def __init__(self, scores: LinearForm | ScoreFunction, check: Callable[..., Array]) -> None:
        self._scores, self._check = scores, check

    def check(self, X: Array) -> Array:
        """Check the features; if scores are affine, NaN and inf are cheaper to find in the scores."""
        return self._check(X, finite=callable(self._scores))

    def __call__(self, X: Array) -> Array:
        """Return the scores."""
        if callable(self._scores):
            return self._scores(X)
        return self._affine(X, *self._scores)

    def compare(self, X: Array) -> Array:
        """Return scores up to a term that all classes share: next to a large one, single precision loses the rest."""
        if callable(self._scores):
            return self(X)
        E, b = self._scores
        return self._affine(X, E, b - namespace(b).mean(b))

    def _affine(self, X: Array, E: Array, b: Array) -> Array:
        E, b = convert_like(E, X), convert_like(b, X)
        xp = namespace(X)
        with np.errstate(all="ignore"):  # the error below says more than NumPy's warning
            scores = X @ E
            scores += b[None, :]
            finite = bool(xp.isfinite(xp.sum(scores)))
        if not finite:
            self._check(X, finite=True)  # raises if the features are the cause
            raise InputError(
                f"X is so far from the training rows that its scores leave the range of {X.dtype}: give features in "
                "the units that the model was fitted on"
            )
        return scores


class LastScorer:
    """Cache the scorer of the last candidates: most callers score many batches against the same ones."""

    def __init__(self) -> None:
        self._last: tuple[ClassTable, Scorer] | None = None

    def get(self, table: ClassTable, make: Callable[[ClassTable], Scorer]) -> Scorer:
        """Return the scorer of these candidates, made anew if they are not the last ones."""
        # Read once and kept in a variable: other threads may put another pair in its place meanwhile.
        last = self._last
        if last is None or last[0] != table:
            last = self._last = table, make(table)
        return last[1]

    def __getstate__(self) -> dict[str, None]:
        return {"_last": None}  # rebuilt when needed, so that a copy of a model stays small


def score_bilinear(V: Array, psi: Array) -> LinearForm:
    """Return E and b of the scores phi V psi^T, for candidates psi (m, d_s) in double precision."""
    return V @ psi.T, namespace(psi).zeros(psi.shape[0], dtype=psi.dtype, device=psi.device)


def blend_scores(factors: Sequence[float], forms: Sequence[LinearForm | ScoreFunction]) -> LinearForm | ScoreFunction:
    """Add up the scores of several models, multiplied by factors; the sum is affine where all of them are."""
    affine = [form for form in forms if not callable(form)]
    if len(affine) == len(forms):
        E, b = (
            sum(factor * part for factor, part in zip(factors, side, strict=True)) for side in zip(*affine, strict=True)
        )
        return E, b
    return lambda X: sum(factor * _apply(form, X) for factor, form in zip(factors, forms, strict=True))


def _apply(form: LinearForm | ScoreFunction, X: Array) -> Array:
    if callable(form):
        return form(X)
    E, b = (convert_like(part, X) for part in form)
    return X @ E + b[None, :]


def list_penalties(penalty: float | None, table: ClassTable, seen: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return the penalty of each candidate: 0 for unseen ones; None unless there are candidates of both kinds.

    >>> list_penalties(0.5, ClassTable.one_hot(["ox", "yak"]), np.array(["ox", "cow"]))
    array([0.5, 0. ])
    """
    known = set(seen.tolist())
    is_seen = np.array([label in known for label in table.labels.tolist()])
    return penalty * is_seen if penalty and is_seen.any() and not is_seen.all() else None


def penalise(scores: Array, penalties: NDArray[np.float64] | None) -> Array:
    """Subtract what each candidate loses from scores (n, m)."""
    return scores if penalties is None else scores - convert_like(penalties, scores)[None, :]


class JoinedTable(NamedTuple):
    """Labels to judge together with all seen classes: the table, which of it is seen, and the columns to judge."""

    table: ClassTable
    seen: NDArray[np.bool_]
    columns: NDArray[np.int64]


def join_seen(table: ClassTable, seen: ClassTable) -> JoinedTable:
    """Join labels to judge with the seen classes; seen ones among them keep the description that they come with.

    >>> joined = join_seen(ClassTable.one_hot(["okapi", "zebra"]), ClassTable.one_hot(["lion", "zebra"]))
    >>> list(joined.table), joined.seen.tolist(), joined.columns.tolist()
    (['okapi', 'zebra', 'lion'], [False, True, True], [0, 1])
    """
    others = [label for label in seen.labels.tolist() if label not in table]
    joint = table.concat(seen.select(others)) if others else table
    is_seen = np.array([label in seen for label in joint.labels.tolist()])
    return JoinedTable(joint, is_seen, np.arange(len(table)))


def judge_alone(
    scores: NDArray[Any], joint: JoinedTable, temperature: float, rule: AloneCalibration, prior: float = 0.5
) -> NDArray[np.float64]:
    """Return the probability of each label by itself, from the scores (n, m) of a joined table."""
    evidence = find_evidence(scores, joint.seen, temperature)[:, joint.columns]
    return rule.apply(evidence, joint.seen[joint.columns], prior)
