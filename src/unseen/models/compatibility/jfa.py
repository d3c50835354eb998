"""Joint Feature Adaptation (Zhang & Saligrama): the model of the paper."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from unseen.learning import LatentSVM, Loss, Solution, Solver
from unseen.learning.margins import MarginChoice
from unseen.learning.omega_learning import START, learn_with_omega
from unseen.learning.solvers.base import Watcher
from unseen.learning.training import StartChoice, WeightChoice
from unseen.models.base import Classes, SmallGrid
from unseen.models.compatibility.omega_choice import select_omega
from unseen.models.compatibility.structural import StructuralSVM
from unseen.similarity import AdaptiveSimilarity, DirectSimilarity, Omega, Similarity
from unseen.utils.arrays import Array, like
from unseen.utils.errors import InputError
from unseen.utils.registry import unknown
from unseen.utils.validation import non_negative


class Adapted(NamedTuple):
    """Displaced features: z_t beside X, z_s beside the descriptions, both in the units these were given in."""

    z_t: Array
    z_s: Array


class JFA(StructuralSVM):
    """Recognise classes by the best similarity of features that may move, at a price (Eq. eqn:ff).

    Parameters
    ----------
    omega : sequence of 4 floats, "auto" or "learn"
        What displacing and lengthening the features costs (see `unseen.similarity.Omega`). The default suits features
        and descriptions of length 1, which `scaling="auto"` makes of any data. "auto" chooses among 17 omegas on
        held-out classes of the training rows, preferring eigenvalues of H that the paper recommends, and takes about
        fifty fits; `joblib.parallel_config(n_jobs=2)` around `fit` spreads them over processes. "learn" minimises over
        W and omega together (Eq. eqn:hard-to-solve), on the training rows alone.
    lam : float, default 1.0
        Weight of ||W||^2 / 2 against the sum of slacks.
    omega_lam : float, default 1e-4
        Weight of ||omega||^2 / 2 where omega is learned (the paper's lambda_2).
    loss, temperature, margin, balanced, solver, weights, scaling, n_init, init, warm_start, random_state, verbose
        As in `unseen.models.StructuralSVM`. `JFA.as_in_paper` sets them as the paper does.

    Attributes
    ----------
    omega_ : Omega
        The weights that W was learned with.
    selection_ : unseen.selection.Selection
        What was tried for `omega="auto"`, with scores on held-out classes and eigenvalues of H.
    similarity_ : AdaptiveSimilarity
        With the learned W, in scaled units; `similarity_.spectrum()` gives the eigenvalues of H.
    objective_, history_, converged_, certificate_
        How learning went (see `unseen.models.StructuralSVM`).

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _kind: Callable[..., Similarity] = AdaptiveSimilarity
    _fitted: ClassVar[tuple[str, ...]] = ("omega_",)
    default_grid: ClassVar[SmallGrid] = {
        **StructuralSVM.default_grid,
        "omega": [[1000, 10, 0, 1], [1000, 100, 0, 1], [10000, 100, 0, 10]],
    }

    def __init__(
        self,
        omega: Sequence[float] | Literal["auto", "learn"] = (1000.0, 10.0, 0.0, 1.0),
        lam: float = 1.0,
        *,
        omega_lam: float = 1e-4,
        loss: str | Loss = "soft-maximum",
        temperature: float = 0.1,
        margin: MarginChoice = None,
        balanced: bool = False,
        solver: str | Solver = "auto",
        weights: WeightChoice = "positive-definite",
        scaling: Literal["auto"] | None = "auto",
        n_init: int = 1,
        init: StartChoice = "zeros",
        warm_start: bool = False,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.omega = omega
        self.lam = lam
        self.omega_lam = omega_lam
        self.loss = loss
        self.temperature = temperature
        self.margin = margin
        self.balanced = balanced
        self.solver = solver
        self.weights = weights
        self.scaling = scaling
        self.n_init = n_init
        self.init = init
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def as_in_paper(cls, omega: Sequence[float], lam: float = 1.0, **parameters: Any) -> Self:
        """Return the model with the paper's own choices.

        The maximum as loss with the 0/1 margin, CCCP from a random start, features and descriptions as they are given.
        Any parameter may be given to override one of these.
        """
        choices: dict[str, Any] = {"loss": "maximum", "solver": "cccp", "scaling": None, "init": "random"}
        return cls(omega, lam, **(choices | parameters))

    def fit(self, X: Array, y: Any, classes: Classes = None) -> Self:
        """Learn from images of seen classes, and choose omega first if it is "auto".

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping, optional
            As in any model; `omega="auto"` needs it.
        """
        if not isinstance(self.omega, str):
            self.omega_ = Omega.checked(self.omega)
        elif self.omega == "auto":
            self.selection_ = select_omega(self, X, y, classes)
            self.omega_ = Omega(*self.selection_.best_params["omega"])
        elif self.omega == "learn":
            self._check_learning()
            self.omega_ = START
        else:
            raise unknown(self.omega, ("auto", "learn"), "omega", "four numbers (w1, w2, w3, w4)")
        return super().fit(X, y, classes)

    def _check_learning(self) -> None:
        non_negative(self.omega_lam, "omega_lam")
        if self.weights != "positive-definite" or self._kind is not AdaptiveSimilarity:
            raise InputError(
                "omega='learn' keeps H positive definite, as JFA with weights='positive-definite' does: use these, or "
                "give four numbers as omega"
            )

    def _new_similarity(self, W: Array) -> Similarity:
        return self._kind(W, self.omega_)

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.omega_ = Omega.checked(state["omega_"])
        super()._restore({**state, "omega_": self.omega_})

    def _learn(
        self,
        objective: LatentSVM,
        solver: Solver,
        start: StartChoice | Array,
        rng: np.random.Generator,
        watch: Watcher,
    ) -> Solution:
        if not (isinstance(self.omega, str) and self.omega == "learn"):
            return super()._learn(objective, solver, start, rng, watch)
        learned = learn_with_omega(objective, solver, omega_lam=self.omega_lam, rng=rng, watch=watch)
        self.omega_ = learned.omega
        return learned.solution

    def adapt(self, X: Array, y: Any, classes: Classes = None) -> Adapted:
        """Displace every row of X and the description of its class y towards each other (Eq. eqn:z).

        Parameters
        ----------
        X : array of shape (n, d_t)
        y : array-like of shape (n,)
            The class of each row, seen or not.
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            Where `y` is described; by default the table given to `fit`.

        Returns
        -------
        Adapted
            z_t (n, d_t) and z_s (n, d_s), in the units of X and of the descriptions.
        """
        phi, psi, vectors = self._pairs(X, y, classes)
        z_t, z_s = self.similarity_.adapt(phi, like(psi, phi))
        return Adapted(self._feature_scaling.undo(z_t), like(self._description_scaling.undo(z_s, vectors), phi))


class DirectJFA(JFA):
    """Learn the inverse of H itself instead of W, as the discussion after Eq. eqn:yy of the paper suggests.

    Convex, without latent features: `adapt` returns features as they are. The paper found it no better than the
    bilinear model. As an ordinary classifier, without a class table, it is up to 3 points below logistic regression on
    scikit-learn's small datasets, where `JFA` is on par. Parameters are those of `JFA`.
    """

    default_grid: ClassVar[SmallGrid] = StructuralSVM.default_grid
    _kind = DirectSimilarity
