"""Choose the parameters of Gaussian classes on held-out seen classes, without fitting again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from unseen.models.densities.gaussian_classes import Shape, Span, Spectrum
from unseen.models.densities.stacked_folds import ClassFold, StackedFolds, take_columns, take_each, take_stack
from unseen.models.exemplars.description_regression import DescriptionKernel
from unseen.selection.rows_of_classes import draw_rows_of_classes
from unseen.utils.arrays import Array, is_on_cpu, namespace, to_numpy

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


class _Trials:
    """Try shapes on folds of held-out classes, sharing all the work that they have in common.

    A device tries all folds at once, because it takes longer to start its many small steps than to do them. On the
    processor each fold is tried by itself, in a cache's worth of memory.
    """

    def __init__(self, spectrum: Spectrum, psi: Array, rows: Sample) -> None:
        xp = namespace(psi)
        self.psi, self.spectrum = psi, spectrum
        # In single precision, which is quicker, and exact enough to count right answers.
        self.rows = xp.astype(rows.phi - spectrum.centre[None, :], xp.float32)
        folds = [
            ClassFold.of(held, rows.y, rows.weights, int(psi.shape[0]))
            for held in cut_class_folds(psi.shape[0], N_REPEATS)
        ]
        groups = [[fold] for fold in folds] if is_on_cpu(psi) else [folds]
        self.stacks = [StackedFolds.of(group, psi) for group in groups]
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
        return np.concatenate([to_numpy(self._try_folds(at, shape)) for at in range(len(self.stacks))])

    def _try_folds(self, at: int, shape: Shape) -> Array:
        """Return the accuracy (F,) among the held-out classes of each fold of a stack."""
        xp, folds = namespace(self.psi), self.stacks[at]
        transpose = xp.matrix_transpose
        span, rows = self._find_space(shape.within_shrinkage)
        across, values, vectors, noise, counts = self._find_spectra(shape.kernel, shape.width)[at]
        means = self._find_turned(shape.kernel, shape.width, shape.within_shrinkage)[at]
        # (K + ridge diag(noise))^-1 is vectors diag(1 / (values + ridge)) vectors^T.
        share = (1 / (values + shape.ridge))[..., None]
        alpha = vectors @ (share * means)
        residuals = alpha / (vectors**2 @ share)
        spread, _ = span.find_spread(residuals, counts, noise, shape.between_shrinkage)
        identity = xp.eye(spread.shape[-1], dtype=spread.dtype, device=spread.device)
        predicted = transpose(across @ alpha)
        weighted = xp.linalg.solve(spread + identity[None, :, :], predicted)
        offsets = xp.sum(predicted * weighted, axis=-2) / 2
        offsets = xp.where(folds.is_held > 0, offsets, xp.full_like(offsets, np.inf))
        scores = rows[at] @ xp.astype(weighted, xp.float32) - xp.astype(offsets, xp.float32)[:, None, :]
        right = xp.argmax(scores, axis=-1) == folds.true
        return xp.sum(folds.weights * xp.astype(right, folds.weights.dtype), axis=-1)

    def _compute_space(self, within: float) -> tuple[Span, list[Array]]:
        """Return the span of the class means, and the rows of each stack of folds in it."""
        xp, span = namespace(self.psi), Span.of(self.spectrum, within)
        z = self.rows @ xp.astype(span.axes, xp.float32)
        return span, [take_stack(z, folds.tested) for folds in self.stacks]

    def _compute_spectra(self, kernel: Any, width: float) -> list[tuple[Array, ...]]:
        """Return for each stack the kernel from held-out to seen classes, eigenvectors among these, noise and counts.

        What fills a fold up is compared with nothing, and has so much noise that it says nothing.
        """
        xp = namespace(self.psi)
        compare = DescriptionKernel.fit(kernel, width, self.psi)
        every, parts = compare(self.psi, self.psi), []
        for folds in self.stacks:
            is_seen = folds.is_seen > 0
            noise, counts = (take_stack(values, folds.seen) for values in (self.spectrum.noise, self.spectrum.counts))
            scale = folds.is_seen / xp.sqrt(noise)
            known = take_columns(every, folds.seen)
            among = take_each(known, folds.seen) * scale[..., :, None] * scale[..., None, :]
            filled = (1 - folds.is_seen)[..., None] * xp.eye(among.shape[-1], dtype=among.dtype, device=among.device)
            values, vectors = xp.linalg.eigh(among + filled)
            vectors = vectors * xp.where(is_seen, scale, xp.ones_like(scale))[..., None]
            across = take_each(known, folds.held) * folds.is_seen[..., None, :]
            parts.append((across, values, vectors, xp.where(is_seen, noise, xp.full_like(noise, np.inf)), counts))
        return parts

    def _turn_means(self, kernel: Any, width: float, within: float) -> list[Array]:
        """Return for each stack the means of the seen classes along the eigenvectors."""
        xp, (span, _) = namespace(self.psi), self._find_space(within)
        spectra = self._find_spectra(kernel, width)
        return [
            xp.matrix_transpose(vectors) @ (take_stack(span.means, folds.seen) * folds.is_seen[..., None])
            for folds, (_, _, vectors, *_) in zip(self.stacks, spectra, strict=True)
        ]
