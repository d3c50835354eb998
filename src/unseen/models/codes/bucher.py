"""Bucher, Herbin & Jurie (ECCV 2016): attributes predicted for a learned metric."""

import math
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from unseen.data import ClassTable
from unseen.features import Rows
from unseen.models.base import ScoreFunction, SmallGrid
from unseen.models.codes.adam import Adam
from unseen.models.codes.attribute_metric import AttributeMetric, Matrix, compare
from unseen.models.exemplars.description_regression import are_equidistant
from unseen.models.weights import CountsRowsOnce
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, to_cpu, to_float64, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_non_negative, check_positive, check_whole_number, is_real, make_random_stream


class Bucher(CountsRowsOnce):
    """Predict attributes that are not negative, and find the description nearest to them in a learned metric.

    As in the paper, A(x) = max(0, x W_X + b_X), and a pair is as consistent as S(x, y) = |(A(x) - y) W_A| is small. For
    every image, the description of its class should have S^2 < tau - 1 and that of another class, drawn anew in each
    epoch, S^2 > tau + 1, where tau is learned too. The loss has hinges on both, lam |A(x) - y|^2 for the right
    description, and mu times the squares of the weights. Learning is by mini-batches of 100 images. Several random
    starts learn from 80 % of the classes; the one that recognises the other 20 % best is learned further from all.

    What the paper does not say is ours: Adam with a constant step, the number of epochs (each start keeps its best
    one), random weights that leave vectors about as long as they are, b_X that starts at the mean description, and a
    loss that is a mean over images. Descriptions are those of classes, which the paper uses for AwA; elsewhere it has
    one for each image.

    A prediction cannot be negative, so that descriptions must not be centred: `scaling="auto"` moves the smallest value
    that an attribute has among the seen classes to 0, and brings the descriptions to a mean squared distance of 1 from
    their mean. An unseen class may then lie a little below 0, where no prediction reaches it.

    Parameters
    ----------
    m : float, default 0.6
        Width of the metric as a share of the number of attributes; the paper tries 0.2 to 1.2.
    lam : float, default 0.5
        Weight of the attributes; the paper tries 0.05 to 1.
    mu : float, default 0.001
        Weight of the regulariser; the paper tries 0.01 to 10, with a loss that is a sum.
    step : float, default 0.003
        Step size of Adam.
    max_epochs : int, default 15
        Number of passes over the images of each start.
    tuning_epochs : int, default 5
        Number of passes over the images of all seen classes after that.
    n_starts : int, default 5
        Number of random starts.
    validation_share : float, default 0.2
        Share of the seen classes, but at least two, on which starts and epochs are compared. With 0, with too few
        classes, or with classes that say nothing of each other, one start makes all epochs on all classes.
    batch_size : int, default 100
    scaling : "auto" (default) or None
        "auto" centres features and scales them to mean squared length 1, and scales descriptions as above. None takes
        both as they are.
    random_state : int, RandomState or None
        Seed of the starts, the held-out classes, the order of the images and the other classes.

    Attributes
    ----------
    W_X_ : array of shape (d_t, d_s)
    b_X_ : array of shape (d_s,)
    W_A_ : array of shape (d_s, m)
    tau_ : float
    n_iter_ : int
        Number of epochs of the best start, with those on all classes.
    validation_accuracy_ : list of list of float
        For each start, mean per-class accuracy on the held-out classes after each epoch.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = Bucher(n_starts=1, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _has_offsets = True
    _fitted = ("W_X_", "b_X_", "W_A_", "tau_", "n_iter_", "validation_accuracy_")
    default_grid: ClassVar[SmallGrid] = {"lam": [0.05, 0.5], "mu": [3e-4, 1e-3]}

    def __init__(
        self,
        m: float = 0.6,
        lam: float = 0.5,
        mu: float = 0.001,
        *,
        step: float = 0.003,
        max_epochs: int = 15,
        tuning_epochs: int = 5,
        n_starts: int = 5,
        validation_share: float = 0.2,
        batch_size: int = 100,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.m = m
        self.lam = lam
        self.mu = mu
        self.step = step
        self.max_epochs = max_epochs
        self.tuning_epochs = tuning_epochs
        self.n_starts = n_starts
        self.validation_share = validation_share
        self.batch_size = batch_size
        self.scaling = scaling
        self.random_state = random_state

    def _fit_scaling(self, X: Array, seen: ClassTable, weights: Array | None, *, offsets: bool) -> None:
        super()._fit_scaling(X, seen, weights, offsets=offsets)
        scaling = self._description_scaling
        if scaling.unit_length:
            vectors, xp = as_backend(seen.vectors, scaling.mean), namespace(scaling.mean)
            apart = (vectors - scaling.mean[None, :]) * scaling.factor[None, :]
            length = math.sqrt(float(xp.mean(xp.sum(apart * apart, axis=1))))
            self._description_scaling = replace(
                scaling, mean=xp.min(vectors, axis=0), factor=scaling.factor / length, unit_length=False
            )

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        self._check_parameters()
        rng = np.random.default_rng(make_random_stream(self.random_state).randint(2**31))
        features = to_cpu(phi[:], f"{type(self).__name__} learns")
        task = _Task(features, to_numpy(y), to_numpy(psi).astype(features.dtype))
        # These products are so small that threads slow them down.
        with threadpool_limits(1, user_api="blas"):
            found = self._learn(task, 0 if are_equidistant(psi) else self._count_held_out(psi.shape[0]), rng)
        self.W_X_, self.b_X_, self.W_A_, tau = (as_backend(part, psi) for part in found.parts)
        self.tau_ = float(tau[0])

    def _check_parameters(self) -> None:
        for name in ("m", "step"):
            check_positive(getattr(self, name), name)
        for name in ("lam", "mu"):
            check_non_negative(getattr(self, name), name)
        for name in ("max_epochs", "n_starts", "batch_size"):
            check_whole_number(getattr(self, name), name, minimum=1)
        check_whole_number(self.tuning_epochs, "tuning_epochs", minimum=0)
        if not is_real(self.validation_share) or not 0 <= self.validation_share < 1:
            raise InputError(
                f"validation_share={self.validation_share!r} is not a share of the classes: "
                "give a number from 0 (none are held out) to below 1"
            )

    def _count_held_out(self, n_classes: int) -> int:
        n_held_out = max(2, round(self.validation_share * n_classes)) if self.validation_share else 0
        return n_held_out if n_classes - n_held_out >= 2 else 0

    def _learn(self, task: "_Task", n_held_out: int, rng: np.random.Generator) -> AttributeMetric:
        """Return the best of several starts after tuning it on all classes; without held-out classes, one start."""
        self.validation_accuracy_ = []
        if not n_held_out:
            found, self.n_iter_ = self._start(task, rng), self.max_epochs
            self._make_epochs(found, task, self.max_epochs, rng)
            return found
        held_out, kept = np.split(rng.permutation(len(task.psi)), [n_held_out])
        shown, hidden = task.select(kept), task.select(held_out)
        starts = [self._learn_until_best(shown, hidden, rng) for _ in range(self.n_starts)]
        found, accuracy = max(starts, key=lambda start: max(start[1]))
        self.validation_accuracy_ = [start[1] for start in starts]
        self.n_iter_ = int(np.argmax(accuracy)) + 1 + self.tuning_epochs
        self._make_epochs(found, task, self.tuning_epochs, rng)
        return found

    def _start(self, task: "_Task", rng: np.random.Generator) -> AttributeMetric:
        width = max(1, round(self.m * task.psi.shape[1]))
        return AttributeMetric.start(task.phi.shape[1], task.psi, width, rng)

    def _learn_until_best(
        self, shown: "_Task", hidden: "_Task", rng: np.random.Generator
    ) -> tuple[AttributeMetric, list[float]]:
        """Return the weights after the best epoch of a start, and the accuracy after each epoch."""
        metric, accuracy = self._start(shown, rng), list[float]()
        adam, best = Adam(metric.parts, self.step), metric
        for _ in range(self.max_epochs):
            self._make_epoch(metric, shown, adam, rng)
            accuracy.append(hidden.measure_accuracy(metric))
            if accuracy[-1] > max(accuracy[:-1], default=-1.0):
                best = metric.copy()
        return best, accuracy

    def _make_epochs(self, metric: AttributeMetric, task: "_Task", n_epochs: int, rng: np.random.Generator) -> None:
        adam = Adam(metric.parts, self.step)
        for _ in range(n_epochs):
            self._make_epoch(metric, task, adam, rng)

    def _make_epoch(self, metric: AttributeMetric, task: "_Task", adam: Adam, rng: np.random.Generator) -> None:
        """Pass once over the rows in random order, and change the metric in place."""
        n, n_classes = len(task.y), len(task.psi)
        others = (task.y + rng.integers(1, n_classes, n)) % n_classes
        for rows in np.array_split(rng.permutation(n), math.ceil(n / self.batch_size)):
            own, other = task.psi[task.y[rows]], task.psi[others[rows]]
            _, gradient = metric.evaluate(task.phi[rows], own, other, self.lam, self.mu)
            adam(gradient)

    def _scores_against(self, psi: Array) -> ScoreFunction:
        return lambda phi: compare(
            self._predict_attributes(phi) @ convert_like(self.W_A_, phi),
            convert_like(psi, phi) @ convert_like(self.W_A_, phi),
        )

    def _predict_attributes(self, phi: Array) -> Array:
        raw = phi @ convert_like(self.W_X_, phi) + convert_like(self.b_X_, phi)[None, :]
        return namespace(raw).clip(raw, 0, None)

    def _contributions(self, phi: Array, psi: Array) -> Array:
        missed = self._predict_attributes(to_float64(phi)) - psi
        W_A = convert_like(self.W_A_, psi)
        return -missed * (missed @ W_A @ W_A.T)


class _Task:
    """The rows of some classes, with only these classes as candidates."""

    def __init__(self, phi: Matrix, y: NDArray[np.int64], psi: Matrix) -> None:
        self.phi, self.y, self.psi = phi, y, psi

    def select(self, classes: NDArray[np.int64]) -> "_Task":
        """Return the task of some of the classes."""
        place = np.full(len(self.psi), -1)
        place[classes] = np.arange(len(classes))
        rows = place[self.y] >= 0
        return _Task(self.phi[rows], place[self.y[rows]], self.psi[classes])

    def measure_accuracy(self, metric: AttributeMetric) -> float:
        """Return the mean per-class accuracy with the classes of the task as candidates."""
        hit = metric.score(self.phi, self.psi).argmax(axis=1) == self.y
        return float(np.mean(np.bincount(self.y, weights=hit) / np.bincount(self.y)))
