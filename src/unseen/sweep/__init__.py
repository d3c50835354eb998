"""The paper's study of omega at full scale: every setting of a grid, learned both ways, in minutes."""

from unseen.sweep.executors import DaskCluster, Executor, InProcess, Processes
from unseen.sweep.observations import Observation, observe
from unseen.sweep.results import SweepResult
from unseen.sweep.settings import parse_values
from unseen.sweep.study import PAPER_GRID, sweep

__all__ = [
    "PAPER_GRID",
    "DaskCluster",
    "Executor",
    "InProcess",
    "Observation",
    "Processes",
    "SweepResult",
    "observe",
    "parse_values",
    "sweep",
]
