"""Estimators: one file per model, named after it."""

from unseen.models.ale import ALE
from unseen.models.base import ZeroShotClassifier
from unseen.models.bilinear_svm import BilinearSVM
from unseen.models.calibrated import Calibrated
from unseen.models.conse import ConSE
from unseen.models.dap import DAP
from unseen.models.eszsl import ESZSL
from unseen.models.jfa import JFA, Adapted, DirectJFA
from unseen.models.prepared import Prepared
from unseen.models.sje import SJE
from unseen.models.structural import StructuralSVM

__all__ = [
    "ALE",
    "DAP",
    "ESZSL",
    "JFA",
    "SJE",
    "Adapted",
    "BilinearSVM",
    "Calibrated",
    "ConSE",
    "DirectJFA",
    "Prepared",
    "StructuralSVM",
    "ZeroShotClassifier",
]
