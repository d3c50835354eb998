"""Mahajan's model against minimising its objective block by block, on the rows."""

import numpy as np
import pytest

from unseen.data import ZeroShotDataset
from unseen.models import Mahajan
from unseen.selection.grid import fit_grid
from unseen.utils.errors import InputError


class Alternation:
    """The objective as it is written, and the best W and b, A or R given the others."""

    def __init__(self, model: Mahajan, data: ZeroShotDataset) -> None:
        self.labels, self.y = np.unique(data.y_train, return_inverse=True)
        self.phi = model._feature_scaling.apply(data.X_train)
        self.S = model._description_scaling.apply(data.classes.select(self.labels).vectors)
        (self.n, self.d), (self.k, self.width) = self.phi.shape, self.S.shape
        self.gamma = model.gamma * self.phi.var(axis=0).mean()
        self.beta, self.rho = model.beta, model.rho
        self.A, self.R = self.S.copy(), np.eye(self.width)
        self.find_predictors()

    def objective(self) -> float:
        total = self.gamma * (self.W**2).sum()
        for row, label in zip(self.phi, self.y, strict=True):
            total += ((row @ self.W + self.b - self.A[label]) ** 2).sum() / self.n
        total += self.beta / self.k * ((self.A - self.S @ self.R) ** 2).sum()
        return total + self.rho / self.k * ((self.R - np.eye(self.width)) ** 2).sum()

    def find_predictors(self) -> None:
        wide = np.column_stack([self.phi, np.ones(self.n)])
        penalty = np.diag([self.gamma * self.n] * self.d + [0.0])
        solution = np.linalg.solve(wide.T @ wide + penalty, wide.T @ self.A[self.y])
        self.W, self.b = solution[:-1], solution[-1]

    def find_descriptions(self) -> None:
        for at in range(self.k):
            own = self.phi[self.y == at] @ self.W + self.b
            pull, mapped = self.beta / self.k, self.S[at] @ self.R
            self.A[at] = (own.sum(axis=0) / self.n + pull * mapped) / (len(own) / self.n + pull)

    def find_map(self) -> None:
        left = self.beta * self.S.T @ self.S + self.rho * np.eye(self.width)
        self.R = np.linalg.solve(left, self.beta * self.S.T @ self.A + self.rho * np.eye(self.width))


@pytest.mark.parametrize(("beta", "rho"), [(10.0, 3.0), (1.0, 10.0)])
def test_minimising_in_turn_lowers_the_objective_to_the_solution(beta, rho, data):
    model = Mahajan(beta, rho=rho).fit(data.X_train, data.y_train, classes=data.classes)
    slow = Alternation(model, data)
    values = [slow.objective()]
    for turn in range(400):
        for step in (slow.find_descriptions, slow.find_map, slow.find_predictors):
            step()
            if turn < 5:
                values.append(slow.objective())
    assert (np.diff(values) < 0).all()
    assert values[-1] > model.objective_
    assert slow.objective() == pytest.approx(model.objective_, rel=1e-6)
    np.testing.assert_allclose(model.descriptions_, slow.A, atol=1e-4)
    np.testing.assert_allclose(model.weights_, slow.W, atol=1e-3)
    np.testing.assert_allclose(model.map_descriptions(np.eye(slow.width)), slow.R, atol=1e-4)


def test_at_any_price_it_is_ridge_regression_of_the_given_descriptions(data):
    model = Mahajan(1e9, rho=1e9).fit(data.X_train, data.y_train, classes=data.classes)
    slow = Alternation(model, data)
    np.testing.assert_allclose(model.descriptions_, slow.S, atol=1e-6)
    np.testing.assert_allclose(model.weights_, slow.W, atol=1e-6)
    np.testing.assert_allclose(model.map_descriptions(slow.S), slow.S, atol=1e-6)


def test_an_attribute_that_images_do_not_show_is_taken_away(data):
    noise = np.random.default_rng(0).normal(size=(len(data.classes), 1)) * data.classes.vectors.std() * 2
    table = type(data.classes)(np.column_stack([data.classes.vectors, noise]), data.classes.labels)
    model = Mahajan(rho=1.0).fit(data.X_train, data.y_train, classes=table)
    kept = np.diag(model.map_descriptions(np.eye(table.width)))
    assert kept[-1] == kept.min()


def test_more_attributes_than_classes(data):
    few = np.isin(data.y_train, data.seen_classes[:5])
    model = Mahajan().fit(data.X_train[few], data.y_train[few], classes=data.classes)
    assert np.isfinite(model.decision_function(data.X_test_unseen, data.unseen_table)).all()
    assert 0 < model.objective_ < 1


@pytest.mark.parametrize("name", ["beta", "rho", "gamma"])
def test_bad_parameters_get_a_sentence(name, data):
    with pytest.raises(InputError, match=f"{name} must be a finite number above 0"):
        Mahajan(**{name: 0}).fit(data.X_train, data.y_train, classes=data.classes)


def test_a_grid_shares_the_rows(data):
    points = [{"gamma": g, "beta": beta, "rho": rho} for g in (0.1, 10.0) for beta in (1, 100.0) for rho in (1.0, 30.0)]
    found = fit_grid(Mahajan(), data.X_train, data.y_train, data.classes, points)
    for model, point in zip(found, points, strict=True):
        alone = Mahajan(**point).fit(data.X_train, data.y_train, classes=data.classes)
        scores = [one.decision_function(data.X_test_unseen, data.classes) for one in (model, alone)]
        np.testing.assert_allclose(*scores, rtol=1e-6, atol=1e-9)
