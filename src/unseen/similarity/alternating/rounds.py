"""Run accelerated rounds of alternating optimisation of Eq. eqn:ff inside feasible sets, with a certificate.

With z_t always the maximiser for its z_s (Eq. eqn:zt), Eq. eqn:ff becomes F(z_s), to be maximised over Z_s. Write
a = omega_13, b = omega_24, sigma = sigma_max(W). Along any line F minus its tangent lies between -b/2 and
(sigma²/a - b)/2 times the squared distance, and one round of alternating optimisation is exactly one projected gradient
step on F with step 1/b. Three things follow, for any closed convex Z_t and Z_s:

**Acceleration.** Plain rounds reduce the error only by sigma²/(ab), which is slow if H is nearly singular. So rounds
start from a point y ahead of z_s, in the direction of the last step (Nesterov). The bounds on F give, for the result
z_s' of a round,

    F(z_s') - F(z_s) >= b/2 (‖z_s' - z_s‖² - sigma²/(ab) ‖y - z_s‖²),

so a round whose right-hand side is negative is discarded and the pair starts again from y = z_s. So the ascent
is monotone without comparing values of F, which have rounding errors. It converges: either discards stop, and this is
Nesterov's method, or they recur, and each is followed by a plain round. (If sigma² >= ab on bounded sets, discards must
recur, because steps would grow without bound otherwise: the paper's Property prop:local still holds.)

**Certificate.** F is mu-strongly concave with mu = b - sigma²/a when H is positive definite. The optimality of z_s' in
its projection gives for every x in Z_s, with z_t(y) the maximiser for y and z_t' that for z_s',

    F(x) - F(z_s') <= <W^T(z_t' - z_t(y)), x - z_s'> - mu/2 ‖x - z_s'‖² <= sigma² ‖z_t' - z_t(y)‖² / (2 mu).

**Residual.** In any case one more plain round moves z_s by at most sigma/b ‖z_t' - z_t(y)‖, because projections do not
lengthen, and then z_t by at most sigma/a times that.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Literal, Self

from array_api_compat import device

from unseen.similarity.omega import Omega
from unseen.similarity.sets.feasible import FeasibleSet
from unseen.utils.arrays import Array, as_float, namespace
from unseen.utils.errors import InputError

# Latent features a million times longer than the data mean that there is no maximum.
_RUNAWAY = 1e12


@dataclass(frozen=True, eq=False)
class AlternatingResult:
    """Result of alternating optimisation for n pairs (or for n x m pairs, with leading axes (n, m)).

    Attributes
    ----------
    z_t : array of shape (n, d_t)
        Displaced features in Z_t, the best for `z_s`.
    z_s : array of shape (n, d_s)
        Displaced descriptions in Z_s.
    value : array of shape (n,)
        Eq. eqn:ff at (z_t, z_s), with all its penalties.
    gap : array of shape (n,)
        If `optimality` is "global", an upper bound on the maximum of Eq. eqn:ff minus `value`. If "local", an upper
        bound on how far one more round would move (z_t, z_s). Both hold up to the rounding of the input's precision.
    converged : boolean array of shape (n,)
        Whether the tolerance was reached. A pair also stops when only rounding changes it.
    n_iter : integer array of shape (n,)
        Number of rounds of each pair.
    optimality : "global" or "local"
        "global" if H is positive definite (Properties prop:go and prop:global), else "local" (Property prop:local).
    """

    z_t: Array
    z_s: Array
    value: Array
    gap: Array
    converged: Array
    n_iter: Array
    optimality: Literal["global", "local"]


@dataclass(frozen=True, eq=False)
class Problem:
    """The parameters of Eq. eqn:ff that all pairs share."""

    W: Array  # in the precision of the pairs
    omega: Omega
    feasible_t: FeasibleSet
    feasible_s: FeasibleSet
    sigma: float  # sigma_max(W)

    @property
    def optimality(self) -> Literal["global", "local"]:
        """Whether H is positive definite."""
        return "global" if self.sigma < self.omega.limit else "local"

    @property
    def may_run_away(self) -> bool:
        """Whether Eq. eqn:ff may have no maximum."""
        # One bounded set is enough, because z_s bounds the best z_t, and z_t bounds the best z_s.
        return self.optimality == "local" and not (self.feasible_t.bounded or self.feasible_s.bounded)

    @property
    def rate(self) -> float:
        """sigma²/(ab): the factor by which a plain round reduces the error; also used to test accelerated rounds."""
        return (self.sigma / self.omega.limit) ** 2

    def best_z_t(self, g_t: Array, W_z_s: Array) -> Array:
        """Return z_t of Eq. eqn:zt, with g_t = omega_1 phi."""
        return self.feasible_t.project((g_t + W_z_s) / self.omega.w13)

    def best_z_s(self, g_s: Array, z_t: Array) -> Array:
        """Return z_s of Eq. eqn:zs, with g_s = omega_2 psi."""
        return self.feasible_s.project((g_s + z_t @ self.W) / self.omega.w24)

    def value(self, phi: Array, psi: Array, z_t: Array, z_s: Array, W_z_s: Array) -> Array:
        """Return the function that Eq. eqn:ff maximises, at (z_t, z_s)."""
        w1, w2, w3, w4 = self.omega
        displaced = w1 * _sum_squares(z_t - phi) + w2 * _sum_squares(z_s - psi)
        return (
            namespace(z_t).sum(z_t * W_z_s, axis=-1) - (displaced + w3 * _sum_squares(z_t) + w4 * _sum_squares(z_s)) / 2
        )

    def size(self, h: Array, z_t: Array, z_s: Array) -> Array:
        """Return the size of the terms of Eq. eqn:ff (h as in Eq. eqn:fff), which tolerances are relative to."""
        return h + (self.omega.w13 * _sum_squares(z_t) + self.omega.w24 * _sum_squares(z_s)) / 2

    @property
    def margin(self) -> float:
        """The distance of H from singularity, 1 - sigma²/(ab); or 1 if the gap is only a residual."""
        ratio = self.sigma / self.omega.limit
        return (1 - ratio) * (1 + ratio) if self.optimality == "global" else 1.0

    def residual(self, drift: Array) -> Array:
        """Return b/2 times the squared bound on the next change of z_s, given drift = ‖z_t' - z_t(y)‖."""
        return self.sigma**2 / (2 * self.omega.w24) * drift**2

    def gap(self, drift: Array) -> Array:
        """Return the certificate, or else the bound on the next change of (z_t, z_s) (see the module docstring)."""
        if self.optimality == "global":
            return self.residual(drift) / self.margin
        return math.hypot(1.0, self.sigma / self.omega.w13) * (self.sigma / self.omega.w24) * drift


