"""The method of Qiao et al. against the paper's formulas, SciPy's Sylvester solver and a general optimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_sylvester
from scipy.optimize import minimize

from unseen.data import ClassTable
from unseen.models import Qiao
from unseen.models.closed_forms import noise_suppression
from unseen.models.closed_forms.noise_suppression import NoiseSuppression
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.utils.errors import InputError


class Slow:
    """The paper's letters and formulas: rows are columns of X, and descriptions are columns of Z."""

    def __init__(self, seed, n_classes=4, width=5, n_attributes=6, n=30):
        random = np.random.default_rng(seed)
        self.X = random.normal(size=(width, n))
        self.y = np.r_[np.arange(n_classes), random.integers(n_classes, size=n - n_classes)]
        self.Y = 1.0 * (self.y[:, None] == np.arange(n_classes))
        self.Z = random.normal(size=(n_attributes, n_classes))
        self.W_x = random.normal(size=(n_classes, width))
        self.lam1, self.lam2 = 10.0 ** random.uniform(-1, 1, size=2)

    @property
    def fast(self):
        products, counts = self.X @ self.X.T, self.Y.sum(axis=0)
        rows = ClassStatistics(counts, (self.X @ self.Y).T, products)
        return NoiseSuppression.of(rows, self.Z.T, self.lam1, self.lam2)

    def objective(self, W_x, W_z, s=0.0):
        V = W_x.T @ W_z @ self.Z
        lengths = np.sqrt((W_z**2).sum(axis=0) + s)
        return np.sum((self.X.T @ V - self.Y) ** 2) + self.lam1 * np.sum(V**2) + self.lam2 * lengths.sum()

    def reweight(self, W_x, D):
        """One Sylvester equation of the paper."""
        M = W_x @ self.X @ self.X.T @ W_x.T + self.lam1 * W_x @ W_x.T
        A = self.lam2 * np.linalg.inv(M)
        B = self.Z @ self.Z.T @ np.linalg.inv(D)
        C = A @ W_x @ self.X @ self.Y @ self.Z.T @ np.linalg.inv(D) / self.lam2
        return solve_sylvester(A, B, C)


@pytest.mark.parametrize("seed", range(3))
def test_W_z_solves_the_papers_equations(seed):
    slow = Slow(seed)
    W_z, lengths, s = slow.fast.find_W_z(slow.W_x, None, None)
    D = np.eye(len(slow.Z))
    for _ in range(noise_suppression.REWEIGHTINGS):
        expected = slow.reweight(slow.W_x, D)
        D = np.diag(1 / (2 * np.sqrt((expected**2).sum(axis=0) + s)))
    np.testing.assert_allclose(W_z, expected, atol=1e-8 * np.abs(expected).max())
    np.testing.assert_allclose(lengths, 1 / (2 * np.diag(D)))
    found, again = slow.fast.measure(slow.W_x, W_z, lengths), slow.objective(slow.W_x, W_z, s)
    assert found == pytest.approx(again, rel=1e-10)


def test_W_z_is_the_best(monkeypatch):
    monkeypatch.setattr(noise_suppression, "REWEIGHTINGS", 2000)
    slow = Slow(0)
    W_z, _, s = slow.fast.find_W_z(slow.W_x, None, None)
    value = slow.objective(slow.W_x, W_z, s)
    start = np.zeros(W_z.size) + 0.1
    best = minimize(lambda flat: slow.objective(slow.W_x, flat.reshape(W_z.shape), s), start, options={"maxiter": 500})
    assert value <= best.fun * (1 + 1e-6)


# Fewer attributes than classes, where the paper's inverse does not exist, and more.
@pytest.mark.parametrize("n_attributes", [3, 6])
def test_W_x_is_the_best(n_attributes):
    slow = Slow(1, n_attributes=n_attributes)
    W_z = np.random.default_rng(0).normal(size=(4, n_attributes))
    W_x = slow.fast.find_W_x(W_z)
    P = W_z @ slow.Z
    if n_attributes > 4:
        left = np.linalg.inv(slow.X @ slow.X.T + slow.lam1 * np.eye(5))
        paper = left @ slow.X @ slow.Y @ P.T @ np.linalg.inv(P @ P.T)
        np.testing.assert_allclose(W_x.T, paper, atol=1e-9 * np.abs(paper).max())
    best = minimize(lambda flat: slow.objective(flat.reshape(W_x.shape), W_z), np.zeros(W_x.size))
    assert slow.objective(W_x, W_z) <= best.fun * (1 + 1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 8))
def test_the_objective_never_increases(seed, n_classes, n_attributes):
    slow = Slow(seed, n_classes=n_classes, n_attributes=n_attributes)
    fast, W_x = slow.fast, slow.W_x
    W_z, lengths, s = fast.find_W_z(W_x, None, None)
    values = [fast.measure(W_x, W_z, lengths)]
    for _ in range(4):
        W_x = fast.find_W_x(W_z)
        values.append(fast.measure(W_x, W_z, lengths))
        W_z, lengths, _ = fast.find_W_z(W_x, lengths, s)
        values.append(fast.measure(W_x, W_z, lengths))
    assert np.all(np.diff(values) <= 1e-7 * values[0])


def test_a_larger_W_x_makes_the_penalty_vanish():
    slow = Slow(2)
    W_z, _, _ = slow.fast.find_W_z(slow.W_x, None, None)
    values = [slow.objective(c * slow.W_x, W_z / c) for c in (1.0, 10.0, 1e6)]
    slow.lam2 = 0.0
    assert values[0] > values[1] > values[2] == pytest.approx(slow.objective(slow.W_x, W_z), rel=1e-5)


def test_attributes_that_say_nothing_are_switched_off(data):
    # Numbers that have nothing to do with the classes, beside those that have.
    noise = np.random.default_rng(0).normal(size=(len(data.classes), 10))
    table = ClassTable(np.hstack([data.classes.vectors, noise]), data.classes.labels)
    model = Qiao(lam2=10.0, max_iter=1, random_state=0).fit(data.X_train, data.y_train, classes=table)
    lengths = model.attribute_lengths_
    assert lengths[:10].mean() > 2 * lengths[10:].mean()
    assert lengths.min() < 0.01 * lengths.max()


def test_rounds_stop_when_little_changes(data):
    def fit(**parameters):
        return Qiao(**parameters, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)

    assert fit(max_iter=7, tol=0.0).n_iter_ == len(fit(max_iter=7, tol=0.0).objective_) == 7
    assert fit(max_iter=7, tol=0.9).n_iter_ == 2
    assert fit(max_iter=1).n_iter_ == 1


def test_a_grid_agrees_with_single_fits(data):
    grid = [{"lam1": lam1, "lam2": 2.0, "max_iter": n} for lam1 in (0.1, 10.0) for n in (1, 3)]
    models = Qiao(random_state=0).fit_grid(data.X_train, data.y_train, data.classes, grid)
    for point, model in zip(grid, models, strict=True):
        single = Qiao(**point, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
        assert model.get_params() == single.get_params()
        np.testing.assert_array_equal(model.V_, single.V_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"lam1": 0}, "lam1 must be a finite number above 0, got 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, got 0"),
        ({"tol": -1}, "tol must be a finite number of at least 0, got -1"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence, data):
    with pytest.raises(InputError, match=sentence):
        Qiao(**parameters).fit(data.X_train, data.y_train, classes=data.classes)
