"""Maximise Eq. eqn:ff inside feasible sets by alternating optimisation (Eq. eqn:zt and Eq. eqn:zs).

The module `unseen.similarity.alternating.rounds` explains the acceleration and the certificate.
"""

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

from array_api_compat import device

from unseen.similarity.alternating.rounds import AlternatingResult, Problem, solve_pairs
from unseen.similarity.omega import Omega
from unseen.similarity.sets.feasible import AllSpace, FeasibleSet
from unseen.utils.arrays import Array, as_float, convert_like, cut_row_blocks, is_floating, namespace, to_float64
from unseen.utils.errors import InputError

__all__ = ["AlternatingResult", "alternate", "alternate_all", "constrained_scores"]

MAX_ITER = 10_000

_ALL_SPACE = AllSpace()


def alternate(
    W: Array,
    omega: Sequence[float],
    phi: Array,
    psi: Array,
    feasible_t: FeasibleSet = _ALL_SPACE,
    feasible_s: FeasibleSet = _ALL_SPACE,
    *,
    start: Array | None = None,
    max_iter: int = MAX_ITER,
    tol: float | None = None,
) -> AlternatingResult:
    """Maximise Eq. eqn:ff over Z_t x Z_s for n pairs (phi_i, psi_i) by alternating Eq. eqn:zt and Eq. eqn:zs.

    Parameters
    ----------
    W : array of shape (d_t, d_s)
    omega : sequence of 4 floats
    phi : array of shape (n, d_t)
        Features. The computation and the result have their precision and device.
    psi : array of shape (n, d_s)
    feasible_t, feasible_s : FeasibleSet
        Z_t and Z_s.
    start : array of shape (n, d_s), optional
        Initial z_s, projected on Z_s; by default psi. It affects the result only if H is not positive definite.
    max_iter : int
        Maximum number of rounds. A pair that has not converged by then is marked as such.
    tol : float, optional
        A pair is finished when its gap is at most `tol` times the size of the terms of Eq. eqn:ff (if `optimality` is
        "local": when b/2 times the squared residual of z_s is). By default eps of the precision of `phi`, so that
        `value` is right to rounding; z is then right to about the square root of that.

    Returns
    -------
    AlternatingResult

    Raises
    ------
    InputError
        Also if H is not positive definite, neither set is bounded, and the latent features diverge.

    Examples
    --------
    >>> import numpy as np
    >>> from unseen.similarity.sets.feasible import Simplex
    >>> phi, psi = np.asarray([[1.0, 0.0]]), np.asarray([[0.0, 1.0]])
    >>> result = alternate(np.eye(2), (2.0, 2.0, 0.0, 0.0), phi, psi, feasible_s=Simplex())
    >>> result.z_t.round(3), result.z_s.round(3), result.value.round(3), result.optimality
    (array([[1.083, 0.417]]), array([[0.167, 0.833]]), array([0.292]), 'global')
    """
    problem, phi, psi = _check_problem(W, omega, phi, psi, feasible_t, feasible_s)
    tol = _check_control(phi, max_iter, tol)
    if phi.shape[0] != psi.shape[0]:
        raise InputError(
            f"phi has {phi.shape[0]} rows and psi {psi.shape[0]}: alternate works on pairs, use alternate_all for "
            "every combination"
        )
    start = psi if start is None else convert_like(start, psi)
    if start.shape != psi.shape:
        raise InputError(f"start has shape {tuple(start.shape)}: give one z_s for each pair, shape {tuple(psi.shape)}")
    return solve_pairs(problem, phi, psi, start, max_iter, tol)


def alternate_all(
    W: Array,
    omega: Sequence[float],
    phi: Array,
    psi: Array,
    feasible_t: FeasibleSet = _ALL_SPACE,
    feasible_s: FeasibleSet = _ALL_SPACE,
    *,
    max_iter: int = MAX_ITER,
    tol: float | None = None,
) -> Iterator[tuple[slice, AlternatingResult]]:
    """Apply `alternate` to every combination of a row of `phi` (n, d_t) and a row of `psi` (m, d_s).

    Yields
    ------
    rows : slice
        A block of rows of `phi`, whose size is limited by memory.
    result : AlternatingResult
        Result whose arrays start with the axes (rows, m).
    """
    problem, phi, psi = _check_problem(W, omega, phi, psi, feasible_t, feasible_s)
    tol = _check_control(phi, max_iter, tol)
    return _solve_blocks(problem, phi, psi, max_iter, tol)


