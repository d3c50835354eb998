"""The paper's study of omega at full scale: every setting of a grid, learned both ways, in minutes."""

from unseen.sweep.executors import Cluster, Cores, Here, Place
from unseen.sweep.observations import Observation, observe
from unseen.sweep.results import SweepResult
from unseen.sweep.settings import parse_values
from unseen.sweep.study import PAPER_GRID, Progress, sweep

__all__ = [
    "PAPER_GRID",
    "Cluster",
    "Cores",
    "Here",
    "Observation",
    "Place",
    "Progress",
    "SweepResult",
    "observe",
    "parse_values",
    "sweep",
]
