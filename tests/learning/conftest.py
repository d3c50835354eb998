"""Gives learning tests small problems."""

from collections.abc import Callable

import numpy as np
import pytest

from unseen.features import Rows
from unseen.learning import LatentSVM
from unseen.similarity import AdaptiveSimilarity, BilinearSimilarity, DirectSimilarity, Omega

OMEGA = Omega(5.0, 3.0, 0.5, 0.2)
SIMILARITIES = {
    "adaptive": AdaptiveSimilarity,
    "bilinear": lambda omega: BilinearSimilarity(),
    "direct": DirectSimilarity,
}


def _problem(
    kind="adaptive",
    seed=0,
    n=30,
    m=5,
    d_t=4,
    d_s=3,
    omega=OMEGA,
    lam=1.0,
    noise=0.5,
    xp=np,
    dtype=None,
    weights=None,
    **parts,
) -> LatentSVM:
    # Weights are those of the classes here, so that they are easily told.
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=(m, d_s))
    psi /= np.linalg.norm(psi, axis=1, keepdims=True)
    y = np.r_[np.arange(m), rng.integers(m, size=n - m)]
    phi = psi[y] @ rng.normal(size=(d_s, d_t)) + noise * rng.normal(size=(n, d_t))
    phi /= np.sqrt(np.mean(np.sum(phi**2, axis=1)))
    return LatentSVM(
        SIMILARITIES[kind](omega),
        Rows(xp.asarray(phi, dtype=dtype or xp.float64)),
        xp.asarray(y),
        xp.asarray(psi),
        lam=lam,
        weights=None if weights is None else xp.asarray(weights[y]),
        **parts,
    )


@pytest.fixture(scope="session")
def make_problem() -> Callable[..., LatentSVM]:
    """A function that makes a random `LatentSVM`; classes are separable up to `noise`."""
    return _problem


@pytest.fixture(scope="session")
def random_weights() -> Callable[..., np.ndarray]:
    """A function that draws weights of a problem inside its domain, at `share` of the way to its boundary."""

    def draw(problem: LatentSVM, seed: int = 0, share: float = 0.7) -> np.ndarray:
        W = np.random.default_rng(seed).normal(size=problem.shape)
        limit = problem.similarity.omega.limit if isinstance(problem.similarity, AdaptiveSimilarity) else 1.0
        return W * (share * limit / np.linalg.norm(W, 2))

    return draw
