"""How sure an answer is: probabilities, their calibration, and what is gained by withholding some."""

from unseen.confidence.answers import Answers, answers
from unseen.confidence.coverage import CoverageCurve, Expected, probability
from unseen.confidence.probabilities import best_temperature, expected_calibration_error, soft_maximum

__all__ = [
    "Answers",
    "CoverageCurve",
    "Expected",
    "answers",
    "best_temperature",
    "expected_calibration_error",
    "probability",
    "soft_maximum",
]
