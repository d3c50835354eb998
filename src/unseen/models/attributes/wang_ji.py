"""Wang & Ji (ICCV 2013): a Bayesian network over attributes and classes on top of attribute measurements."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from unseen.features import Rows
from unseen.models.attributes.binary_attributes import UsesBinaryAttributes
from unseen.models.attributes.machines.attribute_classifiers import fit_machines, hold_out_rows
from unseen.models.attributes.machines.attribute_tree import AttributeTree, Likelihoods
from unseen.models.base import Classes, ScoreFunction, SmallGrid
from unseen.selection.grid import Point, clone_at_point, group_runs
from unseen.utils.arrays import Array, as_backend, convert_like, cut_row_blocks, namespace, to_cpu, to_float64, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_positive, make_random_stream

# Numbers that are in memory at a time for each pair of a row and a class.
WORK = 16


class WangJi(UsesBinaryAttributes):
    """Explain what is measured of all attributes at once, knowing which of them go together.

    A reconstruction: theirs is a Bayesian network in which attributes depend on each other and on the object, with
    measurements of attributes as children. Ours has a tree in its middle. An image has binary attributes a, of which
    each depends on one other (the tree of Chow & Liu, learned from the signatures of the seen classes, weighted by
    their rows); each a_m has two noisy children:

    - its measurement: a linear machine with Platt scaling, whose p(a_m | x) / p(a_m) is the likelihood of a_m;
    - the word of the class: the signature a_m^y agrees with a_m up to an error of probability `epsilon`, for an image
      may not show what its class has.

    The score of a class is log p(measurements | a^y), with the attributes of the image summed out exactly by
    sum-product: log p(measurements, a^y) - log p(a^y).

    The smaller `epsilon`, the more this is `DAP`: at 0 the attributes of the image are those of the class, and what is
    known about dependencies no longer matters. Otherwise a measurement that contradicts the signature costs less where
    attributes that depend on it contradict theirs, too: these mistakes are counted once. Scores are not affine in x.

    Attributes are made binary, machines are trained, and sample weights are refused as in `DAP`.

    Parameters
    ----------
    C : float, default 1.0
        Weight of the errors against the regulariser of the support vector machines.
    epsilon : float, default 0.1
        Probability, below one half, that an attribute of an image is not what its class says.
    threshold : float or array-like of shape (d_s,), optional
        Value above which an attribute counts as present; by default the mean over attributes and seen classes.
    scaling : "auto" (default) or None
        "auto" centres features and scales them to mean squared length 1. Descriptions are only compared with
        `threshold`.
    random_state : int, RandomState or None
        Random seed for the rows held out for Platt scaling.

    Attributes
    ----------
    threshold_ : ndarray of shape (d_s,)
    used_ : ndarray of shape (d_s,), bool
        Which attributes distinguish seen classes.
    tree_ : AttributeTree
        The dependencies of the used attributes.
    weights_ : array of shape (d_t, n_used)
    offsets_ : array of shape (n_used,)
        logit p(a_m | x) = phi(x) weights_ + offsets_.
    epsilon_ : float
        `epsilon` when the model was fitted.
    n_iter_ : int
        Largest number of iterations of any machine.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = WangJi(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _has_offsets = True
    _fitted = ("tree_", "weights_", "offsets_", "epsilon_", "n_iter_")
    default_grid: ClassVar[SmallGrid] = {"C": [0.1, 1.0, 10.0], "epsilon": [0.02, 0.1, 0.3]}

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        threshold: ArrayLike | None = None,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.threshold = threshold
        self.scaling = scaling
        self.random_state = random_state

    def fit_grid(
        self, X: Array, y: Any, classes: Classes, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[Self]:
        """Yield the model fitted at each point; see `unseen.selection.GridFitter`.

        Points that differ only in `epsilon` share machines and tree.
        """
        for common, rest in group_runs(points, lambda name: name == "epsilon"):
            learned = clone_at_point(self, common).fit(X, y, classes, sample_weight=sample_weight)
            state = {name: value for name, value in vars(learned).items() if name not in learned.get_params()}
            for point in rest:
                model = clone_at_point(self, common | point)
                model.__dict__.update(deepcopy(state))
                model.epsilon_ = _check_error(model.epsilon)
                yield model

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        check_positive(self.C, "C")
        self.epsilon_ = _check_error(self.epsilon)
        present, classes = self._find_attributes(psi), to_numpy(y)
        split = hold_out_rows(classes, make_random_stream(self.random_state))
        machines = fit_machines(to_cpu(phi[:], f"{type(self).__name__} learns"), present[classes], split, self.C)
        self.weights_, self.offsets_ = as_backend(machines.weights, psi), as_backend(machines.offsets, psi)
        self.n_iter_ = machines.n_iter
        # A class counts as one observation, more or less, however many rows it has.
        counts = np.bincount(classes, minlength=len(present))
        self.tree_ = AttributeTree.learn(present, counts / counts.mean())

    def _scores_against(self, psi: Array) -> ScoreFunction:
        words = self._hear(psi)
        expected = sum(part for _, part in self.tree_.pass_upwards([words]))
        return lambda phi: self._compute_scores(phi, words, expected)

    def _compute_scores(self, phi: Array, words: Likelihoods, expected: Array) -> Array:
        """Return the scores (n, m), a block of rows at a time."""
        said = Likelihoods(*(as_backend(part, phi)[None, :, :] for part in words))
        blocks = []
        for rows in cut_row_blocks(phi.shape[0], 8 * WORK * expected.shape[0]):
            seen = Likelihoods(*(part[:, None, :] for part in self._measure(phi[rows, :])))
            blocks.append(sum(part for _, part in self.tree_.pass_upwards([seen, said])))
        xp = namespace(phi)
        return convert_like(xp.concat(blocks, axis=0) - as_backend(expected, phi)[None, :], phi)

    def _contributions(self, phi: Array, psi: Array) -> Array:
        """Return what each attribute adds to what is known from those that depend on it."""
        words = self._hear(psi)
        xp = namespace(psi)
        both = dict(self.tree_.pass_upwards([self._measure(as_backend(phi, psi)), words]))
        alone = dict(self.tree_.pass_upwards([words]))
        return self._spread(xp.stack([both[m] - alone[m] for m in range(len(both))], axis=1))

    def _hear(self, psi: Array) -> Likelihoods:
        """Return the likelihoods (m, q) of the words of classes psi (m, d_s)."""
        present = self._find_present(psi)
        wrong, right = self.epsilon_, 1 - self.epsilon_
        return Likelihoods(right + (wrong - right) * present, wrong + (right - wrong) * present)

    def _measure(self, phi: Array) -> Likelihoods:
        """Return the likelihoods (n, q) of what is measured in rows phi (n, d)."""
        xp = namespace(phi)
        logits = to_float64(phi) @ as_backend(self.weights_, phi) + as_backend(self.offsets_, phi)[None, :]
        share = as_backend(self.tree_.marginals, phi)[None, :]
        # Both divided by the larger one, which is the same for all classes: neither overflows, and one of them is 1.
        odds = logits - xp.log(share / (1 - share))
        zero = xp.zeros_like(odds)
        return Likelihoods(xp.exp(xp.where(odds > 0, -odds, zero)), xp.exp(xp.where(odds < 0, odds, zero)))


def _check_error(epsilon: Any) -> float:
    if check_positive(epsilon, "epsilon") >= 0.5:
        raise InputError(
            f"epsilon={epsilon!r} is not below 0.5, so that classes would say nothing: choose a smaller one"
        )
    return float(epsilon)
