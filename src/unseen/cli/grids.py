"""What `unseen fit --select` tries for each model: small grids around the defaults."""

from typing import Any

_LAM = [0.03, 0.1, 0.3, 1.0, 3.0]

GRIDS: dict[str, dict[str, list[Any]]] = {
    "ALE": {"step": [0.01, 0.03, 0.1, 0.3]},
    "BilinearSVM": {"lam": _LAM},
    "ConSE": {"T": [3, 10, 30], "C": [1.0, 10.0, 100.0]},
    "DAP": {"C": [0.1, 1.0, 10.0]},
    "DirectJFA": {"lam": _LAM},
    "ESZSL": {"gamma": [0.1, 1.0, 10.0, 100.0, 1000.0], "lam": [0.1, 1.0, 10.0, 100.0]},
    "JFA": {"lam": _LAM, "omega": [[1000, 10, 0, 1], [1000, 100, 0, 1], [10000, 100, 0, 10]]},
    "SJE": {"step": [0.01, 0.03, 0.1, 0.3]},
    "StructuralSVM": {"lam": _LAM},
}
