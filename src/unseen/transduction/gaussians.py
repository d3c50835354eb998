"""Fit Gaussians with adaptive means to a batch: a MAP problem, and its exact alternating steps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.transduction.batch import softmax
from unseen.utils.arrays import Array, namespace


@dataclass(frozen=True, eq=False)
class GaussianMAP:
    """Assign rows to classes, modelled as Gaussians of unit covariance whose means are only roughly known.

    At temperature t the assignments R (rows on the simplex), the means mu and the class shares pi maximise

        sum_ic R_ic (prior_weight S_ic - |z_i - mu_c|^2 / 2t + log pi_c) + entropy(R)
        - sum_cj pull_cj (mu_cj - mu0_cj)^2 / 2t + size_prior sum_c log pi_c

    Each step sets one of them to its best value given the others, so the objective never falls at a fixed t.

    Attributes
    ----------
    mu0 : array of shape (m, d)
        Predicted means.
    pull : array of shape (m, d) or (m, 1)
        Weight of each predicted mean, as a number of rows, in each direction or in all of them alike.
    prior_weight : float
        Weight of the scores S.
    size_prior : float
        Prior number of rows in each class; the larger, the more equal the shares.
    """

    mu0: Array
    pull: Array
    prior_weight: float
    size_prior: float

    def means(self, Z: Array, R: Array) -> Array:
        """Return the best means (m, d) of rows Z (n, d) with assignments R (n, m)."""
        return self.means_of_sums(namespace(R).sum(R, axis=0), R.T @ Z)

    def means_of_sums(self, sizes: Array, sums: Array) -> Array:
        """Return the best means (m, d) of classes with so many rows (m,), which add up to this (m, d)."""
        counts = sizes[:, None] + self.pull
        # A class with neither rows nor pull has no best mean, and keeps the predicted one.
        xp = namespace(sums)
        known = xp.where(counts > 1e-12, counts, xp.ones_like(counts))
        means = xp.where(counts > 1e-12, (sums + self.pull * self.mu0) / known, self.mu0)
        return xp.astype(means, sums.dtype, copy=False)

    def log_shares(self, R: Array) -> Array:
        """Return the logarithm of the best class shares (m,)."""
        return self.log_shares_of_sizes(namespace(R).sum(R, axis=0))

    def log_shares_of_sizes(self, sizes: Array) -> Array:
        """Return the logarithm of the best shares (m,) of classes with so many rows (m,)."""
        xp = namespace(sizes)
        shares = (sizes + self.size_prior) / (xp.sum(sizes) + self.size_prior * sizes.shape[0])
        return xp.log(xp.maximum(shares, xp.full_like(shares, 1e-12)))

    def assignments(self, Z: Array, S: Array, mu: Array, log_shares: Array, temperature: float) -> Array:
        """Return the best assignments (n, m)."""
        return softmax(self._compute_logits(Z, S, mu, log_shares, temperature))

    def value(self, Z: Array, S: Array, R: Array, mu: Array, log_shares: Array, temperature: float) -> float:
        """Return the objective (without the part that depends on Z alone)."""
        logits = self._compute_logits(Z, S, mu, log_shares, temperature)
        xp = namespace(R)
        entropy = -xp.sum(R * xp.log(xp.where(R > 0, R, xp.ones_like(R))))
        displacement = xp.sum(self.pull * (mu - self.mu0) ** 2) / (2 * temperature)
        return float(xp.sum(R * logits) + entropy - displacement + self.size_prior * xp.sum(log_shares))

    def refine(self, Z: Array, S: Array, R: Array, temperatures: Array) -> tuple[Array, Array]:
        """Alternate the steps at falling temperatures, starting from assignments R; return means and log shares."""
        for temperature in temperatures:
            R = self.assignments(Z, S, self.means(Z, R), self.log_shares(R), float(temperature))
        return self.means(Z, R), self.log_shares(R)

    def _compute_logits(self, Z: Array, S: Array, mu: Array, log_shares: Array, temperature: float) -> Array:
        logits = Z @ mu.T
        logits -= (namespace(Z).sum(mu * mu, axis=1) / 2)[None, :]
        logits /= temperature
        logits += log_shares[None, :]
        logits += self.prior_weight * S
        return logits


def falling_temperatures(start: float, end: float, n_steps: int) -> NDArray[np.float64]:
    """Return `n_steps` temperatures: three quarters fall from start to end, and the rest stay at the end.

    >>> falling_temperatures(8.0, 1.0, 5)
    array([8.        , 2.82842712, 1.        , 1.        , 1.        ])
    """
    falling = max(1, round(0.6 * n_steps) if n_steps < 8 else round(0.75 * n_steps))
    return np.concatenate([np.geomspace(max(start, end), end, falling), np.full(n_steps - falling, end)])