def constrained_scores(
    W: Array,
    omega: Sequence[float],
    phi: Array,
    psi: Array,
    feasible_t: FeasibleSet = _ALL_SPACE,
    feasible_s: FeasibleSet = _ALL_SPACE,
    *,
    max_iter: int = MAX_ITER,
    tol: float | None = None,
) -> Array:
    """Return Eq. eqn:ff over Z_t x Z_s for all rows of `phi` (n, d_t) and of `psi` (m, d_s): shape (n, m).

    Warns with scikit-learn's `ConvergenceWarning` if some pairs did not converge in `max_iter` rounds.
    """
    xp = namespace(W, phi, psi)
    blocks = alternate_all(W, omega, phi, psi, feasible_t, feasible_s, max_iter=max_iter, tol=tol)
    values = [xp.zeros((0, psi.shape[0]), dtype=phi.dtype, device=device(phi))]
    unfinished = 0
    for _, result in blocks:
        values.append(result.value)
        unfinished += int(xp.sum(xp.astype(~result.converged, xp.int64)))
    if unfinished:
        from sklearn.exceptions import ConvergenceWarning  # here, because scores in closed form need none of it

        warnings.warn(
            f"{unfinished} of {phi.shape[0] * psi.shape[0]} pairs did not converge within {max_iter} rounds: "
            "raise max_iter or tol, take a larger omega, or give phi in float64",
            ConvergenceWarning,
            stacklevel=2,
        )
    return xp.concat(values, axis=0)


def _solve_blocks(
    problem: Problem, phi: Array, psi: Array, max_iter: int, tol: float
) -> Iterator[tuple[slice, AlternatingResult]]:
    xp = namespace(phi)
    m = psi.shape[0]
    # Each active pair needs about six arrays of each width.
    bytes_per_row = 6 * m * sum(problem.W.shape) * (xp.finfo(phi.dtype).bits // 8)
    for block in cut_row_blocks(phi.shape[0], bytes_per_row):
        n = block.stop - block.start
        pairs_phi, pairs_psi = xp.repeat(phi[block, :], m, axis=0), xp.tile(psi, (n, 1))
        result = solve_pairs(problem, pairs_phi, pairs_psi, pairs_psi, max_iter, tol)
        arrays = {name: value for name, value in vars(result).items() if name != "optimality"}
        yield block, replace(result, **{k: xp.reshape(v, (n, m, *v.shape[1:])) for k, v in arrays.items()})


def _check_problem(
    W: Array, omega: Sequence[float], phi: Array, psi: Array, feasible_t: FeasibleSet, feasible_s: FeasibleSet
) -> tuple[Problem, Array, Array]:
    xp = namespace(W, phi, psi)
    for name, array in (("W", W), ("phi", phi), ("psi", psi)):
        if array.ndim != 2 or not is_floating(array):
            raise InputError(f"{name} has shape {tuple(array.shape)} and type {array.dtype}: give a matrix of floats")
        if not bool(xp.all(xp.isfinite(array))):
            raise InputError(f"{name} holds a NaN or infinite value: replace or drop it first")
    for name, array, width, side in (("phi", phi, W.shape[0], "rows"), ("psi", psi, W.shape[1], "columns")):
        if array.shape[1] != width:
            raise InputError(f"{name} has {array.shape[1]} columns but W has {width} {side}: they must be equal")
    sigma = as_float(xp.linalg.svdvals(to_float64(W))[0])
    return (
        Problem(convert_like(W, phi), Omega.from_sequence(omega), feasible_t, feasible_s, sigma),
        phi,
        convert_like(psi, phi),
    )


def _check_control(phi: Array, max_iter: int, tol: float | None) -> float:
    if max_iter < 1:
        raise InputError(f"max_iter is {max_iter}: give at least 1 round")
    if tol is None:
        return as_float(namespace(phi).finfo(phi.dtype).eps)
    if not 0 <= tol < math.inf:
        raise InputError(f"tol is {tol}: give a finite number of at least 0, such as 1e-12")
    return tol
