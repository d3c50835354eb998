"""Judge each label by itself: whether a row is of this class, whatever other labels are asked about."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AloneCalibration:
    """How evidence for a label, measured against the seen classes, becomes the probability of a yes.

    The probability is 1 / (1 + exp(-(slope * evidence + offset))) where a yes and a no are equally likely beforehand.
    Labels of seen classes, of which the model knows images, have a slope and an offset of their own.

    Attributes
    ----------
    unseen_slope, unseen_offset : float
        Those of labels that the model has not seen.
    seen_slope, seen_offset : float or None
        Those of seen classes; None if no rows of these were held out.
    """

    unseen_slope: float
    unseen_offset: float
    seen_slope: float | None = None
    seen_offset: float | None = None

    def apply(self, evidence: Floats, seen: NDArray[np.bool_], prior: float = 0.5) -> Floats:
        """Return the probability of each label for each row.

        Parameters
        ----------
        evidence : ndarray of shape (n, m)
            What `find_evidence` returns.
        seen : ndarray of bool of shape (m,)
            Which labels are those of seen classes.
        prior : float, default 0.5
            Share of rows that a label is expected to apply to, above 0 and below 1.

        Examples
        --------
        >>> rule = AloneCalibration(1.0, 0.0)
        >>> rule.apply(np.array([[0.0, np.log(3)]]), np.array([False, False]))
        array([[0.5 , 0.75]])
        >>> rule.apply(np.array([[0.0, np.log(3)]]), np.array([False, False]), prior=0.25)
        array([[0.25, 0.5 ]])
        """
        if isinstance(prior, bool) or not 0 < prior < 1:
            raise InputError(f"prior={prior!r} is not a share: give a number above 0 and below 1")
        if seen.any() and (self.seen_slope is None or self.seen_offset is None):
            raise InputError(
                "no rows of seen classes were held out in calibration, so that seen labels cannot be judged by "
                "themselves: fit Calibrated with penalise_seen=True, or ask about unseen labels only"
            )
        slopes = np.where(seen, self.seen_slope or 0.0, self.unseen_slope)
        offsets = np.where(seen, self.seen_offset or 0.0, self.unseen_offset)
        odds = evidence * slopes[None, :] + offsets[None, :] + math.log(prior / (1 - prior))
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def find_evidence(scores: NDArray[Any], seen: NDArray[np.bool_], temperature: float) -> Floats:
    """Return how far each class scores above the level of the seen classes, itself left out, in units of temperature.

    The level is the soft maximum of their scores. Seen classes stand for whatever else a row may show, so that labels
    do not compete with each other. A term that is the same for all classes of a row does not count.

    Parameters
    ----------
    scores : ndarray of shape (n, m)
    seen : ndarray of bool of shape (m,)
        Which columns are seen classes, at least two.
    temperature : float

    Examples
    --------
    >>> find_evidence(np.log([[1.0, 3.0, 8.0, 8.0]]), np.array([True, True, False, False]), 1.0).round(3)
    array([[-1.099,  1.099,  1.386,  1.386]])
    """
    scaled = scores.astype(np.float64) / temperature
    level, count = np.logaddexp.reduce(scaled[:, seen], axis=1), int(seen.sum())
    evidence: Floats = scaled - (level - math.log(count))[:, None]
    columns, rows = np.flatnonzero(seen), np.arange(len(scaled))
    share = np.exp(np.minimum(scaled[:, columns] - level[:, None], math.log(0.5)))
    evidence[:, columns] = scaled[:, columns] - (level[:, None] + np.log1p(-share) - math.log(count - 1))
    # The best seen class may be nearly all of the sum: what the others have is summed without it.
    best = columns[scaled[:, columns].argmax(axis=1)]
    others = scaled[:, columns].copy()
    others[rows, scaled[:, columns].argmax(axis=1)] = -np.inf
    without = np.logaddexp.reduce(others, axis=1) - math.log(count - 1)
    evidence[rows, best] = scaled[rows, best] - without
    return evidence
