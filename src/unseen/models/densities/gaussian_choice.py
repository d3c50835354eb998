"""Choose the parameters of Gaussian classes on held-out seen classes, without fitting again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from unseen.models.densities.gaussian_classes import Shape, Span, Spectrum
from unseen.models.exemplars.description_regression import DescriptionKernel
from unseen.selection.rows_of_classes import draw_rows_of_classes
from unseen.utils.arrays import Array, namespace, to_numpy

# What is tried for a parameter that is "auto".
WIDTHS = (0.5, 1.0, 2.0, 4.0)
RIDGES = (0.03, 0.1, 0.3, 1.0)
WITHIN = (0.3, 1.0, 3.0)
BETWEEN = (0.1, 0.5, 0.9)

# What is taken if there are too few classes to hold some out. It was the best for held-out classes of CUB and AwA.
DEFAULT = Shape("rbf", 1.0, 0.1, 1.0, 0.5)
FEWEST_CLASSES = 8

N_FOLDS = 4
N_REPEATS = 3

# So many rows of each class, and of all, tell one choice from another.
ROWS_OF_CLASS = 30
ROWS = 10_000


@dataclass(frozen=True)
class Choice:
    """The chosen parameters, and how often the right one of the held-out classes was found with them.

    Attributes
    ----------
    shape : Shape
    accuracy : float or None
        Mean accuracy over folds of held-out classes; None if nothing was to be chosen.
    n_tried : int
    """

    shape: Shape
    accuracy: float | None = None
    n_tried: int = 0


@dataclass(frozen=True)
class Options:
    """The values to choose among, for kernels (name and width), ridge and both shrinkages."""

    kernels: Sequence[tuple[Any, float]]
    ridges: Sequence[float]
    within: Sequence[float]
    between: Sequence[float]

    @property
    def is_fixed(self) -> bool:
        """Whether there is only one choice."""
        return all(len(values) == 1 for values in (self.kernels, self.ridges, self.within, self.between))

    @property
    def start(self) -> Shape:
        """The default where it is among the options, else their middle."""
        kernel, width = _prefer((DEFAULT.kernel, DEFAULT.width), self.kernels)
        return Shape(
            kernel,
            width,
            _prefer(DEFAULT.ridge, self.ridges),
            _prefer(DEFAULT.within_shrinkage, self.within),
            _prefer(DEFAULT.between_shrinkage, self.between),
        )


def _prefer(default: Any, values: Sequence[Any]) -> Any:
    return default if default in values else values[len(values) // 2]


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the training rows.

    Attributes
    ----------
    phi : array of shape (n, d)
    y : ndarray of shape (n,)
        Their classes.
    weights : ndarray of shape (n,)
    """

    phi: Array
    y: NDArray[np.int64]
    weights: NDArray[np.float64]


