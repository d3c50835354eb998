"""Define the solvers of the learning problem; each has its own module."""

from collections.abc import Callable

from unseen.learning.solvers.base import Solver
from unseen.learning.solvers.cccp import CCCP
from unseen.learning.solvers.smooth import Smooth
from unseen.learning.solvers.stochastic import Stochastic
from unseen.utils.registry import Registry

__all__ = ["SOLVERS"]

SOLVERS: Registry[Callable[[], Solver]] = Registry(
    "solver", {"cccp": CCCP, "smooth": Smooth, "stochastic": Stochastic}, also=("auto",), other="a Solver", outside=True
)
