"""Learn weights with a solver: reduce the problem, choose starts, and keep the best solution."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from unseen.features.directions import span_rows
from unseen.features.reading.dask_rows import DaskRows
from unseen.features.reading.rows import Rows
from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.base import Solution, Solver, Watcher
from unseen.similarity.sets.weights import AllMatrices, Intersection, WeightSet
from unseen.utils.arrays import Array, convert_like, namespace, to_float64, to_numpy
from unseen.utils.registry import make_unknown_error

WeightChoice = Literal["positive-definite", "free"] | WeightSet
StartChoice = Literal["zeros", "random"]

# Singular values of the descriptions below this share of the largest count as zero.
RANK_TOLERANCE = 1e-10

# Descriptions and the basis of their span, for as long as the rows that were learned from with them are there: the
# points of a grid share both.
_known: "WeakKeyDictionary[Rows, tuple[Array, Array]]" = WeakKeyDictionary()


def choose_weight_set(objective: LatentSVM, choice: WeightChoice) -> WeightSet:
    """Return the set of allowed weights W.

    "positive-definite" means the domain of the similarity. "free" means no constraint (the paper's relaxation, which
    loses the global optimum). A `WeightSet` is intersected with the domain.
    """
    domain = objective.similarity.domain()
    if choice == "positive-definite":
        return domain
    if choice == "free":
        return AllMatrices()
    if not isinstance(choice, WeightSet):
        raise make_unknown_error(choice, ("positive-definite", "free"), "weights", "a WeightSet")
    return Intersection((domain, choice)) if domain.constrains else choice


def learn(
    objective: LatentSVM,
    solver: Solver,
    weights: WeightChoice = "positive-definite",
    *,
    n_init: int = 1,
    init: StartChoice | Array = "zeros",
    rng: np.random.Generator,
    watch: Watcher = lambda step, W, value: None,
) -> Solution:
    """Run the solver from every start and keep the best solution.

    Parameters
    ----------
    objective : LatentSVM
        The objective to minimise.
    solver : Solver
        The solver.
    weights : "positive-definite", "free" or WeightSet
        The set of allowed weights; see `choose_weight_set`.
    n_init : int
        Number of starts.
    init : "zeros", "random" or array
        The first start; all others are random.
    rng : numpy.random.Generator
        Random numbers for the starts and for a stochastic solver.
    watch : callable
        Called after every step, with W in its full space.
    """
    weight_set = choose_weight_set(objective, weights)
    solver.check(objective, weight_set)
    narrow, directions = reduce_to_rows(objective, weight_set)
    reduced, basis = reduce_to_span(narrow, weight_set)

    def expand(W: Array) -> Array:
        W = W if basis is None else W @ basis.T
        return W if directions is None else directions @ W

    solutions = [
        solver.solve(reduced, start, weight_set, rng, lambda step, W, value: watch(step, expand(W), value))
        for start in _make_starts(reduced, weight_set, n_init, _project_into(init, directions, basis), rng)
    ]
    best = min(solutions, key=lambda solution: solution.value)
    return replace(best, W=expand(best.W))


def reduce_to_span(objective: LatentSVM, weight_set: WeightSet) -> tuple[LatentSVM, Array | None]:
    """Rotate the descriptions into their span, where W has fewer columns.

    If similarity and weight set are invariant under rotations, the gradient at a W inside the span lies in the span. So
    a stationary point in the span is stationary in the full space, and a path from zeros is the same. The optimum of
    the bilinear similarity lies in the span. The adaptive similarity may have slightly better optima outside of it if
    features are displaced far.
    """
    if not is_rotation_invariant(objective, weight_set):
        return objective, None
    psi = to_float64(objective.psi)
    known = _known.get(objective.phi)
    if known is None or known[0] is not psi:
        known = _known[objective.phi] = psi, find_span_basis(psi)
    basis = known[1]
    return (objective, None) if basis.shape[1] >= psi.shape[1] else (replace(objective, psi=psi @ basis), basis)


def find_span_basis(psi: Array) -> Array:
    """Return an orthonormal basis (d_s, rank) of the span of the descriptions (m, d_s)."""
    # On the processor, which is quicker at small matrices than a GPU.
    _, sigma, Vt = np.linalg.svd(to_numpy(psi), full_matrices=False)
    rank = max(1, int(np.sum(sigma > RANK_TOLERANCE * sigma[0])))
    return convert_like(Vt[:rank].T, psi)


def reduce_to_rows(objective: LatentSVM, weight_set: WeightSet) -> tuple[LatentSVM, Array | None]:
    """Rotate the features into the span of the rows if there are fewer rows than features: W then has fewer rows.

    What holds for descriptions in `reduce_to_span` holds for features too.
    """
    n, width = objective.phi.shape
    if n >= width or not is_rotation_invariant(objective, weight_set) or isinstance(objective.phi, DaskRows):
        return objective, None
    directions = span_rows(objective.phi)
    return replace(objective, phi=directions.rows), to_float64(directions.basis)


def is_rotation_invariant(objective: LatentSVM, weight_set: WeightSet) -> bool:
    """Tell whether features, descriptions and W may be rotated together without changing the problem."""
    return objective.similarity.rotation_invariant and weight_set.rotation_invariant


def _project_into(init: StartChoice | Array, directions: Array | None, basis: Array | None) -> StartChoice | Array:
    if isinstance(init, str):
        return init
    init = init if directions is None else directions.T @ init
    return init if basis is None else init @ basis


def _make_starts(
    objective: LatentSVM, weight_set: WeightSet, n_init: int, init: StartChoice | Array, rng: np.random.Generator
) -> Iterator[Array]:
    xp, device = namespace(objective.psi), objective.psi.device
    for index in range(n_init):
        if index == 0 and not isinstance(init, str):
            yield weight_set.project(init)
        elif index == 0 and init == "zeros":
            zeros = objective.zeros()
            yield zeros if weight_set.contains(zeros) else weight_set.project(zeros)
        else:
            # With spectral norm 1, the first scores of unit vectors are about as large as the margin.
            W = rng.standard_normal(objective.shape)
            yield weight_set.project(xp.asarray(W / np.linalg.norm(W, 2), device=device))
