"""Estimate how certain predictions are: probabilities, their calibration, and abstention."""

from unseen.confidence.answers import Answers, answers
from unseen.confidence.coverage import CoverageCurve, Expected, check_probability
from unseen.confidence.held_out import HeldOutAccuracy
from unseen.confidence.probabilities import expected_calibration_error, find_temperature, soft_maximum

__all__ = [
    "Answers",
    "CoverageCurve",
    "Expected",
    "HeldOutAccuracy",
    "answers",
    "check_probability",
    "expected_calibration_error",
    "find_temperature",
    "soft_maximum",
]
