"""Learn the weights W: the latent structural SVM objective and the solvers that minimise it."""

from unseen.learning.losses import Loss, Maximum, RankingSum, SoftMaximum
from unseen.learning.margins import MatrixMargin, ZeroOneMargin
from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.base import Solution, Solver
from unseen.learning.solvers.cccp import CCCP
from unseen.learning.solvers.leading import InLeadingDirections
from unseen.learning.solvers.planes.cutting_plane import CuttingPlane
from unseen.learning.solvers.smooth import Smooth
from unseen.learning.solvers.stochastic import Stochastic
from unseen.learning.training import learn

__all__ = [
    "CCCP",
    "CuttingPlane",
    "InLeadingDirections",
    "LatentSVM",
    "Loss",
    "MatrixMargin",
    "Maximum",
    "RankingSum",
    "Smooth",
    "SoftMaximum",
    "Solution",
    "Solver",
    "Stochastic",
    "ZeroOneMargin",
    "learn",
]