@dataclass(frozen=True, eq=False)
class _Rows:
    """The pairs that have not finished, one per row."""

    index: Array  # position of the pair in the input
    g_t: Array  # omega_1 phi
    g_s: Array  # omega_2 psi
    h: Array  # as in Eq. eqn:fff
    z_s: Array
    W_z_s: Array
    step: Array  # the last step of z_s, 0 after a discarded round
    W_step: Array
    age: Array  # rounds since the last discarded one
    drift: Array  # ‖z_t' - z_t(y)‖ of the round that led to z_s
    size: Array

    def take(self, positions: Array) -> Self:
        xp = namespace(positions)
        parts = {field.name: xp.take(getattr(self, field.name), positions, axis=0) for field in fields(self)}
        return replace(self, **parts)


def solve_pairs(problem: Problem, phi: Array, psi: Array, start: Array, max_iter: int, tol: float) -> AlternatingResult:
    """Run rounds on n pairs, removing each when it has finished (see `alternate`)."""
    xp = namespace(phi)
    # Changes as small as rounding errors cannot improve the result, whatever the tolerance.
    rounding = as_float(xp.finfo(phi.dtype).eps) ** 2
    rows = _begin(problem, phi, psi, start)
    finished: list[tuple[_Rows, int]] = []
    for n_iter in range(1, max_iter + 1):
        if not rows.index.shape[0]:
            break
        rows = _do_round(problem, rows)
        done = problem.residual(rows.drift) <= max(problem.margin * tol, rounding) * rows.size
        if bool(xp.any(done)):
            finished.append((rows.take(xp.nonzero(done)[0]), n_iter))
            rows = rows.take(xp.nonzero(~done)[0])
    finished.append((rows, max_iter))

    order = xp.argsort(xp.concat([part.index for part, _ in finished]))
    drift, size, z_s, W_z_s = (
        xp.take(xp.concat([getattr(part, name) for part, _ in finished], axis=0), order, axis=0)
        for name in ("drift", "size", "z_s", "W_z_s")
    )
    z_t = problem.best_z_t(problem.omega.w1 * phi, W_z_s)
    return AlternatingResult(
        z_t=z_t,
        z_s=z_s,
        value=problem.value(phi, psi, z_t, z_s, W_z_s),
        gap=problem.gap(drift),
        converged=problem.residual(drift) <= problem.margin * tol * size,
        n_iter=xp.take(xp.concat([xp.full_like(part.index, n_iter) for part, n_iter in finished]), order),
        optimality=problem.optimality,
    )


