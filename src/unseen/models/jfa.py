"""Joint Feature Adaptation (Zhang & Saligrama): the model of the paper."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Self

from unseen.arrays import Array, like
from unseen.learning import Loss, Solver
from unseen.learning.margins import MarginChoice
from unseen.learning.training import StartChoice, WeightChoice
from unseen.models.base import Classes
from unseen.models.structural import StructuralSVM
from unseen.similarity import AdaptiveSimilarity, DirectSimilarity, Omega, Similarity


class Adapted(NamedTuple):
    """Displaced features: z_t beside X, z_s beside the descriptions, both in the units these were given in."""

    z_t: Array
    z_s: Array


class JFA(StructuralSVM):
    """Recognise classes by the best similarity of features that may move, at a price (Eq. eqn:ff).

    Parameters
    ----------
    omega : sequence of 4 floats
        What displacing and lengthening the features costs (see `unseen.similarity.Omega`). The default suits features
        and descriptions of length 1, which `scaling="auto"` makes of any data.
    lam : float, default 1.0
        Weight of ||W||^2 / 2 against the sum of slacks.
    loss, temperature, margin, balanced, solver, weights, scaling, n_init, init, warm_start, random_state, verbose
        As in `unseen.models.StructuralSVM`. `JFA.as_in_paper` sets them as the paper does.

    Attributes
    ----------
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

    def __init__(
        self,
        omega: Sequence[float] = (1000.0, 10.0, 0.0, 1.0),
        lam: float = 1.0,
        *,
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

    def _new_similarity(self, W: Array) -> Similarity:
        return self._kind(W, Omega.checked(self.omega))

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
    bilinear model. Parameters are those of `JFA`.
    """

    _kind = DirectSimilarity
