"""Base class of models that learn from the regression of class membership and the descriptions alone."""

from abc import abstractmethod

from unseen.features import Rows
from unseen.models.attributes.machines.class_ridge import ClassRidge, Memberships, MembershipSpectrum
from unseen.models.closed_forms.closed_form import ClosedForm
from unseen.utils.arrays import Array
from unseen.utils.validation import check_positive

# The sums over the rows, and the descriptions of the seen classes.
Problem = tuple[Memberships | MembershipSpectrum, Array]


class LearnsFromMemberships(ClosedForm):
    """A model with a ridge `gamma`, which learns in `_learn`; a grid diagonalises the covariance of the features once.

    Parameters
    ----------
    gamma : float
        Strength of the ridge regression, in units of the mean variance of a feature.
    """

    gamma: float
    _has_offsets = True

    @abstractmethod
    def _learn(self, ridge: ClassRidge, psi: Array) -> None:
        """Set the fitted attributes, given the regression and the descriptions psi (k, d_s) of the seen classes."""

    def _check_parameters(self) -> None:
        check_positive(self.gamma, "gamma")

    def _pose(self, phi: Rows, y: Array, psi: Array, weights: Array | None) -> Problem:
        return Memberships.of(phi, y, psi.shape[0], weights), psi

    def _share(self, problem: Problem) -> Problem:
        memberships, psi = problem
        return (memberships.diagonalise() if isinstance(memberships, Memberships) else memberships), psi

    def _solve(self, problem: Problem) -> None:
        memberships, psi = problem
        self._learn(memberships.solve(self.gamma), psi)
