"""Minimise lam/2 ||W||^2 - T . W + R(W) for convex R over a convex set by one-slack cutting planes.

Joachims et al. (2009) keep one slack for the whole training set and model R from below by planes, each a subgradient
of R at a point visited. The minimum of the model is a lower bound of the true minimum, which gives a duality gap, and
is found by a small dual quadratic programme. Three things are added here. First, the model also has planes that cut off
points outside of the weight set, so that the bound holds for the constrained problem. Second, the next point is the
minimiser of the model plus a proximity term mu/2 ||W - best||^2. Without it, the points would jump from side to side
where R is steep, as it is near the boundary of positive definiteness. Third, a plane may lie somewhat below R even
where it was computed, which the bound takes into account: planes that average over the classes near the maximum tell
more about R around that point than one that touches it there (see `unseen.learning.solvers.planes.soft_planes`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unseen.learning.solvers.base import require_positive
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array, inner

# Takes W, and how far below R a plane should lie there at most; returns R(W), and the height at W and the slope of a
# plane that is nowhere above R. A plane that lies lower is used, too.
Oracle = Callable[[Array, float], tuple[float, float, Array]]

# A plane should lie below R by at most this share of the decrease that the last step predicted.
ERROR_SHARE = 0.1

# A point becomes the new centre if the objective falls by at least this share of the predicted decrease.
SERIOUS = 0.1

# If the objective rises by more than this many times the predicted decrease, the point is too near the boundary of
# positive definiteness, where R is infinite. Its plane would make the programme badly scaled, so it is not used.
TOO_STEEP = 100.0

# Planes that had no weight for this many rounds are removed.
PATIENCE = 50

# Relative accuracy of the quadratic programmes, and the maximum number of exchanges to reach it.
QP_TOLERANCE, MAX_EXCHANGES = 1e-9, 1000


def touching(function: Callable[[Array], tuple[float, Array]]) -> Oracle:
    """Make an oracle of planes that touch R, from a function that returns R(W) and a subgradient."""

    def find_plane(W: Array, error: float) -> tuple[float, float, Array]:
        risk, slope = function(W)
        return risk, risk, slope

    return find_plane


@dataclass(frozen=True, eq=False)
class CuttingPlaneSolution:
    """The best point found, and a proven bound.

    Attributes
    ----------
    W, value
        The best point of the set, and its objective.
    lower_bound : float
        Lower bound of the objective on the set.
    n_rounds : int
        Number of rounds.
    """

    W: Array
    value: float
    lower_bound: float
    n_rounds: int

    @property
    def gap(self) -> float:
        """An upper bound of the difference between the value and the minimum."""
        return self.value - self.lower_bound


@dataclass(frozen=True)
class CuttingPlane:
    """The one-slack cutting-plane method.

    Parameters
    ----------
    tol : float
        Largest duality gap at which to stop, relative to the value (absolute for values below 1).
    max_rounds : int
        Maximum number of rounds; the gap then tells how exact the result is.
    """

    tol: float = 1e-3
    max_rounds: int = 200

    def __post_init__(self) -> None:
        require_positive(tol=self.tol, max_rounds=self.max_rounds)

    def minimise(
        self, bundle: "Bundle", start: Array, tilt: Array, weight_set: WeightSet, constant: float = 0.0
    ) -> CuttingPlaneSolution:
        """Minimise lam/2 ||W||^2 - tilt . W + R(W) + constant over the set, from a start inside it.

        The planes of the bundle describe R, so the same bundle can be used with other tilts.
        """
        bundle.move(start, tilt, constant)
        bound, rounds = -np.inf, 0
        while rounds < self.max_rounds:
            bound = max(bound, bundle.lower_bound())
            if bundle.value - bound <= self.tol * max(1.0, abs(bundle.value)):
                break
            rounds += 1
            bundle.advance(weight_set)
        return CuttingPlaneSolution(bundle.centre, bundle.value, bound, rounds)


@dataclass
class _Plane:
    """slope . W + offset: a lower bound of R (`of_risk`), or a function that is at most 0 on the weight set."""

    slope: Array
    offset: float
    of_risk: bool
    idle: int = 0


@dataclass
class Bundle:
    """The known planes of R, and the centre of the model.

    All numbers are relative to the centre, which keeps the quadratic programmes well scaled. `errors` are the distances
    of each plane below R, or of each cut below 0, at the centre.
    """

    oracle: Oracle
    lam: float
    planes: list[_Plane] = field(default_factory=list)
    gram: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    # Multipliers of the last programme, from which the next one starts.
    alpha: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self.mu = self.lam
        self.promised = np.inf

    def move(self, centre: Array, tilt: Array, constant: float = 0.0) -> None:
        """Set the centre, the tilt and the constant of the model, and evaluate R at the centre."""
        self.tilt, self.constant = tilt, constant
        self._centre_on(centre, *self.oracle(centre, ERROR_SHARE * self.promised))

    def _centre_on(self, centre: Array, risk: float, height: float, slope: Array) -> None:
        self.centre, self.risk = centre, risk
        self.value = self._evaluate(centre, risk)
        # The gradient of lam/2 ||W||^2 - tilt . W at the centre, which is added to every plane of R.
        self.pull = self.lam * centre - self.tilt
        self._add(_Plane(slope, height - inner(slope, centre), of_risk=True))
        self.along_pull = np.array([inner(plane.slope, self.pull) for plane in self.planes])
        self.errors = np.array([self._measure_error(plane) for plane in self.planes])

    def _evaluate(self, W: Array, risk: float) -> float:
        return 0.5 * self.lam * inner(W, W) - inner(self.tilt, W) + risk + self.constant

    def _measure_error(self, plane: _Plane) -> float:
        level = self.risk if plane.of_risk else 0.0
        return max(0.0, level - inner(plane.slope, self.centre) - plane.offset)

    def _add(self, plane: _Plane) -> None:
        size = len(self.planes)
        gram = np.empty((size + 1, size + 1))
        gram[:size, :size] = self.gram
        gram[size, :size] = gram[:size, size] = [inner(plane.slope, other.slope) for other in self.planes]
        gram[size, size] = inner(plane.slope, plane.slope)
        self.gram = gram
        self.alpha = np.append(self.alpha, 0.0)
        self.planes.append(plane)

    def _learn(self, plane: _Plane) -> None:
        """Add a plane without moving the centre."""
        self._add(plane)
        self.along_pull = np.append(self.along_pull, inner(plane.slope, self.pull))
        self.errors = np.append(self.errors, self._measure_error(plane))

    def lower_bound(self) -> float:
        """Return the minimum of the model under the cuts, a lower bound on the weight set."""
        alpha, gram = self._solve_multipliers(self.lam)
        self.bounding = alpha
        # The dual value is a lower bound for any multipliers, even if the programme was solved only approximately.
        return self.value - float(alpha @ self.errors + 0.5 / self.lam * (alpha @ gram @ alpha))

    def advance(self, weight_set: WeightSet) -> None:
        """Evaluate the minimiser of the model plus proximity term, add its plane, and move there if it is better.

        `lower_bound` is to be called before.
        """
        stiffness = self.lam + self.mu
        alpha, gram = self._solve_multipliers(stiffness)
        candidate = self.centre - self._combine_slopes(alpha) / stiffness
        self.promised = promised = float(alpha @ self.errors + 0.5 / stiffness * (alpha @ gram @ alpha))
        # The bound and the step have programmes of their own, and a plane may matter to either.
        self._drop_idle(alpha, alpha + self.bounding)
        if not weight_set.contains(candidate):
            inside = weight_set.project(candidate)
            cut = candidate - inside
            self._learn(_Plane(cut, -inner(cut, inside), of_risk=False))
            candidate = inside
        risk, height, slope = self.oracle(candidate, ERROR_SHARE * promised)
        gained = self.value - self._evaluate(candidate, risk)
        if gained >= SERIOUS * promised:
            self._centre_on(candidate, risk, height, slope)
            self.mu = max(0.5 * self.mu, 1e-3 * self.lam)
        elif gained >= -TOO_STEEP * promised:
            self._learn(_Plane(slope, height - inner(slope, candidate), of_risk=True))
            # Shorter steps are needed only if the new plane says little about the centre.
            if self.errors[-1] > promised:
                self.mu = 1.3 * self.mu
        else:
            self.mu = 10.0 * self.mu

    def _combine_slopes(self, alpha: NDArray[np.float64]) -> Array:
        """Return the sum of the slopes weighted by alpha, with the pull added to those of R."""
        total = self.pull * 1.0
        for a, plane in zip(alpha, self.planes, strict=True):
            if a > 0:
                total = total + float(a) * plane.slope
        return total

    def _solve_multipliers(self, stiffness: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Solve the dual of min_d stiffness/2 ||d||^2 + max_j (slope_j . d - error_j) under the cuts.

        The multipliers of the planes of R lie on the simplex, and those of the cuts are non-negative. Returns them and
        the Gram matrix of the slopes with the pull added.
        """
        risk = np.array([plane.of_risk for plane in self.planes], dtype=float)
        shared = np.outer(risk, self.along_pull)
        gram = self.gram + shared + shared.T + inner(self.pull, self.pull) * np.outer(risk, risk)
        # Cuts can be scaled freely. Giving them the lengths of the planes of R keeps the programme well conditioned.
        length = np.sqrt(np.maximum(gram.diagonal(), 1e-300))
        scale = np.where(risk > 0, 1.0, np.median(length[risk > 0]) / length)
        hessian = gram * np.outer(scale, scale) / stiffness
        unit = max(float(np.median(hessian.diagonal())), 1e-300)
        start = self.alpha / scale if self.alpha.any() else np.eye(len(risk))[int(np.argmax(risk))]
        self.alpha = scale * _solve_simplex_qp(hessian / unit, self.errors * scale / unit, risk, start)
        return self.alpha, gram

    def _drop_idle(self, alpha: NDArray[np.float64], used: NDArray[np.float64]) -> None:
        for plane, a in zip(self.planes, used, strict=True):
            plane.idle = 0 if a > 1e-12 else plane.idle + 1
        keep = [index for index, plane in enumerate(self.planes) if plane.idle < PATIENCE]
        self.planes = [self.planes[index] for index in keep]
        self.gram = self.gram[np.ix_(keep, keep)]
        self.along_pull, self.errors, self.alpha = self.along_pull[keep], self.errors[keep], alpha[keep]


