"""Evaluate models: protocol, settings, metrics, results and statistical tests."""

from unseen.confidence.seen_unseen import SeenUnseenCurve
from unseen.evaluation.comparison import Comparison, ResultTable, compare
from unseen.evaluation.protocol import evaluate
from unseen.evaluation.result import EvaluationResult
from unseen.evaluation.settings.inductive import SETTINGS, Generalized, Retrieval, Setting, Standard
from unseen.evaluation.settings.transductive import Transductive, TransductiveGeneralized
from unseen.evaluation.significance import PairedTest, correct_by_holm, paired_test
from unseen.evaluation.splits.comparison import Difference, SplitComparison
from unseen.evaluation.splits.result import SplitResult
from unseen.evaluation.trial import Trial

__all__ = [
    "SETTINGS",
    "Comparison",
    "Difference",
    "EvaluationResult",
    "Generalized",
    "PairedTest",
    "ResultTable",
    "Retrieval",
    "SeenUnseenCurve",
    "Setting",
    "SplitComparison",
    "SplitResult",
    "Standard",
    "Transductive",
    "TransductiveGeneralized",
    "Trial",
    "compare",
    "correct_by_holm",
    "evaluate",
    "paired_test",
]
