"""Jayaraman & Grauman (NIPS 2014): zero-shot recognition with unreliable attributes."""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unseen.data.candidates import make_candidate_table
from unseen.features import Rows
from unseen.models.attributes.binary_attributes import UsesBinaryAttributes
from unseen.models.attributes.machines.attribute_classifiers import fit_machines, hold_out_rows
from unseen.models.attributes.machines.forest_growing import Validation, grow_forest
from unseen.models.attributes.machines.signature_forest import SignatureForest
from unseen.models.base import Classes, ScoreFunction, SmallGrid
from unseen.utils.arrays import Array, as_backend, convert_like, to_cpu, to_numpy
from unseen.utils.validation import check_positive, check_whole_number, make_random_stream


class JayaramanGrauman(UsesBinaryAttributes):
    """Grow a random forest for the candidates that knows how far each attribute can be trusted.

    What is theirs: a classifier of each binary attribute, and a random forest on the outputs of all of them, trained
    for the candidates without an image of them. The share I_n(k) of the images of class k that reach a node is passed
    on to its children by the ROC curve of the attribute that is asked for: I(k) TPR(m, t) goes above the threshold if
    the class has the attribute and I(k) FPR(m, t) if not, and the rest to the other side. The rates are those of the
    validation rows that reach the node, so that errors that come together are seen as such. A node takes the attribute
    and threshold with the largest expected gain of information among random ones. The posteriors of the leaves that an
    image reaches are averaged over the trees.

    What had to be reconstructed: the number of trees and of random tests at a node, the thresholds (anywhere between
    the outputs of two random validation rows at the node), and when to stop (two rows are left at a node, or no test
    tells 0.0001 nats per class). The rates at a node are blended with those of all validation rows, which count as five
    rows. The classifiers are linear support vector machines with Platt scaling, as in `DAP`, and the tenth of the rows
    that is held out for the scaling gives the ROC curves.

    The forest depends on all candidates at once, so that it grows when candidates are first named, which takes seconds
    for 50 classes and 312 attributes, and is kept for the next call. It is the same each time. Scores are
    log(m p(y | x)) for m candidates; `predict_proba` returns p(y | x). What an attribute contributes to a score is what
    its splits add to the posterior, times a factor that takes the sum to the logarithm.

    A continuous attribute counts as present above the mean of all descriptions. Training and prediction use NumPy:
    features of other array libraries are converted to it, and scores are converted back.

    Parameters
    ----------
    C : float, default 1.0
        Weight of the errors against the regulariser of the support vector machines.
    n_trees : int, default 100
    n_tests : int, default 16
        Number of random pairs of attribute and threshold among which a node chooses.
    threshold : float or array-like of shape (d_s,), optional
        Value above which an attribute counts as present; by default the mean over attributes and seen classes.
    scaling : "auto" (default) or None
        "auto" centres features and scales them to mean squared length 1. Descriptions are only compared with
        `threshold`.
    random_state : int, RandomState or None
        Random seed for the rows held out for validation, and for the trees.

    Attributes
    ----------
    threshold_ : ndarray of shape (d_s,)
    used_ : ndarray of shape (d_s,), bool
        Which attributes distinguish seen classes.
    weights_ : array of shape (d_t, n_used)
    offsets_ : array of shape (n_used,)
        p(a_m | x) is the sigmoid of phi(x) weights_ + offsets_.
    outputs_ : ndarray of shape (n_held_out, n_used)
        p(a_m | x) of the rows held out for validation.
    has_ : ndarray of shape (n_held_out, n_used), bool
        Which attributes these rows have.
    seed_ : int
        Random seed of the trees.
    n_iter_ : int
        Newton steps in which all machines were trained together.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = JayaramanGrauman(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _has_offsets = True
    _fitted = ("weights_", "offsets_", "outputs_", "has_", "seed_", "n_iter_")
    default_grid: ClassVar[SmallGrid] = {"C": [0.1, 1.0, 10.0]}

    def __init__(
        self,
        C: float = 1.0,
        *,
        n_trees: int = 100,
        n_tests: int = 16,
        threshold: ArrayLike | None = None,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.n_trees = n_trees
        self.n_tests = n_tests
        self.threshold = threshold
        self.scaling = scaling
        self.random_state = random_state

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        check_positive(self.C, "C")
        for name in ("n_trees", "n_tests"):
            check_whole_number(getattr(self, name), name, minimum=1)
        random = make_random_stream(self.random_state)
        features, classes = to_cpu(phi[:], f"{type(self).__name__} learns"), to_numpy(y)
        has, split = self._find_attributes(psi)[classes], hold_out_rows(classes, random)
        machines = fit_machines(features, has, split, self.C)
        self.weights_, self.offsets_ = as_backend(machines.weights, psi), as_backend(machines.offsets, psi)
        self.outputs_, self.has_ = self._find_outputs(features[split[1]]), has[split[1]]
        self.seed_, self.n_iter_ = int(random.randint(2**31)), machines.n_iter

    def _scores_against(self, psi: Array) -> ScoreFunction:
        forest = self._grow(psi)
        return lambda phi: convert_like(np.log(psi.shape[0] * forest.predict(self._find_outputs(phi))), phi)

    def _find_outputs(self, phi: Array) -> NDArray[np.float64]:
        """Return p(a_m | x) of each row and used attribute."""
        logits = to_cpu(phi, f"{type(self).__name__} answers") @ to_numpy(self.weights_) + to_numpy(self.offsets_)
        return np.asarray(1 / (1 + np.exp(np.clip(-logits, -700, 700))), dtype=np.float64)

    def _grow(self, psi: Array) -> SignatureForest:
        """Grow the forest of the candidates; their order does not change it."""
        signatures = to_numpy(self._find_present(psi)) > 0
        order = np.lexsort(signatures.T)
        forest = grow_forest(
            signatures[order],
            Validation(self.outputs_, self.has_),
            n_trees=self.n_trees,
            n_tests=self.n_tests,
            random=np.random.RandomState(self.seed_),
        )
        return forest.reorder(np.argsort(order))

    def contributions(self, X: Array, y: Any, classes: Classes = None) -> Array:
        """Decompose the score of every row for a class into contributions of the attributes.

        Parameters
        ----------
        X, y, classes
            As in `unseen.models.ZeroShotClassifier`; the score depends on all candidates.

        Returns
        -------
        contributions : array of shape (n, d_s)
            Each row sums to the score that `decision_function` gives the row for its class.
        """
        phi, psi, _ = self._prepare_pairs(X, y, classes)
        table = self.table_ if classes is None else make_candidate_table(classes, self.table_)
        forest = self._grow(self._scale_descriptions(table, self._feature_scaling.mean))
        parts = forest.take_apart(self._find_outputs(phi), table.index_of(y, name="y"))
        # log(m p) over p - 1 / m, which is the sum of the parts; both are 0 together, where the ratio tends to m.
        change = parts.sum(axis=1, keepdims=True)
        safe = np.where(np.abs(change) > 1e-12, change, 1.0)
        factor = np.where(np.abs(change) > 1e-12, np.log1p(len(table) * change) / safe, len(table))
        return self._spread(as_backend(factor * parts, psi))
