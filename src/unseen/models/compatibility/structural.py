"""Latent structural SVM over any similarity."""

from typing import Any, Literal, Self

from unseen.learning import Loss, Solver
from unseen.learning.margins import MarginChoice
from unseen.learning.training import StartChoice, WeightChoice
from unseen.models.compatibility.similarity_classifier import SimilarityClassifier
from unseen.models.weights import ClassWeights
from unseen.similarity import SIMILARITIES, BilinearSimilarity, Similarity
from unseen.utils.errors import InputError

# Prefix of the similarity's own parameters among those of the model.
_NESTED = "similarity__"


class StructuralSVM(SimilarityClassifier):
    """Learn the weights of a similarity so that the true class wins by a margin (Eq. eqn:learning1).

    `JFA` and `BilinearSVM` learn in the same way, each with a similarity of its own; give `similarity` for any other.

    Parameters
    ----------
    similarity : Similarity or str, optional
        The similarity to learn, by default `BilinearSimilarity()`; or the name of one that needs no parameters, such as
        one given to `unseen.register`. Its own parameters can be set through the model, as in scikit-learn:
        `set_params(similarity__omega=...)`.
    lam : float, default 1.0
        Weight of ||W||^2 / 2 against the sum of slacks.
    loss : "soft-maximum" (default), "maximum", "ranking", "soft-ranking" or a Loss
        The form of the structured loss; "maximum" is the paper's.
    temperature : float, default 0.1
        Temperature of the soft maximum, in units of the margin; also the temperature of `predict_proba`.
    margin : None, array of shape (n_seen, n_seen) or callable
        Delta(true, other); None is 0/1. Rows and columns of an array follow the sorted labels, as `classes_` does; a
        callable gets two labels.
    class_weight : None (default), "balanced" or mapping from label to weight
        Weight of the rows of each class, multiplied by their own weights. "balanced" lets every class count the same,
        however many rows it has; a class that a mapping leaves out has weight 1.
    solver : "auto" (default), "smooth", "cccp", "stochastic" or a Solver
        "auto" takes "smooth" for a smooth loss, and "cccp" for others.
    weights : "positive-definite" (default), "free" or a WeightSet
        Constraint on W: "positive-definite" keeps it where the score is a global optimum, "free" does not constrain it,
        and a WeightSet is a convex set of your own.
    scaling : "auto" (default) or None
        "auto" centres features and descriptions and scales them to length 1 (features on average), with statistics of
        the training rows and seen classes only. If `fit` is given no class table, it also adds a constant feature, so
        that classes have offsets as in any linear classifier. None changes nothing.
    n_init : int, default 1
        Number of starts; the best is kept.
    init : "zeros" (default) or "random"
        The first start; all others are random.
    warm_start : bool, default False
        Whether to start from the weights of the last `fit`, for example to continue after an interruption.
    random_state : int, RandomState or None
        Random seed for random starts and the stochastic solver.
    verbose : bool, default False
        Whether to print the objective after every step.

    Attributes
    ----------
    similarity_ : Similarity
        The similarity with the learned weights.
    objective_ : float
        Value of the objective at the end.
    history_ : list of float
        The objective after every step of the best start.
    n_iter_ : int
        Number of steps of the best start.
    converged_ : bool
        Whether the solver's own criterion was met. If not, `fit` warns with scikit-learn's `ConvergenceWarning`.
    certificate_ : dict
        Bounds that the solver proves for its result, e.g. `duality_gap`.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.similarity import AdaptiveSimilarity
    >>> data = load_dataset("digit-pairs")
    >>> model = StructuralSVM(AdaptiveSimilarity(omega=(1000.0, 10.0, 0.0, 1.0)))
    >>> model.fit(data.X_train, data.y_train, classes=data.classes).similarity_.is_positive_definite
    True
    """

    def __init__(
        self,
        similarity: str | Similarity | None = None,
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
        self.similarity = similarity
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

    def _make_similarity(self) -> Similarity:
        if self.similarity is None:
            return BilinearSimilarity()
        if isinstance(self.similarity, str):
            named: Similarity = SIMILARITIES.make(self.similarity)
            return named
        if not isinstance(self.similarity, Similarity):
            raise InputError(
                f"similarity={self.similarity!r} is not a similarity: give an object such as BilinearSimilarity()"
            )
        return self.similarity

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep`, those of the similarity too, as similarity__NAME."""
        own: dict[str, Any] = super().get_params(deep=deep)
        nested = self.similarity.parameters() if deep and isinstance(self.similarity, Similarity) else {}
        return own | {f"{_NESTED}{name}": value for name, value in nested.items()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; similarity__NAME replaces the similarity by one with that parameter changed."""
        nested = {name: params.pop(name) for name in list(params) if name.startswith(_NESTED)}
        super().set_params(**params)
        if nested:
            changes = {name.removeprefix(_NESTED): value for name, value in nested.items()}
            self.similarity = self._make_similarity().with_parameters(**changes)
        return self
