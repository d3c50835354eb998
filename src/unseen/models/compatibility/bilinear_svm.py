"""Bilinear structural SVM: the bilinear limit of JFA, or SJE (Akata et al., 2015) with a regulariser."""

from typing import Any, Literal

from unseen.learning import Loss, Solver
from unseen.learning.margins import MarginChoice
from unseen.learning.training import StartChoice, WeightChoice
from unseen.models.compatibility.similarity_classifier import SimilarityClassifier
from unseen.models.weights import ClassWeights
from unseen.similarity import BilinearSimilarity


class BilinearSVM(SimilarityClassifier):
    """Score phi(x)^T W psi(y), learned like JFA but without displacements (Property 4, prop:2).

    The parameters are those of `StructuralSVM` without `similarity`.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = BilinearSVM().fit(data.X_train, data.y_train, classes=data.classes)
    >>> model.score(data.X_test_seen, data.y_test_seen) > 0.8
    True
    """

    def __init__(
        self,
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

    def _make_similarity(self) -> BilinearSimilarity:
        return BilinearSimilarity()
