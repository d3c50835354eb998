"""DAP (Lampert, Nickisch & Harmeling, TPAMI 2014): direct attribute prediction."""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from unseen.features import Rows
from unseen.models.attributes.binary_attributes import UsesBinaryAttributes
from unseen.models.attributes.machines.attribute_classifiers import fit_machines, hold_out_rows
from unseen.models.base import SmallGrid
from unseen.utils.arrays import Array, as_backend, convert_like, to_cpu, to_numpy
from unseen.utils.validation import check_positive, make_random_stream


class DAP(UsesBinaryAttributes):
    """Predict every attribute of an image on its own, then choose the class whose attributes fit best.

    As in the paper, attributes are binary: a continuous attribute counts as present above the mean of all descriptions.
    Each attribute has a support vector machine trained on 90% of the rows, and its probability p(a_m | x) comes from
    Platt scaling on the other 10%. The class is argmax_y prod_m p(a_m^y | x) / p(a_m^y), with p(a_m) the share of the
    seen classes that have the attribute. An attribute that all or none of them have is skipped.

    Unlike in the paper, the machines are linear. Up to a term that is the same for all classes, scores are then affine
    in x: the sum over attributes of a_m^y (logit p(a_m | x) - logit p(a_m)). Nothing underflows, and `predict_proba`
    returns the paper's product, normalised to sum 1. The 10% are every tenth row of each class in random order, or all
    rows if there are fewer than ten.

    Without a class table it is an ordinary classifier with one linear machine per class against all others. That fails
    for a class that lies between two others: accuracy on iris is 0.87, where logistic regression has 0.96. It does not
    take sample weights: a random tenth of the rows is held out, and a repeated row may end up on both sides.

    Training uses NumPy: features of other array libraries are converted to it and read into memory.
    Prediction stays in the library of the features.

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
    weights_ : array of shape (d_t, n_used)
    offsets_ : array of shape (n_used,)
        logit p(a_m | x) - logit p(a_m) = phi(x) weights_ + offsets_.
    n_iter_ : int
        Newton steps in which all machines were trained together.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = DAP(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _has_offsets = True
    _fitted = ("weights_", "offsets_", "n_iter_")
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
        split = hold_out_rows(classes, make_random_stream(self.random_state))
        machines = fit_machines(to_cpu(phi[:], f"{type(self).__name__} learns"), present[classes], split, self.C)
        prior = present.mean(axis=0)
        self.weights_ = as_backend(machines.weights, psi)
        self.offsets_ = as_backend(machines.offsets - np.log(prior / (1 - prior)), psi)
        self.n_iter_ = machines.n_iter

    def _scores_against(self, psi: Array) -> tuple[Array, Array]:
        attributes = self._find_present(psi).T
        return self.weights_ @ attributes, self.offsets_ @ attributes

    def _contributions(self, phi: Array, psi: Array) -> Array:
        weights, offsets = convert_like(self.weights_, psi), convert_like(self.offsets_, psi)
        return self._spread((convert_like(phi, psi) @ weights + offsets[None, :]) * self._find_present(psi))
