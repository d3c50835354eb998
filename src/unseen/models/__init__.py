"""Zero-shot models, each in a file named after it."""

from unseen.models.attributes.dap import DAP
from unseen.models.base import ZeroShotClassifier
from unseen.models.codes.bucher import Bucher
from unseen.models.codes.sdl import SDL
from unseen.models.compatibility.ale import ALE
from unseen.models.compatibility.bilinear_svm import BilinearSVM
from unseen.models.compatibility.direct_jfa import DirectJFA
from unseen.models.compatibility.eszsl import ESZSL
from unseen.models.compatibility.jfa import JFA
from unseen.models.compatibility.omega_classifier import Adapted
from unseen.models.compatibility.sje import SJE
from unseen.models.compatibility.structural import StructuralSVM
from unseen.models.exemplars.conse import ConSE
from unseen.models.exemplars.gaussian_jfa import GaussianJFA
from unseen.models.registry import MODELS
from unseen.models.wrappers.blend import Blend
from unseen.models.wrappers.calibrated import Calibrated
from unseen.models.wrappers.prepared import Prepared

__all__ = [
    "ALE",
    "DAP",
    "ESZSL",
    "JFA",
    "MODELS",
    "SDL",
    "SJE",
    "Adapted",
    "BilinearSVM",
    "Blend",
    "Bucher",
    "Calibrated",
    "ConSE",
    "DirectJFA",
    "GaussianJFA",
    "Prepared",
    "StructuralSVM",
    "ZeroShotClassifier",
]
