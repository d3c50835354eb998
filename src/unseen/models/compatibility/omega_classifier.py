"""Base class of the models with displacement weights omega: JFA and DirectJFA."""

from typing import Any, NamedTuple

from unseen.models.base import Classes
from unseen.models.compatibility.similarity_classifier import SimilarityClassifier
from unseen.similarity import AdaptiveSimilarity, DirectSimilarity, Omega
from unseen.utils.arrays import Array, convert_like


class Adapted(NamedTuple):
    """Displaced features z_t and displaced descriptions z_s, in the units of the given features and descriptions."""

    z_t: Array
    z_s: Array


class OmegaClassifier(SimilarityClassifier):
    """Base class for models whose similarity has an omega.

    Attributes
    ----------
    omega_ : Omega
        The omega that W was learned with.
    """

    similarity_: AdaptiveSimilarity | DirectSimilarity

    @property
    def omega_(self) -> Omega:
        """The weights that W was learned with."""
        return self.similarity_.omega

    def adapt(self, X: Array, y: Any, classes: Classes = None) -> Adapted:
        """Displace every row of X and the description of its class y towards each other (Eq. eqn:z).

        Parameters
        ----------
        X : array of shape (n, d_t)
        y : array-like of shape (n,)
            The class of each row, seen or not.
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            Descriptions of the classes in `y`; by default the table given to `fit`.

        Returns
        -------
        Adapted
            z_t (n, d_t) and z_s (n, d_s), in the units of X and of the descriptions.
        """
        phi, psi, vectors = self._prepare_pairs(X, y, classes)
        z_t, z_s = self.similarity_.adapt(phi, convert_like(psi, phi))
        return Adapted(self._feature_scaling.undo(z_t), convert_like(self._description_scaling.undo(z_s, vectors), phi))
