"""Mahajan, Sellamanickam & Nair (ICCV 2011): attribute classifiers and class descriptions learned together."""

from typing import ClassVar, Literal

from unseen.models.attributes.learns_from_memberships import LearnsFromMemberships
from unseen.models.attributes.machines.class_ridge import ClassRidge
from unseen.models.base import SmallGrid
from unseen.utils.arrays import Array, as_backend, convert_like, lengths_or_one, namespace, unit_rows
from unseen.utils.validation import check_positive


class Mahajan(LearnsFromMemberships):
    """Learn attribute predictors together with the descriptions that they are to predict.

    A reconstruction: theirs is the idea that descriptions given by people are not what images show best, so that
    predictors W and the descriptions A of the seen classes are learned together, with the classes in mind; the
    objective is ours. With S the given descriptions of the k seen classes, it is the minimum over W, b, A and R of

        1/n sum_i |W^T phi_i + b - A_yi|^2 + gamma v |W|^2 + beta/k |A - S R|^2 + rho/k |R - I|^2.

    The description of a seen class may move towards what its images show (at the price `beta`), and all descriptions
    together by a linear map R (at the price `rho`), which is learned from the seen classes and describes unseen ones
    anew: psi R. v is the mean variance of a feature.

    The objective is convex, and minimising over each of W, A and R in turn lowers it in every step until it is solved.
    We solve it at once, by two systems of k equations: where tr A^T T A is what remains of the first two
    terms when W and b are the best for A, and K = beta/k (T + beta/k I)^-1,

        R = (I + beta/rho S^T (I - K) S)^-1,   A = K S R.

    So R shrinks the directions of descriptions that images of seen classes do not confirm. The score of a class is the
    predicted description times psi R scaled to length 1, for seen classes like any others.

    Unlike in `DAP`, attributes are neither binary nor predicted on their own from what was given: with `beta` and `rho`
    very large, this is ridge regression of the given descriptions.

    Parameters
    ----------
    beta : float, default 10.0
        Price of a description of a seen class that is not the given one, mapped by R.
    rho : float, default 3.0
        Price of a map R that changes descriptions.
    gamma : float, default 1.0
        Strength of the regulariser of the predictors, in units of the mean variance of a feature.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.

    Attributes
    ----------
    descriptions_ : array of shape (n_seen, d_s)
        A, the learned descriptions of the seen classes, in scaled units.
    weights_ : array of shape (d_t, d_s)
    offsets_ : array of shape (d_s,)
        The description of an image is phi(x) weights_ + offsets_.
    objective_ : float
        The smallest value of the objective.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = Mahajan().fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.7)
    True
    """

    _solved_for = ("beta", "rho", "gamma")
    _fitted = ("descriptions_", "weights_", "offsets_", "objective_", "_psi", "_taken")
    default_grid: ClassVar[SmallGrid] = {
        "gamma": [0.1, 1.0, 10.0],
        "beta": [1.0, 10.0, 100.0],
        "rho": [0.3, 1.0, 3.0, 10.0],
    }

    def __init__(
        self,
        beta: float = 10.0,
        *,
        rho: float = 3.0,
        gamma: float = 1.0,
        scaling: Literal["auto"] | None = "auto",
    ) -> None:
        self.beta = beta
        self.rho = rho
        self.gamma = gamma
        self.scaling = scaling

    def map_descriptions(self, psi: Array) -> Array:
        """Return psi R (m, d_s) of descriptions psi (m, d_s) in scaled units."""
        return psi - (psi @ as_backend(self._psi, psi).T) @ as_backend(self._taken, psi)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("beta", "rho"):
            check_positive(getattr(self, name), name)

    def _learn(self, ridge: ClassRidge, psi: Array) -> None:
        xp, k = namespace(psi), psi.shape[0]
        identity = xp.eye(k, dtype=psi.dtype, device=psi.device)
        # I - K: how far each description moves towards what is predicted.
        moved = xp.linalg.solve(ridge.missed + self.beta / k * identity, ridge.missed)
        # R = I - S^T taken, by Woodbury's identity: there may be more attributes than classes.
        system = self.rho / self.beta * identity + moved @ psi @ psi.T
        self._psi, self._taken = psi, xp.linalg.solve(system, moved @ psi)
        mapped = self.map_descriptions(psi)
        self.descriptions_ = mapped - moved @ mapped
        self.weights_, self.offsets_ = ridge.weights @ self.descriptions_, ridge.offsets @ self.descriptions_
        # With A and R optimal, what remains is rho/k tr(I - R).
        self.objective_ = self.rho / k * float(xp.sum(psi * self._taken))

    def _scores_against(self, psi: Array) -> tuple[Array, Array]:
        unit = unit_rows(self.map_descriptions(psi)).T
        return self.weights_ @ unit, self.offsets_ @ unit

    def _contributions(self, phi: Array, psi: Array) -> Array:
        weights, offsets = convert_like(self.weights_, psi), convert_like(self.offsets_, psi)
        predicted = convert_like(phi, psi) @ weights + offsets[None, :]
        # R is symmetric, so that the score is a sum over attributes as they were given.
        return self.map_descriptions(predicted) * psi / lengths_or_one(self.map_descriptions(psi))
