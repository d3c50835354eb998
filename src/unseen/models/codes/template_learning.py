"""The learning problem of SSE: rows, templates and codes, and the step that moves the templates."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unseen.features.descriptions.simplex import compute_simplex_codes
from unseen.models.codes.alignment_svm import AlignmentSVM, ClassConstraints, ImageConstraints
from unseen.models.codes.template_features import SLOPES, Embedding, SortedRows

Matrix = NDArray[np.floating[Any]]

# A step of the templates that does not lower the objective is halved at most so often.
HALVINGS = 4


@dataclass(frozen=True, eq=False)
class TemplateProblem:
    """Training rows compared with templates of their classes.

    Attributes
    ----------
    rows : SortedRows
    embedding : "intersection" or "relu"
    atoms : ndarray of shape (S, d_s)
        Descriptions of the seen classes.
    rivals : ndarray of shape (n,)
        The class that each row is compared with besides its own.
    templates, means : ndarrays of shapes (S, d) and (S, S, d)
        v_s, and the mean of phi_s(x) over the rows of each class; set by `with_templates`.
    codes : ndarray of shape (S, S)
        z_y in row y; set by `with_codes`.
    """

    rows: SortedRows
    embedding: Embedding
    atoms: NDArray[np.float64]
    rivals: NDArray[np.int64]
    templates: Matrix = field(default_factory=lambda: np.zeros((0, 0)))
    means: Matrix = field(default_factory=lambda: np.zeros((0, 0, 0)))
    codes: Matrix = field(default_factory=lambda: np.zeros((0, 0)))

    def with_templates(self, templates: Matrix) -> Self:
        """Return the problem with other templates."""
        return replace(self, templates=templates, means=self.rows.average_embedded(templates, self.embedding))

    def with_codes(self, gamma: float) -> Self:
        """Return the problem with codes whose length is penalised by gamma."""
        codes = compute_simplex_codes(self.atoms, self.atoms, float(gamma))
        return replace(self, codes=codes.astype(self.rows.X.dtype))

    @cached_property
    def margins(self) -> Matrix:
        """Return Delta(y, s) = 1 - c_y.c_s."""
        return (1 - self.atoms @ self.atoms.T).astype(self.rows.X.dtype)

    @cached_property
    def code_differences(self) -> Matrix:
        """Return z_y - z_c for every row of class y and its rival c."""
        return np.asarray(self.codes[self.rows.y] - self.codes[self.rivals])

    @cached_property
    def image_features(self) -> Matrix:
        """Return the sum over s of (z_y - z_c)_s phi_s(x) for every row."""
        return self.rows.mix_embedded(self.templates, self.embedding, self.code_differences)


@dataclass(frozen=True)
class TemplateObjective:
    """What is minimised over w and the templates, with the weights of its parts."""

    lambda_1: float
    lambda_2: float
    lambda_3: float

    def make_machine(self, problem: TemplateProblem) -> AlignmentSVM:
        """Return the support vector machine for w; constraints of weight 0 are left out."""
        classes = images = None
        if self.lambda_2:
            classes = ClassConstraints(problem.means, problem.codes, problem.margins, self.lambda_2)
        if self.lambda_3:
            margins = problem.margins[problem.rows.y, problem.rivals]
            images = ImageConstraints(problem.image_features, margins, self.lambda_3)
        return AlignmentSVM(classes, images)

    def measure(self, problem: TemplateProblem, w: NDArray[np.float64]) -> float:
        """Return the objective without 1/2 |w|^2."""
        lengths = float(np.sum(problem.templates.astype(np.float64) ** 2))
        return self.lambda_1 / 2 * lengths + self.make_machine(problem).measure_slacks(w)[0]

    def move_templates(
        self, problem: TemplateProblem, w: NDArray[np.float64], step: float
    ) -> tuple[TemplateProblem, float]:
        """Take a step that lowers the objective; return where it leads, or the same problem, and its length."""
        before, direction = self.measure(problem, w), self.find_direction(problem, w)
        spread = float(np.sqrt(np.mean((problem.templates - problem.templates.mean(axis=0)) ** 2)))
        size = float(np.sqrt(np.mean(direction**2)))
        for _ in range(HALVINGS + 1 if size > 0 else 0):
            ahead = np.maximum(problem.templates - step * spread / size * direction, 0)
            moved = problem.with_templates(ahead)
            if self.measure(moved, w) < before:
                return moved, step
            step /= 2
        return problem, step

    def find_direction(self, problem: TemplateProblem, w: NDArray[np.float64]) -> Matrix:
        """Return a subgradient of the objective by the templates."""
        machine, rows = self.make_machine(problem), problem.rows
        weights = np.zeros((len(rows.y), len(problem.templates)), dtype=rows.X.dtype)
        w = w.astype(rows.X.dtype)
        if machine.classes is not None:
            weights += (machine.classes.measure(w)[1] / rows.counts[:, None])[rows.y]
        if machine.images is not None:
            weights += machine.images.measure(w)[1][:, None] * problem.code_differences
        exceeding = rows.add_up_exceeding(problem.templates, weights)
        return self.lambda_1 * problem.templates + SLOPES[problem.embedding] * w * exceeding
