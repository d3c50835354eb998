"""ESZSL (Romera-Paredes & Torr, ICML 2015): zero-shot learning by ridge regression in closed form."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, Literal, Self

from unseen.features import Rows
from unseen.models.base import Classes, SmallGrid
from unseen.models.weights import WeighsRows
from unseen.selection.grid import Point, clone_at_point, group_runs
from unseen.utils.arrays import Array, convert_like, namespace, to_float64
from unseen.utils.validation import check_positive


class ESZSL(WeighsRows):
    """Regress +1 / -1 class indicators on features and descriptions together, in closed form.

    V = (X^T X + gamma I)^-1 X^T Y S (S^T S + lam I)^-1, and the score of a pair is x^T V s.

    Parameters
    ----------
    gamma : float, default 1.0
        Strength of the regulariser on the features.
    lam : float, default 1.0
        Strength of the regulariser on the descriptions.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.

    Attributes
    ----------
    V_ : array of shape (d_t, d_s)
        Learned matrix; it has one more row, of offsets, if `fit` was given no class table.

    Notes
    -----
    As an ordinary classifier, without a class table, this is least squares on indicators, which misses a class that
    lies between two others. Like `sklearn.linear_model.RidgeClassifier` it reaches about 0.86 on iris, where logistic
    regression reaches 0.96. Give class descriptions, or use `BilinearSVM`.
    """

    _fitted = ("V_",)
    default_grid: ClassVar[SmallGrid] = {
        "gamma": [0.1, 1.0, 10.0, 100.0, 1000.0],
        "lam": [0.1, 1.0, 10.0, 100.0],
    }

    def __init__(self, gamma: float = 1.0, lam: float = 1.0, *, scaling: Literal["auto"] | None = "auto") -> None:
        self.gamma = gamma
        self.lam = lam
        self.scaling = scaling

    def fit_grid(
        self, X: Array, y: Any, classes: Classes, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[Self]:
        """Yield the model fitted at each point; see `unseen.selection.GridFitter`.

        The same two eigendecompositions are used for all values of `gamma` and `lam`.
        """
        for common, regularisers in group_runs(points, lambda name: name in ("gamma", "lam")):
            unsolved = _UnsolvedESZSL(**clone_at_point(self, common).get_params())
            unsolved.fit(X, y, classes, sample_weight=sample_weight)
            spectra = unsolved.spectra
            left = lru_cache(maxsize=1)(spectra.left)
            for regulariser in regularisers:
                model = clone_at_point(self, common | regulariser)
                model._check_parameters()
                model.__dict__.update(unsolved.copy_all_but_spectra())
                model.V_ = spectra.right(left(model.gamma), model.lam)
                yield model

    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        self._check_parameters()
        covariance, cross, gram = _compute_moments(phi, y, psi, weights)
        xp = namespace(psi)
        left = xp.linalg.solve(covariance + self.gamma * _make_identity(covariance), cross)
        self.V_ = xp.linalg.solve(gram + self.lam * _make_identity(gram), left.T).T

    def _check_parameters(self) -> None:
        for name in ("gamma", "lam"):
            check_positive(getattr(self, name), name)

    def _quadratic_form(self) -> tuple[Array, Array]:
        return self.V_, namespace(self.V_).zeros_like(self.V_.T @ self.V_)

    def _scores_against(self, psi: Array) -> tuple[Array, Array]:
        xp = namespace(psi)
        return self.V_ @ psi.T, xp.zeros(psi.shape[0], dtype=psi.dtype, device=psi.device)


class _UnsolvedESZSL(ESZSL):
    """ESZSL fitted except for V, which depends on the regularisers."""

    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        self.spectra = _Spectra.of(*_compute_moments(phi, y, psi, weights))

    def copy_all_but_spectra(self) -> dict[str, Any]:
        """Copy the fitted attributes except the spectra."""
        apart = {"spectra", *self.get_params()}
        return deepcopy({name: value for name, value in vars(self).items() if name not in apart})


@dataclass(frozen=True, eq=False)
class _Spectra:
    """The eigendecompositions A = U diag(e) U^T and C = R diag(f) R^T that give (A + gamma I)^-1 B (C + lam I)^-1."""

    e: Array
    U: Array
    f: Array
    R: Array
    B: Array  # rotated: U^T B R

    @classmethod
    def of(cls, A: Array, B: Array, C: Array) -> Self:
        xp = namespace(A)
        (e, U), (f, R) = xp.linalg.eigh(A), xp.linalg.eigh(C)
        return cls(e, U, f, R, U.T @ B @ R)

    def left(self, gamma: float) -> Array:
        return self.U @ (self.B / (self.e + gamma)[:, None])

    def right(self, left: Array, lam: float) -> Array:
        return (left / (self.f + lam)[None, :]) @ self.R.T


def _compute_moments(phi: Rows, y: Array, psi: Array, weights: Array | None) -> tuple[Array, Array, Array]:
    """Return X^T D X, X^T D Y S and S^T S, with Y = +1 at the true class and -1 elsewhere and D the weights."""
    more = () if weights is None else (weights,)
    covariance, sums = phi.add_up(partial(_compute_block_moments, psi.shape[0]), y, psi.shape[0], *more)
    return covariance, sums @ psi, psi.T @ psi


def _compute_block_moments(n_classes: int, phi: Array, y: Array, weights: Array | None = None) -> tuple[Array, Array]:
    xp = namespace(phi)
    indicators = xp.astype(y[:, None] == xp.arange(n_classes, device=y.device)[None, :], phi.dtype)
    weighted = phi if weights is None else phi * convert_like(weights, phi)[:, None]
    return to_float64(weighted.T @ phi), to_float64(weighted.T @ (2 * indicators - 1))


def _make_identity(matrix: Array) -> Array:
    return namespace(matrix).eye(matrix.shape[0], dtype=matrix.dtype, device=matrix.device)
