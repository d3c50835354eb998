"""Code vectors as their nearest mixtures of atoms, with a penalty on long codes (SSE, Eq. 3).

Many vectors are coded at once and exactly: every code satisfies the optimality conditions up to rounding. There are
three stages. Accelerated projected gradient steps find approximately which atoms matter (`_approach`). Exchanging all
wrong atoms at once finds the exact support for most vectors (`_exchange`). An active-set method that cannot fail solves
the rest (`_finish`).
"""

import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from unseen.utils.arrays import BLOCK_BYTES, cut_row_blocks

Matrix = NDArray[np.float64]
Support = NDArray[np.bool_]

# All in units of the squared spread of the atoms.
TOLERANCE = 1e-8  # largest violation of the optimality conditions without a warning
_SLACK = 1e-12  # an atom that improves the objective by less is not added
_LEAST_GAMMA = 1e-11  # keeps the linear systems solvable, and changes the conditions by less than the tolerance

_APPROACH_STEPS = 60
_LOOK_EVERY = 10
_PATIENCE = 3


def compute_simplex_codes(vectors: Matrix, atoms: Matrix, gamma: float) -> Matrix:
    """Return argmin over alpha >= 0 with sum 1 of gamma/2 ||alpha||^2 + 1/2 ||c - sum_k alpha_k a_k||^2 for each c.

    Parameters
    ----------
    vectors : ndarray of shape (n, d)
        One row c for each code.
    atoms : ndarray of shape (k, d)
        One row for each atom a_k.
    gamma : float
        Weight of the penalty, at least 0. With 0, approximately the shortest of all optimal codes is returned.

    Returns
    -------
    ndarray of shape (n, k)
        Non-negative codes; each row sums to 1, and unused atoms have exact zeros.

    Examples
    --------
    >>> vectors, atoms = np.array([[0.2, 0.0], [3.0, 0.5]]), np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> compute_simplex_codes(vectors, atoms, gamma=0.0).round(6)
    array([[0.8, 0.2],
           [0. , 1. ]])
    """
    # The systems are so small that threads would slow them down.
    with threadpool_limits(1, user_api="blas"):
        points, axes, spread = _rotate_to_axes(vectors, atoms)
        scaled_gamma = max(gamma / spread**2, _LEAST_GAMMA)
        blocks = cut_row_blocks(len(points), 8 * len(atoms))
        codes = np.concatenate([_solve(points[rows], axes, scaled_gamma) for rows in blocks])
    # The rounding errors of the conditions grow with the distance of the vector.
    violations = measure_violation(codes, points, axes, scaled_gamma) / (1 + np.linalg.norm(points, axis=1))
    if violations.max() > TOLERANCE:
        warnings.warn(
            f"{np.count_nonzero(violations > TOLERANCE)} of {len(codes)} codes meet the optimality conditions to "
            f"{violations.max():.0e} only: choose a larger gamma than {gamma:g}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return codes


def measure_violation(codes: Matrix, vectors: Matrix, atoms: Matrix, gamma: float) -> Matrix:
    """Measure by how much each code violates the optimality conditions (Karush, Kuhn and Tucker).

    The derivative by alpha_k must be the same for all atoms in use, and no smaller for the others.

    Returns
    -------
    ndarray of shape (n,)
        The largest violation of each code, in units of the derivative.
    """
    derivative = gamma * codes + (codes @ atoms - vectors) @ atoms.T
    level = np.sum(codes * derivative, axis=1, keepdims=True)
    miss = np.where(codes > 0, np.abs(derivative - level), np.maximum(level - derivative, 0))
    return np.asarray(miss.max(axis=1))


def _rotate_to_axes(vectors: Matrix, atoms: Matrix) -> tuple[Matrix, Matrix, float]:
    """Centre, rotate and scale the space so that atoms have mean 0, largest spread 1 and no superfluous dimension.

    Because codes sum to 1 this changes no code, and it makes the problem much better conditioned.
    """
    mean = atoms.mean(axis=0)
    U, sigma, Vt = np.linalg.svd(atoms - mean, full_matrices=False)
    spread = float(sigma[0]) if sigma[0] > 0 else 1.0
    kept = max(1, np.count_nonzero(sigma > 1e-12 * sigma[0]))
    return (vectors - mean) @ Vt[:kept].T / spread, U[:, :kept] * (sigma[:kept] / spread), spread


def _solve(points: Matrix, atoms: Matrix, gamma: float) -> Matrix:
    codes = _approach(points, atoms, gamma)
    left = _exchange(codes, points, atoms, gamma)
    codes[left] = _finish(codes[left], points[left], atoms, gamma)
    return codes


def _approach(points: Matrix, atoms: Matrix, gamma: float) -> Matrix:
    """Take accelerated projected gradient steps until the support stops changing.

    The step size relies on the largest eigenvalue of the atoms' Gram matrix being 1.
    """
    found = np.full((len(points), len(atoms)), 1 / len(atoms))
    root = np.sqrt(gamma / (1 + gamma))
    active = np.arange(len(points))
    codes = ahead = before = found.copy()
    for step in range(_APPROACH_STEPS):
        derivative = gamma * ahead + (ahead @ atoms - points[active]) @ atoms.T
        moved = project_on_simplex(ahead - derivative / (1 + gamma))
        ahead = moved + min((1 - root) / (1 + root), step / (step + 3)) * (moved - codes)
        codes = moved
        if step % _LOOK_EVERY == _LOOK_EVERY - 1:
            found[active] = codes
            moving = ((codes > 0) != (before > 0)).any(axis=1)
            active, codes, ahead, before = active[moving], codes[moving], ahead[moving], codes[moving]
    return found


def project_on_simplex(rows: Matrix) -> Matrix:
    """Return the nearest row with non-negative entries of sum 1, for each row (Duchi et al., ICML 2008).

    >>> project_on_simplex(np.array([[0.5, 0.5, -1.0], [3.0, 1.0, 0.0]]))
    array([[0.5, 0.5, 0. ],
           [1. , 0. , 0. ]])
    """
    descending = np.sort(rows, axis=1)[:, ::-1]
    excess = np.cumsum(descending, axis=1) - 1
    counts = np.count_nonzero(descending * np.arange(1, rows.shape[1] + 1) > excess, axis=1)
    threshold = excess[np.arange(len(rows)), counts - 1] / counts
    return np.asarray(np.maximum(rows - threshold[:, None], 0))


def _exchange(codes: Matrix, points: Matrix, atoms: Matrix, gamma: float) -> NDArray[np.int64]:
    """Exchange all wrong atoms of a support at once until none is left; return the rows where this failed.

    An atom is wrong if it is in use with a negative weight, or unused although it would lower the objective. A row is
    given up when the number of its wrong atoms stops falling (Portugal, Judice and Vicente, 1994). The codes of the
    other rows are written in place.
    """
    support = codes > 0
    fewest = np.full(len(codes), support.shape[1] + 1)
    patience = np.full(len(codes), _PATIENCE)
    active, given_up = np.arange(len(codes)), []
    while active.size:
        best = _solve_on_support(support[active], points[active], atoms, gamma)
        gain = _measure_gain(best, support[active], points[active], atoms, gamma)
        wrong = np.where(support[active], best <= 0, gain > _SLACK)
        count = wrong.sum(axis=1)
        codes[active[count == 0]] = best[count == 0]
        support[active] ^= wrong
        patience[active] = np.where(count < fewest[active], _PATIENCE, patience[active] - 1)
        fewest[active] = np.minimum(count, fewest[active])
        given_up.append(active[(count > 0) & (patience[active] < 0)])
        active = active[(count > 0) & (patience[active] >= 0)]
    return np.concatenate(given_up)


def _finish(codes: Matrix, points: Matrix, atoms: Matrix, gamma: float) -> Matrix:
    """Improve feasible codes to optimal ones by exchanging one atom at a time; the objective never rises, so this ends.

    Each round moves towards the best code on the present support until a weight reaches 0. Its atom then leaves the
    support; if no weight reaches 0, the atom that lowers the objective fastest joins the support.
    """
    codes, support = codes.copy(), codes > 0
    slack = np.full(len(codes), _SLACK)
    active = np.arange(len(codes))
    while active.size:
        used = support[active]
        best = _solve_on_support(used, points[active], atoms, gamma)
        codes[active], stopping, share = _go_towards(best, codes[active], used)
        support[active] = used & ~stopping
        # An atom that joins and immediately leaves looked better only by rounding.
        slack[active[share == 0]] *= 10
        arrived = active[~stopping.any(axis=1)]
        gain = _measure_gain(codes[arrived], support[arrived], points[arrived], atoms, gamma)
        gain[support[arrived]] = -np.inf
        joining = gain.argmax(axis=1)
        better = gain[np.arange(len(arrived)), joining] > slack[arrived]
        support[arrived[better], joining[better]] = True
        active = np.setdiff1d(active, arrived[~better], assume_unique=True)
    return codes


def _go_towards(best: Matrix, codes: Matrix, used: Support) -> tuple[Matrix, Support, Matrix]:
    """Move codes towards best until a weight reaches 0; return the point, these weights, and the share of the way."""
    falling = used & (best <= 0)
    share_of_weight = np.full(codes.shape, np.inf)
    share_of_weight[falling] = codes[falling] / (codes[falling] - best[falling] + np.finfo(float).tiny)
    share = np.minimum(share_of_weight.min(axis=1), 1.0)
    stopping = falling & (share_of_weight <= share[:, None])
    reached = np.where(share[:, None] < 1, codes + share[:, None] * (best - codes), best)
    reached[stopping] = 0
    return np.maximum(reached, 0), stopping, share


def _measure_gain(codes: Matrix, support: Support, points: Matrix, atoms: Matrix, gamma: float) -> Matrix:
    """Return how fast the objective falls as weight moves from the support to each atom (0 on the support itself)."""
    slope = (points - codes @ atoms) @ atoms.T - gamma * codes
    level = np.sum(slope * support, axis=1) / support.sum(axis=1)
    return np.asarray(slope - level[:, None])


def _solve_on_support(support: Support, points: Matrix, atoms: Matrix, gamma: float) -> Matrix:
    """Return the best codes that use only the atoms of their support; they sum to 1 but may be negative."""
    codes = np.zeros(support.shape)
    sizes = support.sum(axis=1)
    for rows in _group_by_size(sizes, atoms.shape[1]):
        size = sizes[rows][:, None]
        members = np.argsort(~support[rows], axis=1, kind="stable")[:, : size.max()]
        # Smaller supports are padded with atoms at 0, which get no weight.
        filled = np.take_along_axis(support[rows], members, axis=1)
        A = atoms[members] * filled[:, :, None]
        mean = A.sum(axis=1) / size
        A -= mean[:, None, :] * filled[:, :, None]
        weights = _solve_ridge(A, points[rows] - mean, gamma)
        weights += (1 - weights.sum(axis=1, keepdims=True)) / size
        found = np.zeros((len(rows), support.shape[1]))
        np.put_along_axis(found, members, weights * filled, axis=1)
        codes[rows] = found
    return codes


def _group_by_size(sizes: NDArray[np.int64], width: int) -> Iterator[NDArray[np.int64]]:
    """Group rows with supports of similar size, so that padding is small and memory stays near `BLOCK_BYTES`."""
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    start = 0
    while start < len(order):
        limit = int(1.25 * ordered[start]) + 8
        stop = int(np.searchsorted(ordered, limit, side="right"))
        stop = min(stop, start + max(1, BLOCK_BYTES // (8 * limit * width)))
        yield order[start:stop]
        start = stop


def _solve_ridge(A: NDArray[np.float64], b: Matrix, gamma: float) -> Matrix:
    """Return w = (A A^T + gamma I)^-1 A b for each matrix A (k, d) and vector b (d,), using the smaller Gram matrix."""
    k, d = A.shape[1:]
    At = A.transpose(0, 2, 1)
    if k <= d:
        return _solve_systems(A @ At + gamma * np.eye(k), _multiply(A, b))
    inner = At @ A + gamma * np.eye(d)
    w = _multiply(A, _solve_systems(inner, b))
    # If A is rank-deficient, this form has larger rounding errors than the other one: refine once.
    miss = _multiply(A, b - _multiply(At, w)) - gamma * w
    return np.asarray(w + (miss - _multiply(A, _solve_systems(inner, _multiply(At, miss)))) / gamma)


def _multiply(matrices: NDArray[np.float64], vectors: Matrix) -> Matrix:
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


def _solve_systems(matrices: NDArray[np.float64], vectors: Matrix) -> Matrix:
    return np.asarray(np.linalg.solve(matrices, vectors[:, :, None])[:, :, 0])
