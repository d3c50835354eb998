"""SSE (Zhang & Saligrama, ICCV 2015): semantic similarity embedding."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, ClassVar, Literal, Self

import numpy as np

from unseen.features import Rows
from unseen.features.descriptions.simplex import compute_simplex_codes
from unseen.features.reading.class_means import compute_class_means
from unseen.models.base import Classes, ScoreFunction, SmallGrid
from unseen.models.codes.code_contributions import share_among_attributes
from unseen.models.codes.template_features import SLOPES, Embedding, SortedRows, embed, split_signs
from unseen.models.codes.template_learning import TemplateObjective, TemplateProblem
from unseen.models.weights import CountsRowsOnce
from unseen.selection.grid import Point, clone_at_point, group_runs
from unseen.utils.arrays import Array, as_backend, convert_like, cut_row_blocks, namespace, to_cpu, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice
from unseen.utils.validation import check_non_negative, check_positive, check_whole_number, make_random_stream

# The class-level features of learning may take this much memory.
MOST_BYTES = 2**30

# The cutting planes stop here even if the duality gap is still larger than `tol`.
MAX_ROUNDS = 200


class SSE(CountsRowsOnce):
    """Describe classes as mixtures of seen classes, and images by how they compare with a template of each of these.

    As in the paper, a class with description c has the code z = argmin gamma/2 |a|^2 + 1/2 |c - sum_s a_s c_s|^2 over
    a >= 0 with sum 1 (Eq. 3). An image x is compared with the template v_s of every seen class s by <w, phi_s(x)>,
    where phi_s(x) is min(x, v_s) ("intersection") or max(0, x - v_s) ("relu"). The score is
    f(x, y) = sum_s z_ys <w, phi_s(x)>. Learning (Eq. 7 to 9) minimises

        1/2 |w|^2 + lambda_1/2 sum_s |v_s|^2 + lambda_2 sum_ys eps_ys + lambda_3 sum_i xi_i

    where the slacks eps are those of class alignment, mean over class y of f(x, y) - f(x, s) >= Delta(y, s) - eps_ys,
    and the slacks xi those of images, f(x_i, y_i) - f(x_i, c) >= Delta(y_i, c) - xi_i, with Delta(y, s) = 1 - c_y.c_s.
    Templates start at the class means. A support vector machine for w and a step of the templates by the subgradient,
    kept only if the objective falls, alternate. While `fit_grid` goes through a grid, the templates stay at the class
    means, as they do in the paper's cross-validation.

    What is ours. Each image has one constraint, against a random other seen class, as in the authors' demonstration
    for AwA (which draws it from all classes, unseen ones too; the paper has one constraint for every class). The
    machine is solved by cutting planes to a relative duality gap of `tol`. The paper gives no length of the template
    steps; see `step`. Features must not be negative. Where some are, after scaling, the positive and the negative parts
    of all columns are taken side by side, max(0, x) and max(0, -x), which doubles their number. This is so after the
    centring of scaling="auto"; non-negative features and scaling=None are the paper's.

    The codes sum to 1, and min(x, v) = x - max(0, x - v), so "intersection" with w and "relu" with -w differ by <w, x>,
    which is the same for all classes: the two are one model, and learn the same decisions. The paper's numbers for them
    differ (71.5 and 76.3 on AwA), so something else in its experiments must have differed too. By the same identity
    only x - v_s matters, and a feature that is below the templates of all classes counts for nothing.

    Training converts features of other array libraries to NumPy and reads them into memory. Prediction stays in the
    library of the features. The model does not take sample weights.

    Parameters
    ----------
    embedding : "relu" (default) or "intersection"
        SSE-ReLU or SSE-INT.
    gamma : float, default 1.0
        Penalty on long codes. Codes of seen classes are nearly unit vectors at 0.001 and nearly uniform at 10.
    lambda_1 : float, default 1e-4
        Weight of the templates' lengths.
    lambda_2 : float, default 100.0
        Weight of the class alignment constraints; 0 leaves them out.
    lambda_3 : float, default 0.0
        Weight of the image constraints; 0 leaves them out.
    max_iter : int, default 3
        Number of times that w is learned. With 1 the templates stay at the class means.
    step : float, default 0.01
        Length of the first step of the templates, relative to their spread (root mean square around their mean). A step
        that fails is halved, and so are those after it.
    tol : float, default 0.01
        Duality gap, relative to the objective, at which the support vector machine is solved.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`. The paper scales descriptions to length 1 without centring them.
    random_state : int, RandomState or None
        Random seed for the classes that images are compared with.

    Attributes
    ----------
    signed_ : bool
        Whether scaled features had negative values, so that d below is 2 d_t instead of d_t.
    w_ : array of shape (d,)
    templates_ : array of shape (n_seen, d)
        v_s, in scaled units.
    atoms_ : array of shape (n_seen, d_s)
        Descriptions of the seen classes, of which codes are mixtures, in scaled units.
    objective_ : list of float
        The objective after each time that w was learned.
    n_iter_ : int
        Number of times that w was learned.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> data = load_dataset("digit-pairs")
    >>> model = SSE(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    >>> bool((labels == data.y_test_unseen).mean() > 0.5)
    True
    """

    _has_offsets = True  # a constant column would be equal to its template in every row
    _fitted = ("signed_", "w_", "templates_", "atoms_", "objective_", "n_iter_")
    default_grid: ClassVar[SmallGrid] = {
        "gamma": [1.0, 10.0],
        "lambda_2": [10.0, 100.0, 1000.0],
        "lambda_3": [0.0, 100.0],
    }

    def __init__(
        self,
        embedding: Embedding = "relu",
        *,
        gamma: float = 1.0,
        lambda_1: float = 1e-4,
        lambda_2: float = 100.0,
        lambda_3: float = 0.0,
        max_iter: int = 3,
        step: float = 0.01,
        tol: float = 0.01,
        scaling: Literal["auto"] | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.embedding = embedding
        self.gamma = gamma
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.lambda_3 = lambda_3
        self.max_iter = max_iter
        self.step = step
        self.tol = tol
        self.scaling = scaling
        self.random_state = random_state

    def fit_grid(self, X: Array, y: Any, classes: Classes, points: Sequence[Point]) -> Iterator[Self]:
        """Yield the model at each point, with templates at the class means; see `unseen.selection.GridFitter`.

        The class-level features are computed once for all values of `gamma`, `lambda_2` and `lambda_3`.
        """
        for common, others in group_runs(points, lambda name: name in ("gamma", "lambda_2", "lambda_3")):
            unsolved = _UnsolvedSSE(**clone_at_point(self, common).get_params()).fit(X, y, classes)
            problem_at = lru_cache(maxsize=1)(unsolved.code_classes)
            for other in others:
                model = clone_at_point(self, common | other)
                model._check_parameters()
                model.__dict__.update(unsolved.copy_all_but_problem())
                model._learn(problem_at(model.gamma), max_iter=1)
                yield model

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        self._check_parameters()
        self._learn(self._pose(phi, y, psi).with_codes(self.gamma), self.max_iter)

    def _check_parameters(self) -> None:
        check_choice(self.embedding, tuple(SLOPES), "embedding")
        for name in ("gamma", "step", "tol"):
            check_positive(getattr(self, name), name)
        for name in ("lambda_1", "lambda_2", "lambda_3"):
            check_non_negative(getattr(self, name), name)
        check_whole_number(self.max_iter, "max_iter", minimum=1)
        if self.lambda_2 == self.lambda_3 == 0:
            raise InputError("lambda_2 and lambda_3 are both 0, which leaves nothing to learn from: give one of them")

    def _pose(self, phi: Rows, y: Array, psi: Array) -> TemplateProblem:
        """Sort the rows, draw a rival class for each, and compare classes with templates at their means."""
        n_classes, X, atoms = psi.shape[0], to_cpu(phi[:], f"{type(self).__name__} learns"), to_numpy(psi)
        self.signed_ = bool((X < 0).any())
        X = split_signs(X) if self.signed_ else X
        _refuse_too_large(n_classes, X.shape[1], X.itemsize)
        rows = SortedRows.of(X, to_numpy(y), n_classes)
        away = make_random_stream(self.random_state).randint(1, n_classes, len(rows.y))
        templates = compute_class_means(rows.X, rows.y, n_classes).astype(X.dtype)
        self.atoms_ = as_backend(atoms, psi)
        return TemplateProblem(rows, self.embedding, atoms, (rows.y + away) % n_classes).with_templates(templates)

    def _learn(self, problem: TemplateProblem, max_iter: int) -> None:
        """Learn w, then in turns move the templates and learn w again."""
        objective = TemplateObjective(self.lambda_1, self.lambda_2, self.lambda_3)
        w, step = np.zeros(problem.rows.X.shape[1]), self.step
        self.objective_ = []
        for turn in range(max_iter):
            if turn:
                moved, step = objective.move_templates(problem, w, step)
                if moved is problem:
                    break
                problem = moved
            w = objective.make_machine(problem).solve(w, self.tol, MAX_ROUNDS)
            self.objective_.append(float(w @ w) / 2 + objective.measure(problem, w))
        self.n_iter_ = len(self.objective_)
        self.w_, self.templates_ = as_backend(w, self.atoms_), as_backend(problem.templates, self.atoms_)

    def _scores_against(self, psi: Array) -> ScoreFunction:
        codes = compute_simplex_codes(to_numpy(psi), to_numpy(self.atoms_), float(self.gamma))
        return lambda phi: self._compare(phi) @ convert_like(codes.T, phi)

    def _compare(self, phi: Array) -> Array:
        """Return <w, phi_s(x)> for every row and seen class s."""
        blocks = cut_row_blocks(phi.shape[0], 8 * self.w_.shape[0])
        return namespace(phi).concat([self._compare_block(phi[rows, :]) for rows in blocks])

    def _compare_block(self, phi: Array) -> Array:
        phi = split_signs(phi) if self.signed_ else phi
        w, templates = convert_like(self.w_, phi), convert_like(self.templates_, phi)
        columns = [embed(phi, templates[s : s + 1, :], self.embedding) @ w for s in range(len(self.classes_))]
        return namespace(phi).stack(columns, axis=1)

    def _contributions(self, phi: Array, psi: Array) -> Array:
        worth = to_numpy(self._compare(phi)).astype(np.float64)
        parts = share_among_attributes(worth, to_numpy(psi), to_numpy(self.atoms_), float(self.gamma))
        return as_backend(parts, psi)


class _UnsolvedSSE(SSE):
    """SSE fitted except for what depends on gamma and the weights of the constraints."""

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        self._check_parameters()
        self.problem = self._pose(phi, y, psi)

    def code_classes(self, gamma: float) -> TemplateProblem:
        return self.problem.with_codes(gamma)

    def copy_all_but_problem(self) -> dict[str, Any]:
        """Copy the fitted attributes except the problem."""
        apart = {"problem", *self.get_params()}
        return deepcopy({name: value for name, value in vars(self).items() if name not in apart})


def _refuse_too_large(n_classes: int, width: int, itemsize: int) -> None:
    needed = n_classes**2 * width * itemsize
    if needed > MOST_BYTES:
        raise InputError(
            f"X has {n_classes} classes, each to be compared with templates of {width} numbers, which takes "
            f"{needed / 2**30:.1f} GiB: reduce X to a quarter of its columns or fewer, as by Prepared(SSE(), "
            "features=PCA(300)), or give it in single precision"
        )
