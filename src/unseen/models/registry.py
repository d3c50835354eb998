"""Register the models by name."""

from unseen.models.attributes.dap import DAP
from unseen.models.base import ZeroShotClassifier
from unseen.models.compatibility.ale import ALE
from unseen.models.compatibility.bilinear_svm import BilinearSVM
from unseen.models.compatibility.direct_jfa import DirectJFA
from unseen.models.compatibility.eszsl import ESZSL
from unseen.models.compatibility.jfa import JFA
from unseen.models.compatibility.sje import SJE
from unseen.models.compatibility.structural import StructuralSVM
from unseen.models.exemplars.conse import ConSE
from unseen.utils.registry import Registry

# Names as users write them, in experiments and on the command line. A new model is one more line.
MODELS: Registry[type[ZeroShotClassifier]] = Registry(
    "model",
    {
        "ale": ALE,
        "bilinear": BilinearSVM,
        "conse": ConSE,
        "dap": DAP,
        "direct-jfa": DirectJFA,
        "eszsl": ESZSL,
        "jfa": JFA,
        "sje": SJE,
        "structural-svm": StructuralSVM,
    },
    outside=True,
)
