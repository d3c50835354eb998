"""Zero-shot models, each in a file named after it."""

from typing import TYPE_CHECKING

from unseen.utils.importing import import_on_use

if TYPE_CHECKING:
    from unseen.models.attributes.dap import DAP
    from unseen.models.attributes.farhadi import Farhadi
    from unseen.models.attributes.iap import IAP
    from unseen.models.attributes.jayaraman_grauman import JayaramanGrauman
    from unseen.models.attributes.mahajan import Mahajan
    from unseen.models.attributes.wang_ji import WangJi
    from unseen.models.attributes.yu import Yu
    from unseen.models.base import ZeroShotClassifier
    from unseen.models.closed_forms.eszsl import ESZSL
    from unseen.models.closed_forms.qiao import Qiao
    from unseen.models.closed_forms.rkt import RKT
    from unseen.models.closed_forms.sae import SAE
    from unseen.models.codes.bucher import Bucher
    from unseen.models.codes.sdl import SDL
    from unseen.models.codes.sse import SSE
    from unseen.models.compatibility.bilinear_svm import BilinearSVM
    from unseen.models.compatibility.cmt import CMT
    from unseen.models.compatibility.direct_jfa import DirectJFA
    from unseen.models.compatibility.jfa import JFA
    from unseen.models.compatibility.omega_classifier import Adapted
    from unseen.models.compatibility.structural import StructuralSVM
    from unseen.models.densities.gaussian_jfa import GaussianJFA
    from unseen.models.exemplars.conse import ConSE
    from unseen.models.exemplars.costa import COSTA
    from unseen.models.exemplars.exem import EXEM
    from unseen.models.exemplars.sync import SynC
    from unseen.models.ranking.ale import ALE
    from unseen.models.ranking.devise import DeViSE
    from unseen.models.ranking.latem import LatEm
    from unseen.models.ranking.sje import SJE
    from unseen.models.registry import MODELS
    from unseen.models.wrappers.blend import Blend
    from unseen.models.wrappers.calibrated import Calibrated
    from unseen.models.wrappers.prepared import Prepared

__all__ = [
    "ALE",
    "CMT",
    "COSTA",
    "DAP",
    "ESZSL",
    "EXEM",
    "IAP",
    "JFA",
    "MODELS",
    "RKT",
    "SAE",
    "SDL",
    "SJE",
    "SSE",
    "Adapted",
    "BilinearSVM",
    "Blend",
    "Bucher",
    "Calibrated",
    "ConSE",
    "DeViSE",
    "DirectJFA",
    "Farhadi",
    "GaussianJFA",
    "JayaramanGrauman",
    "LatEm",
    "Mahajan",
    "Prepared",
    "Qiao",
    "StructuralSVM",
    "SynC",
    "WangJi",
    "Yu",
    "ZeroShotClassifier",
]

__getattr__, __dir__ = import_on_use(
    __name__,
    {
        "attributes.dap": ["DAP"],
        "attributes.farhadi": ["Farhadi"],
        "attributes.iap": ["IAP"],
        "attributes.jayaraman_grauman": ["JayaramanGrauman"],
        "attributes.mahajan": ["Mahajan"],
        "attributes.wang_ji": ["WangJi"],
        "attributes.yu": ["Yu"],
        "base": ["ZeroShotClassifier"],
        "closed_forms.eszsl": ["ESZSL"],
        "closed_forms.qiao": ["Qiao"],
        "closed_forms.rkt": ["RKT"],
        "closed_forms.sae": ["SAE"],
        "codes.bucher": ["Bucher"],
        "codes.sdl": ["SDL"],
        "codes.sse": ["SSE"],
        "compatibility.bilinear_svm": ["BilinearSVM"],
        "compatibility.cmt": ["CMT"],
        "compatibility.direct_jfa": ["DirectJFA"],
        "compatibility.jfa": ["JFA"],
        "compatibility.omega_classifier": ["Adapted"],
        "compatibility.structural": ["StructuralSVM"],
        "densities.gaussian_jfa": ["GaussianJFA"],
        "exemplars.conse": ["ConSE"],
        "exemplars.costa": ["COSTA"],
        "exemplars.exem": ["EXEM"],
        "exemplars.sync": ["SynC"],
        "ranking.ale": ["ALE"],
        "ranking.devise": ["DeViSE"],
        "ranking.latem": ["LatEm"],
        "ranking.sje": ["SJE"],
        "registry": ["MODELS"],
        "wrappers.blend": ["Blend"],
        "wrappers.calibrated": ["Calibrated"],
        "wrappers.prepared": ["Prepared"],
    },
)
