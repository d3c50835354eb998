"""PST (Rohrbach, Ebert & Schiele, NIPS 2013): propagated semantic transfer, by label propagation."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unseen.selection.grid import Estimator
from unseen.transduction.base import TransductiveClassifier
from unseen.transduction.batch import Batch
from unseen.transduction.graph import make_neighbour_graph, normalise_rows, spread
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_non_negative, check_whole_number


class PST(TransductiveClassifier):
    """Propagate the model's probabilities over a graph of nearest neighbours of the batch.

    F = (I - alpha S)^-1 Y, with Y the softmax of the scores and S the normalised graph.

    Parameters
    ----------
    model : estimator
        Model to refine: fitted by `fit`, or fitted already.
    alpha : float in [0, 1), default 0.5
        How far labels spread; 0 keeps the decision of the model.
    n_neighbors : int, default 15
    space : "scores" (default) or "features"
        Space in which neighbours are found; the paper uses attribute scores, which separate the classes better.
    sharpness : float, default 2.0
        Factor of the standardised scores before the softmax.
    features : transformer, optional
        Preparation of the rows, as in `SPZSR`; used if `space="features"`.

    Notes
    -----
    The constants of the paper's graph were not available; those here are ours.
    """

    def __init__(
        self,
        model: Estimator,
        *,
        alpha: float = 0.5,
        n_neighbors: int = 15,
        space: Literal["scores", "features"] = "scores",
        sharpness: float = 2.0,
        features: Any = None,
    ) -> None:
        self.model = model
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.space = space
        self.sharpness = sharpness
        self.features = features

    def _check_parameters(self) -> None:
        check_whole_number(self.n_neighbors, "n_neighbors", 1)
        check_non_negative(self.sharpness, "sharpness")
        if check_non_negative(self.alpha, "alpha") >= 1:
            raise InputError(f"alpha={self.alpha!r} does not converge: give a number of at least 0 and below 1")
        check_choice(self.space, ("scores", "features"), "space")

    def _refine(self, batch: Batch) -> Iterator[NDArray[Any]]:
        start = batch.probabilities(sharpness=self.sharpness)
        graph = make_neighbour_graph(batch.scores() if self.space == "scores" else batch.Z, self.n_neighbors)
        shares = normalise_rows(np.asarray(spread(graph, start, self.alpha)))
        for rows in batch.blocks:
            yield shares[rows]