def _begin(problem: Problem, phi: Array, psi: Array, start: Array) -> _Rows:
    xp = namespace(phi)
    g_t, g_s = problem.omega.w1 * phi, problem.omega.w2 * psi
    h = (problem.omega.w1 * _sum_squares(phi) + problem.omega.w2 * _sum_squares(psi)) / 2
    z_s = problem.feasible_s.project(start)
    W_z_s = z_s @ problem.W.T
    size = problem.size(h, problem.best_z_t(g_t, W_z_s), z_s)
    return _Rows(
        index=xp.arange(phi.shape[0], dtype=xp.int64, device=device(phi)),
        g_t=g_t,
        g_s=g_s,
        h=h,
        z_s=z_s,
        W_z_s=W_z_s,
        step=xp.zeros_like(z_s),
        W_step=xp.zeros_like(W_z_s),
        age=xp.zeros_like(size),
        drift=xp.full_like(size, math.inf),
        size=size,
    )


def _do_round(problem: Problem, rows: _Rows) -> _Rows:
    """Run one accelerated round, and keep its result for the pairs whose ascent is certain."""
    xp = namespace(rows.z_s)
    momentum = (rows.age / (rows.age + 3))[:, None]
    z_t_ahead = problem.best_z_t(rows.g_t, rows.W_z_s + momentum * rows.W_step)
    z_s = problem.best_z_s(rows.g_s, z_t_ahead)
    W_z_s = z_s @ problem.W.T
    z_t = problem.best_z_t(rows.g_t, W_z_s)

    kept = _sum_squares(z_s - rows.z_s) >= problem.rate * _sum_squares(momentum * rows.step)
    size = problem.size(rows.h, z_t, z_s)
    if problem.may_run_away:
        _refuse_runaway(xp.where(kept, size / xp.where(rows.size > 0, rows.size, xp.ones_like(size)), 0.0))
        size = rows.size  # a tolerance that grew too would be met by diverging features
    column = kept[:, None]
    return replace(
        rows,
        z_s=xp.where(column, z_s, rows.z_s),
        W_z_s=xp.where(column, W_z_s, rows.W_z_s),
        step=xp.where(column, z_s - rows.z_s, 0.0),
        W_step=xp.where(column, W_z_s - rows.W_z_s, 0.0),
        age=xp.where(kept, rows.age + 1, 0.0),
        drift=xp.where(kept, xp.linalg.vector_norm(z_t - z_t_ahead, axis=-1), rows.drift),
        size=xp.where(kept, size, rows.size),
    )


def _sum_squares(z: Array) -> Array:
    return namespace(z).sum(z * z, axis=-1)


def _refuse_runaway(growth: Array) -> None:
    if bool(namespace(growth).any(growth > _RUNAWAY)):
        raise InputError(
            "the latent features diverge, so Eq. eqn:ff has no maximum: H is not positive definite and "
            "neither feasible_t nor feasible_s is bounded. Give a bounded feasible set, or an omega with "
            "(omega_1 + omega_3)(omega_2 + omega_4) above sigma_max(W)²"
        )
