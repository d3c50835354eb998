"""GaussianJFA: joint feature adaptation with densities."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from unseen.data import ClassTable
from unseen.data.candidates import extend_table
from unseen.features import Rows
from unseen.models.base import Classes, LinearForm, SmallGrid
from unseen.models.compatibility.omega_classifier import Adapted
from unseen.models.densities.gaussian_choice import (
    BETWEEN,
    DEFAULT,
    FEWEST_CLASSES,
    RIDGES,
    WIDTHS,
    WITHIN,
    Choice,
    Options,
    Sample,
    choose_shape,
    draw_row_numbers,
)
from unseen.models.densities.gaussian_classes import GaussianClasses, Span, Spectrum
from unseen.models.densities.seen_penalty import rehearse_seen_penalty, share_penalty
from unseen.models.exemplars.class_statistics import ClassStatistics, spread_out
from unseen.models.exemplars.description_regression import are_equidistant
from unseen.models.exemplars.integrated_gradients import integrate_gradients
from unseen.models.input_checks import check_features, check_labels, check_weights
from unseen.models.weights import WeighsRows
from unseen.utils.arrays import Array, as_backend, as_chunk, convert_like, namespace, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_flag, check_non_negative, check_positive

Auto = Literal["auto"]


class GaussianJFA(WeighsRows):
    """Joint feature adaptation with densities: class means move around what descriptions predict, images around means.

    mu_c ~ N(m(psi_c), S_b) and x ~ N(mu_c, S_w). The score of a pair is the best value over the displaced class mean,

        max over mu of log N(phi; mu, S_w) + log N(mu; m(psi), S_b) = const - 1/2 (phi - m)^T (S_w + S_b)^-1 (phi - m)

    This is JFA's maximum over displaced features with a squared distance as similarity, and with matrices S_w^-1 and
    S_b^-1 in the places of omega_1 and omega_2, which are estimated instead of searched for. It needs no condition for
    the maximum to exist, and scores are affine in phi.

    m is ridge regression from descriptions (or their kernel) to class means, S_w the pooled within-class covariance,
    and S_b the covariance of what m misses of a class that it was not fitted on. A seen class keeps its posterior mean:
    its own rows and the prediction from all the other classes, weighed by their number.

    Parameters
    ----------
    kernel : "auto" (default), "rbf" or "linear"
        The regression's kernel on descriptions.
    width : float or "auto" (default)
        Squared width of the kernel "rbf", in units of the mean squared distance between descriptions.
    ridge : float or "auto" (default)
        Regulariser of the regression. It is larger for classes of few rows, whose means are less certain.
    within_shrinkage : float or "auto" (default)
        What is added to S_w, in units of its mean eigenvalue.
    between_shrinkage : float in [0, 1] or "auto" (default)
        Shrinkage of S_b towards a multiple of the identity, because there are fewer classes than features.
    thorough : bool, default False
        Whether to try all combinations of what is "auto", 180 at most, instead of first the regression and then the
        shrinkages, 28.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`. With None, fitting reads the rows once.

    Attributes
    ----------
    gaussians_ : GaussianClasses
        The classes in the space where S_w = I and S_b is diagonal.
    seen_penalty_ : float
        What seen candidates lose, so that unseen ones beside them are found as often; rehearsed on held-out classes.
    class_penalties_ : array of shape (n_seen,)
        The same for each class. One that `partial_fit` met first, with fewer rows, loses less.
    choice_ : Choice
        Parameters in use, and their accuracy on held-out seen classes where some were chosen.
    statistics_ : ClassStatistics
        What was learned from the rows, to which `partial_fit` adds.

    Notes
    -----
    Parameters that are "auto" are chosen on folds of held-out seen classes from class means and some of the rows; the
    regression is solved in closed form for all of them. A value replaces the default only if it is better by more than
    chance. With fewer than 8 classes, or none described, there is nothing to choose on, and defaults are taken that
    suited other data.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = GaussianJFA().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.8)
    True
    """

    _has_offsets = True
    _fitted = ("gaussians_", "seen_penalty_", "class_penalties_", "choice_", "statistics_", "_typical_count")
    default_grid: ClassVar[SmallGrid] = {"width": WIDTHS, "ridge": RIDGES}

    def __init__(
        self,
        kernel: Literal["auto", "rbf", "linear"] = "auto",
        *,
        width: float | Auto = "auto",
        ridge: float | Auto = "auto",
        within_shrinkage: float | Auto = "auto",
        between_shrinkage: float | Auto = "auto",
        thorough: bool = False,
        scaling: Literal["auto"] | None = "auto",
    ) -> None:
        self.kernel = kernel
        self.width = width
        self.ridge = ridge
        self.within_shrinkage = within_shrinkage
        self.between_shrinkage = between_shrinkage
        self.thorough = thorough
        self.scaling = scaling

    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        options = self._list_options()
        statistics = ClassStatistics.of(phi, y, psi.shape[0], weights)
        spectrum = Spectrum.of(statistics)
        if psi.shape[0] < FEWEST_CLASSES or are_equidistant(psi):
            rows, choice = None, Choice(options.start)
        else:
            rows = _draw(phi, y, psi, weights)
            choice = choose_shape(options, spectrum, psi, rows, thorough=self.thorough)
        span = Span.of(spectrum, choice.shape.within_shrinkage)
        penalty = 0.0 if rows is None else rehearse_seen_penalty(spectrum, span, psi, choice.shape, rows)
        self.gaussians_ = GaussianClasses.fit(spectrum, span, psi, choice.shape)
        self.choice_, self.seen_penalty_, self.statistics_ = choice, penalty, statistics
        self.class_penalties_ = namespace(psi).full_like(statistics.counts, penalty)
        self._typical_count = float(namespace(psi).mean(statistics.counts))

    def partial_fit(self, X: Array, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Learn from further rows, of known classes or of new ones, as if they had been given to `fit` too.

        A few rows of a class that was unseen until now make it a seen one: its mean is then what its description
        predicts and what the rows show, weighed by their number. Scaling, chosen parameters and the penalty of seen
        classes stay what they were at the first call, which is a `fit`.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping, optional
            Descriptions of classes that the table given to `fit` does not have. A list of all labels at the first call,
            as scikit-learn has it, describes each class by its own unit vector.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, as in `fit`.
        """
        if not hasattr(self, "gaussians_"):
            if isinstance(classes, list | np.ndarray):
                classes = ClassTable.one_hot(np.unique(classes))
            return self.fit(X, y, classes, sample_weight=sample_weight)
        X = check_features(self, X)
        labels, encoded = np.unique(check_labels(y, X.shape[0]), return_inverse=True)
        table = self.table_ if classes is None else extend_table(self.table_, classes)
        table.index_of(labels, name="y")
        weights = None if sample_weight is None else check_weights(sample_weight, encoded, labels, as_chunk(X))
        added = self._add_up(X, encoded, len(labels), weights).move_to(self.statistics_.sums)
        joint = np.unique(np.concatenate([self.classes_, labels]))
        psi = self._scale_descriptions(table.select(joint), self._feature_scaling.mean)
        as_places = partial(namespace(psi).asarray, device=psi.device)
        known, new = (as_places(np.searchsorted(joint, these)) for these in (self.classes_, labels))
        statistics = self.statistics_.spread_out(known, len(joint)) + added.spread_out(new, len(joint))
        spectrum = Spectrum.of(statistics)
        span = Span.of(spectrum, self.choice_.shape.within_shrinkage)
        fitted = GaussianClasses.fit(spectrum, span, psi, self.choice_.shape)
        penalties = share_penalty(self.seen_penalty_, fitted, statistics.counts, self._typical_count)
        before = spread_out(self.class_penalties_, known, len(joint))
        # Set last, so that an interrupted call leaves an earlier state intact.
        self.gaussians_, self.statistics_ = fitted, statistics
        self.class_penalties_ = namespace(psi).where(before > penalties, before, penalties)
        self.classes_, self.table_ = joint, table
        self._forget_scorers()
        return self

    def _add_up(self, X: Array, y: NDArray[np.int64], n_classes: int, weights: Array | None) -> ClassStatistics:
        model = as_chunk(X)
        encoded = namespace(model).asarray(y, device=model.device)
        return ClassStatistics.of(self._make_training_rows(X), encoded, n_classes, weights)

    def adapt(self, X: Array, y: Any, classes: Classes = None) -> Adapted:
        """Displace every row of X, and the description of its class y, to where both are most likely.

        The best displaced class mean is mu = m + S_b (S_w + S_b)^-1 (phi - m), where the row is taken to as well. The
        displaced description is the most likely one of a class with this mean.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
            The class of each row, seen or not.
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            Descriptions of the classes in `y`; by default the table given to `fit`.

        Returns
        -------
        Adapted
            z_t (n, d) and z_s (n, d_s), in the units of X and of the descriptions.
        """
        phi, psi, vectors = self._prepare_pairs(X, y, classes)
        fitted = self.gaussians_
        phi64 = as_backend(phi, fitted.axes)
        psi64 = as_backend(psi, fitted.axes)
        within = self.statistics_.within_shrunk(self.choice_.shape.within_shrinkage)
        z_t, moved = fitted.displace(phi64, psi64, within)
        z_s = psi64 + moved @ fitted.regression.find_inverse(fitted.rho)
        return Adapted(
            convert_like(self._feature_scaling.undo(z_t), phi),
            convert_like(self._description_scaling.undo(z_s, as_backend(vectors, z_s)), phi),
        )

    def _contributions(self, phi: Array, psi: Array) -> Array:
        """Follow the score from the average description to that of the class, attribute by attribute.

        What a seen class owes to its own rows is shared by all attributes alike.
        """
        fitted = self.gaussians_
        z = fitted.apply(convert_like(phi, psi))

        def find_slope(on_the_way: Array) -> Array:
            missed = (z - fitted.regression.predict(on_the_way)) / (1 + fitted.rho)[None, :]
            return fitted.regression.pull_back(on_the_way, missed)

        scores = fitted.score_pairs(z, fitted.predict_means(psi)) - fitted.find_penalties(psi, self.class_penalties_)
        return integrate_gradients(find_slope, fitted.regression.psi, psi, scores)

    def _list_options(self) -> Options:
        """Check the parameters, and list what each of them may be."""
        check_choice(self.kernel, ("auto", "rbf", "linear"), "kernel")
        check_flag(self.thorough, "thorough")
        widths = _read(self.width, WIDTHS, "width", check_positive)
        kernels = [("rbf", width) for width in widths] if self.kernel != "linear" else []
        if self.kernel == "linear" or (self.kernel == "auto" and self.width == "auto"):
            kernels = [("linear", DEFAULT.width), *kernels]
        return Options(
            kernels,
            _read(self.ridge, RIDGES, "ridge", check_positive),
            _read(self.within_shrinkage, WITHIN, "within_shrinkage", check_positive),
            _read(self.between_shrinkage, BETWEEN, "between_shrinkage", _check_share),
        )

    def _scores_against(self, psi: Array) -> LinearForm:
        return self.gaussians_.linear_form(psi, self.class_penalties_)


def _draw(phi: Rows, y: Array, psi: Array, weights: Array | None) -> Sample:
    """Read some rows of each class that weigh anything."""
    labels, counts = to_numpy(y), np.ones(y.shape[0]) if weights is None else to_numpy(weights)
    weighing = np.flatnonzero(counts)
    drawn = weighing[draw_row_numbers(labels[weighing], psi.shape[0])]
    rows = phi.take(namespace(psi).asarray(drawn, device=psi.device))
    return Sample(convert_like(rows, psi), labels[drawn], counts[drawn])


def _read(value: Any, tried: Sequence[float], name: str, check: Any) -> Sequence[float]:
    return tried if isinstance(value, str) and value == "auto" else (float(check(value, name)),)


def _check_share(value: Any, name: str) -> float:
    if check_non_negative(value, name) > 1:
        raise InputError(f"{name}={value!r} is not a share: give a number between 0 and 1")
    return float(value)
