"""IAP (Lampert, Nickisch & Harmeling, TPAMI 2014): indirect attribute prediction."""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from unseen.features import Rows
from unseen.models.attributes.binary_attributes import UsesBinaryAttributes
from unseen.models.attributes.machines.attribute_classifiers import fit_machines, hold_out_rows
from unseen.models.base import ScoreFunction, SmallGrid
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, to_cpu, to_numpy
from unseen.utils.validation import check_positive, make_random_stream


class IAP(UsesBinaryAttributes):
    """Predict seen classes, give an image their attributes, then choose the class whose attributes fit best.

    As in the paper, attributes are binary: a continuous attribute counts as present above the mean of all descriptions.
    Each seen class has a support vector machine against all others, trained on 90% of the rows, and its probability
    comes from Platt scaling on the other 10%; the probabilities of an image are divided by their sum. Then
    p(a_m | x) = sum_k p(y_k | x) [a_m = a_m^{y_k}], and the class is that of `DAP`, argmax_y prod_m p(a_m^y | x) /
    p(a_m^y), with p(a_m) the share of the seen classes that have the attribute. An attribute that all or none of them
    have is skipped.

    Unlike in the paper, the machines are linear, where it has sums of exponential chi-square kernels. The 10% are a
    tenth of each class in random order, and at least one row of it. Scores are the sum over attributes of
    a_m^y (logit p(a_m | x) - logit p(a_m)), which is the logarithm of the product up to a term that is the same for all
    classes; `predict_proba` returns the product, normalised to sum 1.

    It does not take sample weights: a random tenth of the rows is held out, and a repeated row may end up on both
    sides. Training uses NumPy: features of other array libraries are converted to it and read into memory. Prediction
    stays in the library of the features.

    Parameters
    ----------
    C : float, default 1.0
        Weight of the errors against the regulariser of the support vector machines.
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
    present_ : array of shape (n_seen, n_used)
        1 for each used attribute that a seen class has, and 0 for the others.
    weights_ : array of shape (d_t, n_seen)
    offsets_ : array of shape (n_seen,)
        p(y | x) is the sigmoid of phi(x) weights_ + offsets_, divided by its sum over seen classes.
    n_iter_ : int
        Newton steps in which all machines were trained together.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = IAP(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.4)
    True
    """

    _has_offsets = True
    _fitted = ("present_", "weights_", "offsets_", "n_iter_")
    default_grid: ClassVar[SmallGrid] = {"C": [0.1, 1.0, 10.0]}

    def __init__(
        self,
        C: float = 1.0,
        *,
        threshold: ArrayLike | None = None,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.threshold = threshold
        self.scaling = scaling
        self.random_state = random_state

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        check_positive(self.C, "C")
        present, classes = self._find_attributes(psi), to_numpy(y)
        split = hold_out_rows(classes, make_random_stream(self.random_state), each_class=True)
        machines = fit_machines(
            to_cpu(phi[:], f"{type(self).__name__} learns"), classes[:, None] == np.arange(len(present)), split, self.C
        )
        self.present_ = as_backend(present.astype(np.float64), psi)
        self.weights_, self.offsets_ = as_backend(machines.weights, psi), as_backend(machines.offsets, psi)
        self.n_iter_ = machines.n_iter

    def _scores_against(self, psi: Array) -> ScoreFunction:
        attributes = self._find_present(psi).T
        return lambda phi: self._find_evidence(phi) @ convert_like(attributes, phi)

    def _contributions(self, phi: Array, psi: Array) -> Array:
        return self._spread(self._find_evidence(convert_like(phi, psi)) * convert_like(self._find_present(psi), psi))

    def _find_evidence(self, phi: Array) -> Array:
        """Return logit p(a_m | x) - logit p(a_m) of each row and used attribute."""
        xp = namespace(phi)
        present, p = convert_like(self.present_, phi), self._find_posteriors(phi)
        # In single precision the sum over the classes on one side of an attribute may be 0.
        least = xp.finfo(phi.dtype).smallest_normal
        yes, no = (xp.log(xp.clip(p @ side, least, 1.0)) for side in (present, 1 - present))
        prior = xp.mean(present, axis=0)
        return yes - no - xp.log(prior / (1 - prior))[None, :]

    def _find_posteriors(self, phi: Array) -> Array:
        """Return p(y | x), normalised to sum 1 over the seen classes."""
        xp = namespace(phi)
        decisions = phi @ convert_like(self.weights_, phi) + convert_like(self.offsets_, phi)[None, :]
        # The logarithm of the sigmoid; far from all classes the probabilities themselves would underflow.
        logs = -xp.logaddexp(xp.zeros_like(decisions), -decisions)
        odds = xp.exp(logs - xp.max(logs, axis=1, keepdims=True))
        return odds / xp.sum(odds, axis=1, keepdims=True)
