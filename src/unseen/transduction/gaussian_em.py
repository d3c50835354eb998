"""GaussianEM: the classes of GaussianJFA, whose means are estimated anew from a whole batch."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from unseen.data import ClassTable
from unseen.features.reading.rows import add_parts
from unseen.models.densities.gaussian_classes import Spectrum
from unseen.models.densities.gaussian_jfa import GaussianJFA
from unseen.models.wrappers.preparation import Preparation
from unseen.selection.grid import Estimator
from unseen.transduction.base import TransductiveClassifier
from unseen.transduction.batch import Batch, Seen, softmax
from unseen.transduction.gaussians import GaussianMAP
from unseen.transduction.space import WhitenedSpace, find_principal_axes
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, to_float64, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_non_negative, check_positive, check_whole_number

# A predicted mean is never taken to be more certain than the mean of a million rows.
LEAST_VARIANCE = 1e-6


class GaussianEM(TransductiveClassifier):
    """Estimate the means of the candidates from a batch, around what descriptions predict, by expectation maximisation.

    The classes are those of `GaussianJFA`: mu_c ~ N(m(psi_c), S_b) and x ~ N(mu_c, S_w). Rows are first assigned to
    them as `GaussianJFA` does, with the model's scores added. Then two steps alternate: every class gets its most
    likely mean, given the rows assigned to it and the prediction, and its share of the rows; and the rows are assigned
    anew, to these means and by the model's scores.

    Parameters
    ----------
    model : estimator
        Model to refine: any model of this package, fitted by `fit`. A model of another kind than `GaussianJFA` adds
        most to it.
    prior_weight : float, default 0.5
        Weight of the model's scores, brought to the spread of the Gaussian ones, relative to these.
    freedom : float, default 1.0
        Factor of S_b: the larger, the sooner the rows of the batch outweigh the predicted means.
    size_prior : float, default 1.0
        Prior number of rows of each candidate in the batch; the larger, the more equal the class sizes.
    n_steps : int, default 15
        Number of times that means are estimated.
    gaussian : GaussianJFA, optional
        Model of the classes, which may have parameters of its own; by default `GaussianJFA()`.
    features : transformer, optional
        Preparation of the rows for the Gaussians, as in `SPZSR`.
    n_components : int or None, default 600
        Rows wider than this are reduced to this many principal components of the seen rows first.

    Attributes
    ----------
    model_ : fitted estimator
    gaussians_ : GaussianClasses
        The classes, with an axis for every direction of the rows.
    space_ : WhitenedSpace
        Takes rows to where S_w = I and S_b is diagonal.
    seen_counts_ : ndarray of shape (n_seen,)
        Number of training rows of each seen class, which its mean as a candidate counts for.
    choice_ : Choice
        Parameters of `gaussian` in use.

    Notes
    -----
    In the space where S_w = I and S_b = diag(rho), the assignments R, means mu and shares pi maximise

        sum_ic R_ic (w S_ic - |z_i - mu_c|^2 / 2 + log pi_c) + entropy(R)
        - sum_cj (mu_cj - m_cj)^2 / (2 rho_j) + size_prior sum_c log pi_c

    so that mu_c = (m_c / rho + n_c zbar_c) / (1 / rho + n_c), and no step lowers it. The variance of a mean that few
    rows speak for could be added to that of the rows; on held-out classes this was not better. A seen candidate has the
    posterior mean and variance that its training rows give it. There is nothing random in it.

    Descriptions are prepared as for the model if that is `Prepared`.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.models import ESZSL
    >>> data = load_dataset("digit-pairs")
    >>> refined = GaussianEM(ESZSL()).fit(data.X_train, data.y_train, classes=data.classes)
    >>> X, candidates = data.X_test_unseen, data.unseen_classes
    >>> after = (refined.predict(X, candidates) == data.y_test_unseen).mean()
    >>> bool(after > (refined.model_.predict(X, candidates) == data.y_test_unseen).mean())
    True
    """

    any_library: ClassVar[bool] = True

    _fitted = ("gaussians_", "space_", "seen_counts_", "choice_", "_description_scaling")

    def __init__(
        self,
        model: Estimator,
        *,
        prior_weight: float = 0.5,
        freedom: float = 1.0,
        size_prior: float = 1.0,
        n_steps: int = 15,
        gaussian: GaussianJFA | None = None,
        features: Any = None,
        n_components: int | None = 600,
    ) -> None:
        self.model = model
        self.prior_weight = prior_weight
        self.freedom = freedom
        self.size_prior = size_prior
        self.n_steps = n_steps
        self.gaussian = gaussian
        self.features = features
        self.n_components = n_components

    def _check_parameters(self) -> None:
        check_whole_number(self.n_steps, "n_steps", 1)
        if self.n_components is not None:
            check_whole_number(self.n_components, "n_components", 1)
        check_positive(self.freedom, "freedom")
        for name in ("prior_weight", "size_prior"):
            check_non_negative(getattr(self, name), name)
        if not (self.gaussian is None or isinstance(self.gaussian, GaussianJFA)):
            raise InputError(f"gaussian={self.gaussian!r} is not a GaussianJFA: give one, or leave it out")

    def _learn(self, seen: Seen) -> None:
        basis = find_principal_axes(seen.Z, self.n_components)
        table = self._prepare_table(ClassTable(seen.vectors, np.arange(len(seen.vectors))))
        model = GaussianJFA() if self.gaussian is None else clone(self.gaussian)
        model.fit(seen.Z @ basis, seen.y, classes=table, sample_weight=seen.weights)
        self.choice_, self.seen_counts_ = model.choice_, to_numpy(model.statistics_.counts)
        spectrum = Spectrum.of(model.statistics_)
        self.gaussians_ = model.gaussians_.complete(spectrum, self.choice_.shape.within_shrinkage)
        self._description_scaling = model._description_scaling
        # One product takes rows through all of it.
        scaling, basis = model._feature_scaling, to_float64(basis)
        centre = scaling.undo(self.gaussians_.centre[None, :])[0, :]
        self.space_ = WhitenedSpace(basis @ centre, basis @ (scaling.factor[:, None] * self.gaussians_.axes))

    def _refine(self, batch: Batch) -> Iterator[Array]:
        check_is_fitted(self, "gaussians_")
        problem, Z = self._make_problem(batch)
        assign = partial(_assign_first, problem, batch, Z)
        for _ in range(self.n_steps):
            sizes, sums = _add_up(assign, Z, batch.blocks)
            mu, log_shares = problem.means_of_sums(sizes, sums), problem.log_shares_of_sizes(sizes)
            assign = partial(_assign, problem, batch, Z, mu, log_shares)
        for rows in batch.blocks:
            yield assign(rows)

    def _make_problem(self, batch: Batch) -> tuple[GaussianMAP, Array]:
        """Return the problem that the steps solve, and the rows in its space."""
        Z = namespace(batch.Z).concat([self.space_.apply(batch.Z[rows, :]) for rows in batch.blocks])
        mu0, pull = (convert_like(part, Z) for part in self._find_priors(batch.table))
        spread = _measure_spread(_score(Z[rows, :], mu0, 1 + 1 / pull) for rows in batch.blocks)
        return GaussianMAP(mu0, pull, self.prior_weight * spread, self.size_prior), Z

    def _find_priors(self, table: ClassTable) -> tuple[Array, Array]:
        """Return the mean (m, d) of each candidate before the batch, and its weight (m, d) as a number of rows."""
        fitted = self.gaussians_
        xp = namespace(fitted.axes)
        psi = self._description_scaling.apply(as_backend(self._prepare_table(table).vectors, fitted.axes))
        counts = as_backend(self.seen_counts_, psi)[:, None]
        counts = fitted.give_to_seen(psi, counts, xp.zeros_like(psi[:, :1]))
        least = xp.full_like(fitted.rho, LEAST_VARIANCE)
        return fitted.predict_means(psi), counts + 1 / xp.maximum(self.freedom * fitted.rho, least)[None, :]

    def _prepare_table(self, table: ClassTable) -> ClassTable:
        return Preparation.of(self._get_fitted_inner()).prepare_table(table)


def _score(Z: Array, mu: Array, variances: Array) -> Array:
    """Return the logarithms (n, m) of Gaussian densities at rows (n, d), with means and variances (m, d)."""
    xp, weighted = namespace(Z), mu / variances
    scores = Z @ weighted.T
    scores -= (Z * Z) @ (1 / variances).T / 2
    scores -= (xp.sum(mu * weighted + xp.log(variances), axis=1) / 2)[None, :]
    return scores


def _measure_spread(blocks: Iterable[Array]) -> float:
    """Return the root mean square of scores around the mean of their row."""
    squares = n = 0.0
    for scores in blocks:
        xp = namespace(scores)
        squares += float(xp.sum((scores - xp.mean(scores, axis=1, keepdims=True)) ** 2, dtype=xp.float64))
        n += scores.shape[0] * scores.shape[1]
    return float(np.sqrt(squares / n))


def _assign_first(problem: GaussianMAP, batch: Batch, Z: Array, rows: slice) -> Array:
    """Assign rows by the predicted means, which may be off by 1 / pull, and with shares that are all equal."""
    densities = _score(Z[rows, :], problem.mu0, 1 + 1 / problem.pull)
    return softmax(densities + problem.prior_weight * batch.scores(rows))


def _assign(problem: GaussianMAP, batch: Batch, Z: Array, mu: Array, log_shares: Array, rows: slice) -> Array:
    return problem.assignments(Z[rows, :], batch.scores(rows), mu, log_shares, temperature=1.0)


def _add_up(assign: Callable[[slice], Array], Z: Array, blocks: Sequence[slice]) -> tuple[Array, Array]:
    """Return how many rows (m,) are assigned to each class, and their sums (m, d)."""
    total: tuple[Array, ...] | None = None
    for rows in blocks:
        R = assign(rows)
        total = add_parts(total, (namespace(R).sum(R, axis=0), R.T @ Z[rows, :]))
    assert total is not None
    sizes, sums = total
    return sizes, sums
