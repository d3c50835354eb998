"""What is known of a problem once it is solved."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

import numpy as np

from unseen.evaluation.metrics import confusion_counts, recall_per_class
from unseen.similarity import Omega
from unseen.sweep.batched_objective import Numbers, Stack
from unseen.sweep.problems import Floats
from unseen.utils.arrays import Array, namespace

Way = Literal["free", "positive-definite"]
WAYS: tuple[Way, ...] = ("free", "positive-definite")


@dataclass(frozen=True)
class Outcome:
    """The end of one problem, learned one way.

    Attributes
    ----------
    problem : int
    way : "free" or "positive-definite"
    per_class, per_image : float
        Accuracy on the test rows among their classes: mean over classes, and over rows.
    objective : float
    converged : bool
    iterations : int
    sigma : float
        sigma_max(W) / sqrt(omega_13 omega_24): H is positive definite exactly where it is below 1.
    merge_error : float
        By how much at the most the objective at this W differs for any of the settings merged into this problem.
    """

    problem: int
    way: Way
    per_class: float
    per_image: float
    objective: float
    converged: bool
    iterations: int
    sigma: float
    merge_error: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for a store."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Self:
        """Return what `to_dict` was made of."""
        return cls(**fields)


def accuracies(stack: Stack, setting: Floats, W: Array) -> tuple[float, float]:
    """Return the mean per-class and the per-image accuracy on the test rows."""
    test = stack.material.test
    confusion = confusion_counts(np.asarray(stack.true_classes), stack.answers(setting, W), test.psi.shape[0])
    return float(recall_per_class(confusion).mean()), float(np.trace(confusion) / confusion.sum())


def largest_singular_value(setting: Floats, W: Array) -> float:
    """Return sigma_max(W) / sqrt(omega_13 omega_24)."""
    xp = namespace(W)
    hat = W / Omega(*setting[:4]).limit
    return math.sqrt(max(0.0, float(xp.max(xp.linalg.eigvalsh(hat.T @ hat)))))


def merge_error(stack: Stack, setting: Floats, W: Array, spread: Floats) -> float:
    """Bound the change of the objective at What when kappa, beta and mu change by factors up to exp(spread).

    Scores change by at most (exp(spread) - 1) times their two parts, and the loss of a row by at most the range of
    the changes over classes; |phi_i^T E_c| is bounded by the product of the lengths.
    """
    if not spread.any():
        return 0.0
    xp = namespace(W)
    forms = stack.forms(Numbers.of(setting[None, :], W), W[None, :, :], stack.material.train)
    of_kappa = 2 * float(xp.max(xp.linalg.vector_norm(forms.E[0, :, :], axis=0))) * stack.total_length
    of_beta = float(xp.max(forms.b) - xp.min(forms.b)) * stack.material.train.phi.shape[0]
    of_mu = 0.5 * float(setting[4]) * float(xp.sum(W * W))
    return float(np.expm1(spread) @ [of_kappa, of_beta, of_mu])