def _solve_simplex_qp(
    hessian: NDArray[np.float64],
    linear: NDArray[np.float64],
    on_simplex: NDArray[np.float64],
    start: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Minimise 1/2 a^T H a + l^T a over a >= 0 whose entries marked by `on_simplex` sum to one, from a feasible start.

    This is Wolfe's (1976) active-set method: minimise over the active planes, add the plane with the lowest slope, and
    remove planes whose weight would become negative. Few planes have weight at the optimum, so the linear systems are
    small. Linearly dependent planes, of which a bundle has many, are never active together.
    """
    alpha = start.copy()
    work = _minimise_over(hessian, linear, on_simplex, alpha, np.flatnonzero(alpha).tolist())
    for _ in range(MAX_EXCHANGES):
        slope = hessian[:, work] @ alpha[work] + linear
        value = 0.5 * alpha[work] @ (slope + linear)[work]
        violation = (alpha[work] * on_simplex[work]) @ slope[work] * on_simplex - slope
        entering = int(np.argmax(violation))
        if entering in work or violation[entering] <= QP_TOLERANCE * abs(value):
            break
        work = _minimise_over(hessian, linear, on_simplex, alpha, [*work, entering])
        if entering not in work:  # it seemed useful only by rounding
            break
    return alpha


def _minimise_over(
    hessian: NDArray[np.float64],
    linear: NDArray[np.float64],
    on_simplex: NDArray[np.float64],
    alpha: NDArray[np.float64],
    work: list[int],
) -> list[int]:
    """Move `alpha` to the minimum over the active planes, removing those whose weight reaches zero."""
    while True:
        size = len(work)
        system = np.zeros((size + 1, size + 1))
        system[:size, :size] = hessian[np.ix_(work, work)] + 1e-12 * np.eye(size)
        system[size, :size] = system[:size, size] = on_simplex[work]
        target = np.linalg.solve(system, np.append(-linear[work], 1.0))[:size]
        current = alpha[work]
        if np.all(target >= 0):
            alpha[work] = target
            return work
        falling = target < 0
        shares = np.where(falling, current / np.where(falling, current - target, 1.0), np.inf)
        alpha[work] = np.maximum(current + shares.min() * (target - current), 0.0)
        alpha[work[int(np.argmin(shares))]] = 0.0
        work = [plane for plane in work if alpha[plane] > 0]