def draw_row_numbers(y: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """Draw rows of every class, the same ones in every run."""
    return draw_rows_of_classes(y, max(2, min(ROWS_OF_CLASS, ROWS // n_classes)), np.random.default_rng(0))


def cut_class_folds(n_classes: int, n_repeats: int) -> list[NDArray[np.int64]]:
    """Divide the classes into folds several times, the same way in every run."""
    random = np.random.default_rng(0)
    n_folds = min(N_FOLDS, n_classes // 2)
    orders = [random.permutation(n_classes) for _ in range(n_repeats)]
    return [np.sort(order[at::n_folds]) for order in orders for at in range(n_folds)]


def choose_shape(options: Options, spectrum: Spectrum, psi: Array, rows: Sample, *, thorough: bool = False) -> Choice:
    """Choose the shape with the best accuracy on held-out classes: first the regression, then both shrinkages.

    Parameters
    ----------
    options : Options
    spectrum : Spectrum
        What the training rows say of covariance and means.
    psi : array of shape (C, d_s)
        Descriptions of their classes.
    rows : Sample
    thorough : bool, default False
        Whether to try all combinations instead.
    """
    if options.is_fixed:
        return Choice(options.start)
    # Hundreds of small solves, for which starting threads takes longer than the work.
    with threadpool_limits(1, user_api="blas"):
        return (_choose_among_all if thorough else _choose_in_turn)(options, _Trials(spectrum, psi, rows))


def _choose_among_all(options: Options, trials: "_Trials") -> Choice:
    every = product(options.kernels, options.ridges, options.within, options.between)
    shapes = [Shape(name, width, ridge, within, between) for (name, width), ridge, within, between in every]
    return trials.choose(trials.find_better(options.start, shapes), len(shapes))


def _choose_in_turn(options: Options, trials: "_Trials") -> Choice:
    start = options.start
    regressions = [
        replace(start, kernel=kernel, width=width, ridge=ridge)
        for (kernel, width), ridge in product(options.kernels, options.ridges)
    ]
    best = trials.find_better(start, regressions)
    shrinkages = [
        replace(best, within_shrinkage=within, between_shrinkage=between)
        for within, between in product(options.within, options.between)
    ]
    best = trials.find_better(best, shrinkages)
    return trials.choose(best, len({start, *regressions, *shrinkages}))


@dataclass(frozen=True, eq=False)
class _Fold:
    """Seen and held-out classes by number, rows of the latter by number, which of them each row has, and its weight."""

    seen: Array
    held: Array
    tested: Array
    true: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, held: NDArray[np.int64], rows: Sample, psi: Array) -> Self:
        tested = np.flatnonzero(np.isin(rows.y, held))
        as_places = partial(namespace(psi).asarray, device=psi.device)
        seen = np.setdiff1d(np.arange(psi.shape[0]), held)
        true = np.searchsorted(held, rows.y[tested])
        return cls(as_places(seen), as_places(held), as_places(tested), true, rows.weights[tested])


class _Trials:
    """Try shapes on folds of held-out classes, sharing all the work that they have in common."""

    def __init__(self, spectrum: Spectrum, psi: Array, rows: Sample) -> None:
        xp = namespace(psi)
        self.psi, self.spectrum = psi, spectrum
        # In single precision, which is quicker, and exact enough to count right answers.
        self.rows = xp.astype(rows.phi - spectrum.centre[None, :], xp.float32)
        self.folds = [_Fold.of(held, rows, psi) for held in cut_class_folds(psi.shape[0], N_REPEATS)]
        self.measure = cache(self._measure)
        self._find_space = cache(self._compute_space)
        self._find_spectra = cache(self._compute_spectra)
        self._find_turned = cache(self._turn_means)

    def find_better(self, start: Shape, shapes: Iterable[Shape]) -> Shape:
        """Return the best of the shapes if it is better than the first by more than chance, else the first."""
        best = max(shapes, key=lambda shape: self.measure(shape).mean())
        gains = self.measure(best) - self.measure(start)
        return best if gains.mean() > gains.std() / len(gains) ** 0.5 else start

    def choose(self, shape: Shape, n_tried: int) -> Choice:
        """Return the choice of a shape, with its accuracy."""
        return Choice(shape, float(self.measure(shape).mean()), n_tried)

    def _measure(self, shape: Shape) -> NDArray[np.float64]:
        """Return the accuracy of a shape on each fold."""
        return np.array([self._try_fold(at, shape) for at in range(len(self.folds))])

    def _try_fold(self, at: int, shape: Shape) -> float:
        """Return the accuracy among the held-out classes of a fold."""
        xp, fold = namespace(self.psi), self.folds[at]
        span, rows = self._find_space(shape.within_shrinkage)
        across, values, vectors, noise = self._find_spectra(shape.kernel, shape.width)[at]
        means = self._find_turned(shape.kernel, shape.width, shape.within_shrinkage)[at]
        # (K + ridge diag(noise))^-1 is vectors diag(1 / (values + ridge)) vectors^T.
        share = 1 / (values + shape.ridge)
        alpha = vectors @ (share[:, None] * means)
        residuals = alpha / (vectors**2 @ share)[:, None]
        counts = xp.take(self.spectrum.counts, fold.seen, axis=0)
        spread, _ = span.find_spread(residuals, counts, noise, shape.between_shrinkage)
        identity = xp.eye(spread.shape[0], dtype=spread.dtype, device=spread.device)
        predicted = across @ alpha
        weighted = xp.linalg.solve(spread + identity, predicted.T)
        offsets = xp.sum(predicted.T * weighted, axis=0) / 2
        scores = rows[at] @ xp.astype(weighted, xp.float32) - xp.astype(offsets, xp.float32)[None, :]
        return float(np.average(to_numpy(xp.argmax(scores, axis=1)) == fold.true, weights=fold.weights))

    def _compute_space(self, within: float) -> tuple[Span, list[Array]]:
        """Return the span of the class means, and the rows of each fold in it."""
        xp, span = namespace(self.psi), Span.of(self.spectrum, within)
        z = self.rows @ xp.astype(span.axes, xp.float32)
        return span, [xp.take(z, fold.tested, axis=0) for fold in self.folds]

    def _compute_spectra(self, kernel: Any, width: float) -> list[tuple[Array, Array, Array, Array]]:
        """Return for each fold the kernel from held-out to seen classes, eigenvectors among the seen, and noise."""
        xp = namespace(self.psi)
        compare = DescriptionKernel.fit(kernel, width, self.psi)
        every, parts = compare(self.psi, self.psi), []
        for fold in self.folds:
            known = xp.take(every, fold.seen, axis=1)
            noise = xp.take(self.spectrum.noise, fold.seen, axis=0)
            scale = 1 / xp.sqrt(noise)
            values, vectors = xp.linalg.eigh(xp.take(known, fold.seen, axis=0) * scale[:, None] * scale[None, :])
            parts.append((xp.take(known, fold.held, axis=0), values, vectors * scale[:, None], noise))
        return parts

    def _turn_means(self, kernel: Any, width: float, within: float) -> list[Array]:
        """Return for each fold the means of the seen classes along the eigenvectors."""
        xp, (span, _) = namespace(self.psi), self._find_space(within)
        spectra = self._find_spectra(kernel, width)
        return [
            vectors.T @ xp.take(span.means, fold.seen, axis=0)
            for fold, (_, _, vectors, _) in zip(self.folds, spectra, strict=True)
        ]
