"""Estimators: one file per model, named after it."""

from unseen.models.base import ZeroShotClassifier
from unseen.models.bilinear_svm import BilinearSVM
from unseen.models.eszsl import ESZSL
from unseen.models.jfa import JFA, Adapted, DirectJFA
from unseen.models.structural import StructuralSVM

__all__ = ["ESZSL", "JFA", "Adapted", "BilinearSVM", "DirectJFA", "StructuralSVM", "ZeroShotClassifier"]
