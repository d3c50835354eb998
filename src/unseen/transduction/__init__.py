"""Transductive refinements of any model on a whole unlabelled batch, each in a file named after its method."""

from unseen.transduction.base import TransductiveClassifier
from unseen.transduction.gaussian_em import GaussianEM
from unseen.transduction.pst import PST
from unseen.transduction.sms import SMS
from unseen.transduction.spzsr import SPZSR
from unseen.transduction.tmv_hlp import TMVHLP
from unseen.transduction.uda import UDA
from unseen.utils.registry import Registry
from unseen.utils.wrapping import is_transductive

REFINEMENTS: Registry[type[TransductiveClassifier]] = Registry(
    "refinement", {kind.__name__: kind for kind in (GaussianEM, PST, SMS, SPZSR, TMVHLP, UDA)}, outside=True
)

__all__ = [
    "PST",
    "REFINEMENTS",
    "SMS",
    "SPZSR",
    "TMVHLP",
    "UDA",
    "GaussianEM",
    "TransductiveClassifier",
    "is_transductive",
]
