"""JFA with the inverse of H learned directly, as the discussion after Eq. eqn:yy of the paper suggests."""

from collections.abc import Sequence
from typing import Any, Literal

from unseen.learning import Loss, Solver
from unseen.learning.margins import MarginChoice
from unseen.learning.training import StartChoice, WeightChoice
from unseen.models.compatibility.omega_classifier import OmegaClassifier
from unseen.models.weights import ClassWeights
from unseen.similarity import DirectSimilarity


class DirectJFA(OmegaClassifier):
    """Learn the inverse of H directly instead of W, as the discussion after Eq. eqn:yy of the paper suggests.

    The problem is convex and has no latent features: `adapt` returns the features unchanged. The paper found this model
    no better than the bilinear model. As an ordinary classifier, without a class table, it is up to 3 points below
    logistic regression on scikit-learn's small datasets, where `JFA` is on par.

    Parameters
    ----------
    omega : sequence of 4 floats
        The omega of the score, as in `JFA`; only w1 and w2 matter here.
    lam, loss, temperature, margin, class_weight, solver, weights
        As in `unseen.models.StructuralSVM`.
    scaling, n_init, init, warm_start, random_state, verbose
        As in `unseen.models.StructuralSVM`.

    Attributes
    ----------
    omega_ : Omega
        The omega that the inverse was learned with.
    similarity_ : DirectSimilarity
        The similarity with the learned blocks `ts` and `ss` of the inverse, in scaled units.
    objective_, history_, n_iter_, converged_, certificate_
        Course of the training (see `unseen.models.StructuralSVM`).
    """

    def __init__(
        self,
        omega: Sequence[float] = (1000.0, 10.0, 0.0, 1.0),
        lam: float = 1.0,
        *,
        loss: str | Loss = "soft-maximum",
        temperature: float = 0.1,
        margin: MarginChoice = None,
        class_weight: ClassWeights = None,
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
        super().__init__(
            lam,
            loss=loss,
            temperature=temperature,
            margin=margin,
            class_weight=class_weight,
            solver=solver,
            weights=weights,
            scaling=scaling,
            n_init=n_init,
            init=init,
            warm_start=warm_start,
            random_state=random_state,
            verbose=verbose,
        )

    def _make_similarity(self) -> DirectSimilarity:
        return DirectSimilarity(self.omega)
