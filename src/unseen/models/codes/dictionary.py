"""Code vectors by a dictionary while a hinge pulls the codes towards what they should match, and learn the dictionary.

A code z of a vector x minimises lam1/2 |z|^2 + lam2/2 |x - sum_k z_k a_k|^2 (SDL, Eqs. 8 and 9), to which the mean
hinge of its pairs may be added (Algorithms 1 and 2).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from unseen.models.codes.pair_hinge import measure_hinge
from unseen.utils.arrays import Array, convert_like, namespace

Projection = Callable[[Array], Array]

# Each code is found by so many accelerated steps, however many others are found with it, so that it does not depend
# on them; each update of a dictionary takes so many plain steps.
CODE_STEPS = 40
DICTIONARY_STEPS = 20


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Atoms and the two weights of a code.

    Attributes
    ----------
    atoms : array of shape (h, d)
    lam1, lam2 : float
        Weights of the length of a code and of what it misses.
    """

    atoms: Array
    lam1: float
    lam2: float

    def convert_like(self, model: Array) -> Self:
        """Return the same in the library, precision and device of an array."""
        return replace(self, atoms=convert_like(self.atoms, model))

    @property
    def curvature(self) -> Array:
        """Second derivative of the cost by the code, shape (h, h)."""
        xp, atoms = namespace(self.atoms), self.atoms
        return self.lam1 * xp.eye(atoms.shape[0], dtype=atoms.dtype, device=atoms.device) + self.lam2 * atoms @ atoms.T

    def find_encoder(self) -> Array:
        """Return P (d, h) with x P the code of x, where nothing constrains it."""
        xp = namespace(self.atoms)
        return self.lam2 * xp.linalg.solve(self.curvature, self.atoms).T

    def measure_cost(self, codes: Array, vectors: Array) -> Array:
        """Return the cost of each code, shape (n,)."""
        xp = namespace(codes)
        missed = vectors - codes @ self.atoms
        return self.lam1 / 2 * xp.sum(codes * codes, axis=1) + self.lam2 / 2 * xp.sum(missed * missed, axis=1)

    def adapt(
        self, codes: Array, vectors: Array, partners: Array, signs: Array | float, project: Projection | None = None
    ) -> Array:
        """Return codes of least cost plus the mean hinge of s_k z . o_k over their partners o_k.

        Parameters
        ----------
        codes : array of shape (n, h)
            Where to start.
        vectors : array of shape (n, d)
        partners : array of shape (m, h)
        signs : array of shape (n, m), or one number for all pairs
        project : function, optional
            Return the nearest codes that are allowed; by default all are.
        """
        xp, curvature, n_partners = namespace(codes), self.curvature, partners.shape[0]
        pull = self.lam2 * vectors @ self.atoms.T
        least, most = (float(xp.linalg.eigvalsh(curvature)[at]) for at in (0, -1))
        most += float(xp.linalg.eigvalsh(partners.T @ partners)[-1]) / n_partners
        root = math.sqrt(max(least, 0.0) / most)
        ahead = codes
        for _ in range(CODE_STEPS):
            _, slopes = measure_hinge(signs * (ahead @ partners.T))
            gradient = ahead @ curvature - pull + (signs * slopes) @ partners / n_partners
            moved = ahead - gradient / most
            moved = moved if project is None else project(moved)
            ahead = moved + (1 - root) / (1 + root) * (moved - codes)
            codes = moved
        return codes

    def learn_atoms(self, codes: Array, vectors: Array, project: Projection | None = None) -> Self:
        """Return the dictionary whose atoms make these codes miss less; `project` keeps the atoms allowed."""
        xp, atoms = namespace(codes), self.atoms
        gram, cross = codes.T @ codes, codes.T @ vectors
        most = float(xp.linalg.eigvalsh(gram)[-1])
        for _ in range(DICTIONARY_STEPS):
            atoms = atoms - (gram @ atoms - cross) / most
            atoms = atoms if project is None else project(atoms)
        return replace(self, atoms=atoms)


def shorten_atoms(atoms: Array) -> Array:
    """Return the nearest atoms of length at most 1."""
    xp = namespace(atoms)
    lengths = xp.linalg.vector_norm(atoms, axis=1, keepdims=True)
    return atoms / xp.where(lengths > 1, lengths, xp.ones_like(lengths))
