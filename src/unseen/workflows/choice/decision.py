"""Record what was tried and chosen on held-out seen classes, and say it in words."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from unseen.selection.grid import Estimator

# Parameters are named with the model.
_SAID = ("features", "descriptions", "model")


@dataclass(frozen=True)
class Decision:
    """One decision.

    Attributes
    ----------
    about : str
        What was decided: "features", "descriptions", "model" or a parameter.
    chosen : str
        The choice, in words.
    tried : mapping of str to float
        Mean per-class accuracy of everything that was tried, on held-out seen classes; the plainest comes first.
    """

    about: str
    chosen: str
    tried: Mapping[str, float]

    @property
    def gain(self) -> float:
        """What the choice adds to the accuracy of the plainest."""
        return self.tried[self.chosen] - next(iter(self.tried.values()))

    def say(self) -> str:
        """Return a sentence.

        >>> Decision("features", "length 1", {"as they are": 0.5, "length 1": 0.531}).say()
        'Features: length 1 (+3.1 points over as they are).'
        """
        plainest = next(iter(self.tried))
        if self.chosen == plainest:
            n_others = len(self.tried) - 1
            why = f" ({_count_others(n_others)} clearly better)" if n_others else ""
        else:
            why = f" ({100 * self.gain:+.1f} points over {plainest})"
        return f"{self.about.capitalize()}: {self.chosen}{why}."


def _count_others(number: int) -> str:
    return "the other one was not" if number == 1 else f"none of {number} others was"


@dataclass(frozen=True, eq=False)
class Choice:
    """What was chosen on held-out seen classes.

    Attributes
    ----------
    model : estimator
        The chosen model, not fitted, with its preparation around it.
    effort : str
    decisions : tuple of Decision
    accuracy : float or None
        Mean per-class accuracy of the choice on held-out seen classes; None if there was nothing to choose on.
    n_candidates : int
        Number of classes that were held out together.
    note : str
        Why nothing could be chosen, if so.
    """

    model: Estimator
    effort: str
    decisions: tuple[Decision, ...] = ()
    accuracy: float | None = None
    n_candidates: int = 0
    note: str = ""

    def say(self) -> list[str]:
        """Return what was chosen and why, in sentences."""
        if self.accuracy is None:
            return [self.note]
        told = [decision.say() for decision in self.decisions if decision.about in _SAID]
        return [*told, f"{self.accuracy:.1%} per class among {self.n_candidates} held-out seen classes."]

    def as_record(self) -> dict[str, Any]:
        """Return plain values for a model file."""
        return {
            "effort": self.effort,
            "decisions": [asdict(decision) for decision in self.decisions],
            "accuracy": self.accuracy,
            "n_candidates": self.n_candidates,
            "said": self.say(),
        }
