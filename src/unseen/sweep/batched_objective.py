"""The objective, its gradient and coordinates of W for many problems at once, on any array library and device."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unseen.features import Rows
from unseen.features.reading.rows import append_ones
from unseen.learning.losses import SoftMaximum
from unseen.learning.margins import ZeroOneMargin
from unseen.learning.solvers.descent.preconditioner import Moments, Preconditioner
from unseen.similarity import Omega
from unseen.similarity.adaptive import BOUNDARY_MARGIN
from unseen.similarity.sets.ball_coordinates import CORE, from_ball, to_ball
from unseen.sweep.data import Examples, SweepData
from unseen.sweep.settings import Floats
from unseen.utils.arrays import Array, as_float, convert_like, is_positive_definite, namespace, to_numpy

MARGIN = ZeroOneMargin()


class ProblemNumbers(NamedTuple):
    """What fixes each of B problems (see `unseen.similarity.omega`), as arrays of shape (B,)."""

    limit: Array
    kappa: Array
    beta: Array
    w2: Array
    lam: Array

    @classmethod
    def of(cls, settings: Floats, model: Array) -> "ProblemNumbers":
        """Compute them from settings (B, 5), in double precision on the device of `model`."""
        omega, lam = Omega.from_rows(settings), settings[:, 4]
        return cls(*(convert_like(part, model) for part in (omega.limit, omega.kappa, omega.beta, omega.w2, lam)))

    def columns(self) -> "ProblemNumbers":
        """Return the same in the shape (B, 1, 1)."""
        return ProblemNumbers(*(part[:, None, None] for part in self))


class ScoreForms(NamedTuple):
    """Scores of B problems as products with phi, and what the gradient needs again."""

    hat: Array  # What, (B, d_t, d_s)
    R: Array  # (B, d_s, d_s)
    E: Array  # (B, d_t, m)
    b: Array  # (B, m)


@dataclass(frozen=True, eq=False)
class BatchedObjective:
    """The objectives of B learning problems on the same data, evaluated together.

    Parameters
    ----------
    data : SweepData
        Its arrays decide library and device.
    loss : SoftMaximum
    work_bytes : int
        Scores of a block of rows for all problems of a batch stay near this size.
    """

    data: SweepData
    loss: SoftMaximum
    work_bytes: int

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of W."""
        return self.data.train.phi.shape[1], self.data.train.psi.shape[1]

    @cached_property
    def true_classes(self) -> NDArray[np.int64]:
        """The true classes of the test rows."""
        return np.asarray(to_numpy(self.data.test.y))

    @cached_property
    def total_length(self) -> float:
        """The sum of the lengths of all training rows."""
        phi = self.data.train.phi
        return float(namespace(phi).sum(namespace(phi).linalg.vector_norm(phi, axis=1)))

    @cached_property
    def _moments(self) -> Moments:
        return Moments.of(Rows(self.data.train.phi), self.data.train.psi)

    def precondition(self, setting: Floats) -> Preconditioner:
        """Return the preconditioner of one problem, the estimator's."""
        gain = Omega(*map(float, setting[:4])).gain
        return self._moments.precondition(gain**2 / self.loss.temperature, float(setting[4]))

    def score_forms(self, numbers: ProblemNumbers, W: Array, on: Examples) -> ScoreForms:
        """Return E and b with scores = phi E + b, for W of shape (B, d_t, d_s).

        H may be indefinite; its inverse is taken as it is. The part of b that is equal for all classes is left out.
        """
        xp, column = namespace(W), numbers.columns()
        hat = W / column.limit
        K = xp.matrix_transpose(hat) @ hat
        R = xp.linalg.inv(xp.eye(K.shape[-1], dtype=K.dtype, device=K.device)[None, :, :] - K)
        R_psi = R @ on.psi.T[None, :, :]
        # R - I = K R keeps the digits that a difference would lose where W is small.
        b = 0.5 * column.beta[:, :, 0] * xp.sum(on.psi.T[None, :, :] * (K @ R_psi), axis=1)
        b = b + 0.5 * (column.beta - column.w2)[:, :, 0] * on.excess[None, :]
        return ScoreForms(hat, R, column.kappa * (hat @ R_psi), b)

    def evaluate(self, numbers: ProblemNumbers, W: Array) -> tuple[Array, Array]:
        """Return the objective of every problem (B,) at its W (B, d_t, d_s), and the gradients."""
        xp, column = namespace(W), numbers.columns()
        psi, forms = self.data.train.psi, self.score_forms(numbers, W, self.data.train)
        loss, sums, counts = self._pass(forms)
        psi = convert_like(psi, sums)
        hat, R, beta = (convert_like(part, sums) for part in (forms.hat, forms.R, column.beta))
        M = convert_like(column.kappa, sums) * (sums @ psi)
        S = beta * (xp.matrix_transpose(psi[None, :, :] * counts[:, :, None]) @ psi)
        K = xp.matrix_transpose(hat) @ M
        slope = (M + hat @ (R @ (K + xp.matrix_transpose(K) + S))) @ R
        gradient = convert_like(slope, W) / column.limit + column.lam * W
        return loss + 0.5 * numbers.lam * xp.sum(W * W, axis=(1, 2)), gradient

    def _pass(self, forms: ScoreForms) -> tuple[Array, Array, Array]:
        """Read all rows once: losses (B,), sums of features per class (B, d_t, m) and column sums (B, m) of G."""
        phi, y = self._padded, self.data.train.y
        xp = namespace(phi)
        B, d_t, m = forms.E.shape
        form = convert_like(xp.concat([forms.E, forms.b[:, None, :]], axis=1), phi)
        form = xp.reshape(xp.permute_dims(form, (1, 0, 2)), (d_t + 1, B * m))
        loss, sums = xp.zeros_like(forms.b[:, 0]), xp.zeros_like(form)
        size = max(1, self.work_bytes // (4 * B * m))
        for start in range(0, phi.shape[0], size):
            rows = phi[start : start + size, :]
            scores = rows @ form
            labels = xp.repeat(y[start : start + size], B) if B > 1 else y[start : start + size]
            slack, G = self.loss.slacks_and_weights(xp.reshape(scores, (-1, m)), labels, MARGIN)
            loss = loss + xp.sum(convert_like(xp.reshape(slack, (-1, B)), loss), axis=0)
            sums += rows.T @ xp.reshape(G, (-1, B * m))
        sums = xp.permute_dims(xp.reshape(sums, (d_t + 1, B, m)), (1, 0, 2))
        return loss, sums[:, :-1, :], sums[:, -1, :]

    @cached_property
    def _padded(self) -> Array:
        """The training rows beside ones: scores with offsets are one product, and so are sums with counts."""
        return append_ones(self.data.train.phi)

    @cached_property
    def _at_zero(self) -> tuple[float, Array]:
        xp, model = namespace(self.data.train.psi), self.data.train.psi
        settings = np.array([[1.0, 1.0, 0.0, 0.0, 1.0]])
        zeros = xp.zeros((1, *self.shape), dtype=model.dtype, device=model.device)
        value, gradient = self.evaluate(ProblemNumbers.of(settings, model), zeros)
        return float(value[0]), gradient[0, :, :]

    @property
    def value_at_zero(self) -> float:
        """The objective of every problem at W = 0, where descriptions have length 1."""
        return self._at_zero[0]

    def at_zero(self, setting: Floats) -> tuple[float, Array] | None:
        """Return objective and gradient of one problem at W = 0: those of any other, up to a factor.

        None where descriptions have unlike lengths, for w2 then matters even there.
        """
        if not self.data.unit_length:
            return None
        value, gradient = self._at_zero
        return value, float(Omega(*setting[:4]).gain) * gradient

    def is_in_core(self, numbers: ProblemNumbers, W: Array) -> list[bool]:
        """Tell of every W whether it lies in the core of the set on which H is positive definite."""
        xp = namespace(W)
        hat = W / _radius(numbers)
        K = xp.matrix_transpose(hat) @ hat
        identity = xp.eye(K.shape[-1], dtype=K.dtype, device=K.device)
        return positive_definite(CORE**2 * identity[None, :, :] - K)

    def point(self, numbers: ProblemNumbers, X: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return the W that coordinates X stand for, and what turns gradients there into those in X."""
        Y, pull_back = to_ball(X)
        radius = _radius(numbers)
        return radius * Y, lambda G: radius * pull_back(G)

    def coordinates(self, setting: Floats, W: Array) -> tuple[Array, float]:
        """Return the coordinates of one W, and the length in W of a unit of them at zero."""
        radius = as_float(_radius(ProblemNumbers.of(setting[None, :], W))[0, 0, 0])
        return from_ball(W / radius), radius

    def answers(self, setting: Floats, W: Array) -> NDArray[np.int64]:
        """Return the class that each test row is taken for under one problem's W (d_t, d_s)."""
        xp, test = namespace(W), self.data.test
        forms = self.score_forms(ProblemNumbers.of(setting[None, :], W), W[None, :, :], test)
        # Only comparisons count; without the factor, single precision would take small scores for zero.
        largest = float(xp.max(xp.abs(forms.E))) or 1.0
        scores = test.phi @ convert_like(forms.E[0, :, :] / largest, test.phi)
        scores += convert_like(forms.b[0, :] / largest, test.phi)[None, :]
        return np.asarray(to_numpy(xp.argmax(scores, axis=1)))


def _radius(numbers: ProblemNumbers) -> Array:
    """Return the radius of the set that W is kept in, (B, 1, 1)."""
    return (1 - BOUNDARY_MARGIN) * numbers.columns().limit


def positive_definite(matrices: Array) -> list[bool]:
    """Tell for every matrix of a stack whether it is positive definite, with few Cholesky factors where most are."""
    count = matrices.shape[0]
    if count == 1:
        return [is_positive_definite(matrices[0, :, :])]
    try:
        factors = namespace(matrices).linalg.cholesky(matrices)
        if bool(namespace(matrices).all(namespace(matrices).isfinite(factors))):
            return [True] * count
    except (ValueError, RuntimeError):
        pass
    half = count // 2
    return positive_definite(matrices[:half, :, :]) + positive_definite(matrices[half:, :, :])
