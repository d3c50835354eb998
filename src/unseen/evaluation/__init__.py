"""How good is it: protocols, metrics, published numbers and experiments."""

from unseen.evaluation.comparison import Comparison, ResultTable, compare
from unseen.evaluation.curve import SeenUnseenCurve
from unseen.evaluation.literature import PublishedNumber, published
from unseen.evaluation.protocol import evaluate
from unseen.evaluation.rendering import Table
from unseen.evaluation.result import EvaluationResult
from unseen.evaluation.settings import SETTINGS, Generalized, Retrieval, Setting, Standard
from unseen.evaluation.significance import PairedTest, paired_test
from unseen.evaluation.transductive import Transductive, TransductiveGeneralized
from unseen.evaluation.trial import Trial

__all__ = [
    "SETTINGS",
    "Comparison",
    "EvaluationResult",
    "Generalized",
    "PairedTest",
    "PublishedNumber",
    "ResultTable",
    "Retrieval",
    "SeenUnseenCurve",
    "Setting",
    "Standard",
    "Table",
    "Transductive",
    "TransductiveGeneralized",
    "Trial",
    "compare",
    "evaluate",
    "paired_test",
    "published",
]
