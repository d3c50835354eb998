"""GaussianJFA against its definition: full matrices, explicit maximisation, refitting."""

import numpy as np
import pytest
from gaussian_problems import Problem, models, problems
from hypothesis import given, settings
from scipy.optimize import minimize

from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.features import Rows
from unseen.models import JFA, GaussianJFA
from unseen.models.densities.gaussian_classes import find_posterior_means
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.models.exemplars.description_regression import DescriptionKernel, DescriptionRegression
from unseen.utils import arrays
from unseen.utils.errors import InputError

FIXED = {"width": 1.0, "ridge": 0.1, "within_shrinkage": 1.0, "between_shrinkage": 0.5}
few = settings(max_examples=25, deadline=None)


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 14, "n_unseen": 6, "n_features": 12, "n_attributes": 8, "n_per_class": 9}
    return make_zero_shot(**sizes, n_test_per_class=8, noise=1.5, random_state=0)


def open_up(model: GaussianJFA, table: ClassTable):
    """Return S_w, S_b and the class means of candidates as full matrices in the space of scaled features."""
    fitted = model.gaussians_
    within = model.statistics_.within_shrunk(model.choice_.shape.within_shrinkage)
    back = within @ fitted.axes
    between = (back * fitted.rho) @ back.T + fitted.elsewhere * (within - back @ back.T)
    means = fitted.predict_means(model._scale_descriptions(table, model._feature_scaling.mean))
    return within, between, fitted.centre + means @ back.T


def maximise(phi, m, within, between) -> tuple[float, np.ndarray]:
    """Maximise log N(phi; mu, S_w) + log N(mu; m, S_b), up to constants, over mu, by a general optimiser."""
    within, between = np.linalg.inv(within), np.linalg.inv(between)

    def loss(mu):
        one, two = phi - mu, mu - m
        return (one @ within @ one + two @ between @ two) / 2, between @ two - within @ one

    found = minimize(loss, phi, jac=True, method="BFGS", options={"gtol": 1e-10, "maxiter": 500})
    return -found.fun, found.x


@few
@given(problems(), models())
def test_the_space_of_the_classes_is_what_it_says(problem: Problem, model: GaussianJFA) -> None:
    problem.fit(model)
    within, between, _ = open_up(model, problem.table)
    axes, rho = model.gaussians_.axes, model.gaussians_.rho
    np.testing.assert_allclose(axes.T @ within @ axes, np.eye(len(rho)), atol=1e-8)
    np.testing.assert_allclose(axes.T @ between @ axes, np.diag(rho), atol=1e-8 * max(1, rho.max()))


@few
@given(problems(), models())
def test_scores_are_those_of_the_density_with_full_matrices(problem: Problem, model: GaussianJFA) -> None:
    problem.fit(model)
    within, between, means = open_up(model, problem.table)
    phi = model._feature_scaling.apply(problem.X)
    apart = phi[:, None, :] - means[None, :, :]
    expected = -np.einsum("ncd,de,nce->nc", apart, np.linalg.inv(within + between), apart) / 2
    scores = model.decision_function(problem.X, classes=problem.table)
    # A term of each row is left out.
    one, two = (part - part[:, :1] for part in (scores, expected))
    np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-6 * np.abs(two).max())


def test_scores_and_displacements_are_those_of_the_explicit_maximum(data: ZeroShotDataset) -> None:
    model = GaussianJFA(**FIXED).fit(data.X_train, data.y_train, classes=data.seen_table)
    assert model.seen_penalty_ > 0
    table = data.unseen_table
    within, between, means = open_up(model, table)
    X = data.X_test_unseen[:4]
    phi = model._feature_scaling.apply(X)
    found = [[maximise(row, mean, within, between) for mean in means] for row in phi]
    scores = model.decision_function(X, classes=table)
    best = np.array([[value for value, _ in pairs] for pairs in found])
    np.testing.assert_allclose(scores - scores[:, :1], best - best[:, :1], atol=1e-5)
    for at, label in enumerate(table.labels):
        displaced = model.adapt(X, np.repeat(label, len(X)), classes=table)
        expected = model._feature_scaling.undo(np.array([pairs[at][1] for pairs in found]))
        np.testing.assert_allclose(displaced.z_t, expected, atol=1e-4)


@few
@given(problems(), models())
def test_displacements_follow_the_formula(problem: Problem, model: GaussianJFA) -> None:
    problem.fit(model)
    within, between, means = open_up(model, problem.table)
    phi, m = model._feature_scaling.apply(problem.X), means[problem.y]
    expected = m + (phi - m) @ np.linalg.solve(within + between, between)
    found = model.adapt(problem.X, problem.y)
    assert np.isfinite(found.z_s).all()
    size = np.abs(problem.X).max()
    np.testing.assert_allclose(found.z_t, model._feature_scaling.undo(expected), rtol=1e-6, atol=1e-6 * size)


# The regression


@few
@given(problems(), models())
def test_predictions_for_classes_left_out_are_those_of_a_fit_without_them(problem: Problem, model: GaussianJFA) -> None:
    random = np.random.default_rng(0)
    psi, means = problem.table.vectors, random.standard_normal((len(problem.table), 3))
    ridge = model.ridge * random.uniform(0.5, 2.0, len(psi))
    kernel = DescriptionKernel.fit(model.kernel, model.width, psi)
    left_out = DescriptionRegression.fit(kernel, psi, means, ridge).left_out
    for at in range(len(psi)):
        others = np.delete(np.arange(len(psi)), at)
        without = DescriptionRegression.fit(kernel, psi[others], means[others], ridge[others])
        np.testing.assert_allclose(left_out[at], without.predict(psi[at : at + 1])[0], rtol=1e-6, atol=1e-6)


@few
@given(problems(), models())
def test_the_gradient_is_that_of_finite_differences(problem: Problem, model: GaussianJFA) -> None:
    problem.fit(model)
    regression = model.gaussians_.regression
    psi, step = regression.psi[:2] + 0.3, 1e-6
    directions = np.random.default_rng(0).standard_normal((2, regression.alpha.shape[1]))
    found = regression.pull_back(psi, directions)
    for at in range(psi.shape[1]):
        moved = step * (np.arange(psi.shape[1]) == at)
        ends = [np.sum(directions * regression.predict(psi + sign * moved), axis=1) for sign in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(found[:, at], slope, rtol=1e-4, atol=1e-4 * max(1, np.abs(found).max()))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_offset_and_scale_of_descriptions_do_not_matter(kernel, data: ZeroShotDataset) -> None:
    scores = []
    for scale, offset in ((1.0, 0.0), (50.0, 1000.0)):
        table = ClassTable(scale * data.classes.vectors + offset, data.classes.labels)
        model = GaussianJFA(kernel, **FIXED, scaling=None).fit(data.X_train, data.y_train, classes=table)
        scores.append(model.decision_function(data.X_test_seen, classes=table))
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-5, atol=1e-5 * np.abs(scores[0]).max())


# Statistics


@few
@given(problems(), models())
def test_posterior_means_are_those_of_gaussians(problem: Problem, model: GaussianJFA) -> None:
    problem.fit(model)
    fitted = model.gaussians_
    z = fitted.apply(model._feature_scaling.apply(problem.X))
    for label in range(problem.n_seen):
        rows = z[problem.y == label]
        precision = 1 / fitted.rho + len(rows)
        expected = (fitted.regression.left_out[label] / fitted.rho + rows.sum(axis=0)) / precision
        np.testing.assert_allclose(fitted.means[label], expected, rtol=1e-6, atol=1e-6 * np.abs(z).max())


def test_posterior_means_between_nothing_and_certainty() -> None:
    predicted, observed = np.array([[1.0, 2.0]]), np.array([[3.0, 6.0]])
    for count, expected in ((0, [1.0, 2.0]), (1, [2.0, 5.0]), (1e9, [3.0, 6.0])):
        found = find_posterior_means(predicted, observed, np.array([[count]]), np.array([1.0, 3.0]))
        np.testing.assert_allclose(found, [expected], rtol=1e-6)


@few
@given(problems())
def test_statistics_in_blocks_are_those_of_all_rows(problem: Problem) -> None:
    weights = np.random.default_rng(0).integers(1, 4, len(problem.y)).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "BLOCK_BYTES", 200)
        found = ClassStatistics.of(Rows(problem.X), problem.y, problem.n_seen, weights)
    X, y = np.repeat(problem.X, weights.astype(int), axis=0), np.repeat(problem.y, weights.astype(int))
    apart = X - np.array([X[y == label].mean(axis=0) for label in range(problem.n_seen)])[y]
    np.testing.assert_allclose(found.counts, np.bincount(y))
    np.testing.assert_allclose(found.products, X.T @ X, atol=1e-9)
    np.testing.assert_allclose(found.within, apart.T @ apart / (len(y) - problem.n_seen), atol=1e-9)


@few
@given(problems(), models())
def test_rows_in_pieces_are_rows_at_once(problem: Problem, model: GaussianJFA) -> None:
    model.scaling = None  # otherwise the first piece decides it
    whole = problem.fit(model).decision_function(problem.X, classes=problem.table)
    order = np.random.default_rng(1).permutation(len(problem.y))
    first = np.union1d(np.unique(problem.y[order], return_index=True)[1][:2], np.arange(len(order) // 2))
    pieces = [order[first], np.setdiff1d(order, order[first])]
    other = GaussianJFA(**model.get_params())
    for rows in pieces:
        if len(rows):
            other.partial_fit(problem.X[rows], problem.y[rows], classes=problem.table)
    np.testing.assert_array_equal(other.classes_, model.classes_)
    in_pieces = other.decision_function(problem.X, classes=problem.table)
    np.testing.assert_allclose(in_pieces, whole, rtol=1e-6, atol=1e-6 * np.abs(whole).max())


def test_weights_are_repeated_rows_when_learning_goes_on(data: ZeroShotDataset) -> None:
    times = np.arange(len(data.y_test_unseen)) % 3 + 1
    one, two = (
        GaussianJFA(**FIXED).fit(data.X_train, data.y_train, classes=data.classes) for _ in ("weighted", "repeated")
    )
    one.partial_fit(data.X_test_unseen, data.y_test_unseen, sample_weight=times)
    two.partial_fit(np.repeat(data.X_test_unseen, times, axis=0), np.repeat(data.y_test_unseen, times))
    scores = two.decision_function(data.X, classes=data.classes)
    np.testing.assert_allclose(one.decision_function(data.X, classes=data.classes), scores, rtol=1e-8, atol=1e-8)


def test_learning_goes_on_in_another_library(data: ZeroShotDataset) -> None:
    torch = pytest.importorskip("torch")
    here, there = (GaussianJFA(**FIXED).fit(data.X_train, data.y_train, classes=data.classes) for _ in range(2))
    here.partial_fit(data.X_test_unseen, data.y_test_unseen)
    there.partial_fit(torch.asarray(data.X_test_unseen), data.y_test_unseen)
    scores = here.decision_function(data.X, classes=data.classes)
    np.testing.assert_allclose(there.decision_function(data.X, classes=data.classes), scores, rtol=1e-8, atol=1e-8)


# Odd data


@pytest.mark.parametrize("counts", [[1] * 9, [1, *[20] * 8], [2, 40, 3, 1, 1, 7, 30, 5, 9]])
@pytest.mark.parametrize("shrinkage", [0.0, 0.5, 1.0])
def test_few_and_unequal_rows(counts, shrinkage) -> None:
    random = np.random.default_rng(0)
    table = ClassTable(random.standard_normal((12, 4)), np.arange(12))
    y = np.repeat(np.arange(9), counts)
    X = (3 * table.vectors @ random.standard_normal((4, 6)))[y] + random.standard_normal((len(y), 6))
    model = GaussianJFA(between_shrinkage=shrinkage).fit(X, y, classes=table)
    assert np.isfinite(model.seen_penalty_)
    assert np.isfinite(model.decision_function(X, classes=table)).all()
    assert np.isfinite(model.adapt(X, y).z_s).all()
    assert np.mean(model.predict(X) == y) > 0.6


def test_rows_of_new_classes_help_from_the_first_on() -> None:
    random = np.random.default_rng(0)
    table = ClassTable(random.standard_normal((40, 6)), np.arange(40))
    # Descriptions tell half of where a class is.
    means = table.vectors @ random.standard_normal((6, 20)) / 6**0.5 + random.standard_normal((40, 20))
    y = np.repeat(np.arange(40), 40)
    X = means[y] + 2 * random.standard_normal((len(y), 20))
    rank, unseen = np.tile(np.arange(40), 40), np.arange(30, 40)
    model = GaussianJFA(**FIXED).fit(X[y < 30], y[y < 30], classes=table)
    tested = (y >= 30) & (rank > 2)
    accuracies = []
    for new in ((), (0,), (1, 2)):
        rows = (y >= 30) & np.isin(rank, new)
        if rows.any():
            model.partial_fit(X[rows], y[rows])
        accuracies.append(np.mean(model.predict(X[tested], classes=unseen) == y[tested]))
    assert accuracies[0] < accuracies[1] < accuracies[2]


def test_one_noisy_row_of_a_class_does_not_spoil_what_is_known_of_the_others(data: ZeroShotDataset) -> None:
    model = GaussianJFA(**FIXED).fit(data.X_train, data.y_train, classes=data.classes)
    before = model.gaussians_.rho.mean()
    first = [np.flatnonzero(data.y_test_unseen == label)[0] for label in data.unseen_classes]
    model.partial_fit(data.X_test_unseen[first], data.y_test_unseen[first])
    assert model.gaussians_.rho.mean() == pytest.approx(before, rel=0.3)


# Seen classes


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_contributions_sum_to_the_score_of_seen_classes_too(kernel, data: ZeroShotDataset) -> None:
    model = GaussianJFA(kernel, **FIXED).fit(data.X_train, data.y_train, classes=data.classes)
    y = data.y[np.random.default_rng(0).permutation(len(data.y))]
    scores = model.decision_function(data.X, classes=data.classes)[np.arange(len(y)), data.classes.index_of(y)]
    np.testing.assert_allclose(model.contributions(data.X, y).sum(axis=1), scores, rtol=1e-8, atol=1e-8)


def test_the_penalty_matters_only_where_seen_and_unseen_classes_meet(data: ZeroShotDataset) -> None:
    model = GaussianJFA(**FIXED).fit(data.X_train, data.y_train, classes=data.classes)
    free = GaussianJFA(**FIXED).fit(data.X_train, data.y_train, classes=data.classes)
    free.class_penalties_ = 0 * free.class_penalties_
    for alone in (data.seen_classes, data.unseen_classes):
        one, two = (asked.predict_proba(data.X, classes=alone) for asked in (model, free))
        np.testing.assert_allclose(one, two, atol=1e-9)
    together = [
        np.isin(asked.predict(data.X, classes=data.classes), data.seen_classes).sum() for asked in (model, free)
    ]
    assert together[0] < together[1]


def test_a_class_loses_as_much_of_the_penalty_as_it_has_rows(data: ZeroShotDataset) -> None:
    model = GaussianJFA(**FIXED).fit(data.X_train, data.y_train, classes=data.classes)
    label = data.unseen_classes[0]
    at = np.searchsorted(np.sort([*data.seen_classes, label]), label)
    rows = np.flatnonzero(data.y_test_unseen == label)
    lost = []
    for _ in range(3):
        model.partial_fit(data.X_test_unseen[rows], data.y_test_unseen[rows])
        others = np.delete(model.class_penalties_, at)
        np.testing.assert_allclose(others, model.seen_penalty_)
        lost.append(model.class_penalties_[at])
    assert 0 < lost[0] < lost[1]
    assert lost[2] == pytest.approx(model.seen_penalty_)


# Reading and choosing


def test_without_scaling_rows_are_read_once(data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    original = Rows.add_up

    def counted(self, function, y, work_columns, *more):
        read.append(len(y))
        return original(self, function, y, work_columns, *more)

    monkeypatch.setattr(Rows, "add_up", counted)
    GaussianJFA(scaling=None).fit(data.X_train, data.y_train, classes=data.classes)
    assert read == [len(data.y_train)]


def test_rows_may_be_a_memory_map(data: ZeroShotDataset, tmp_path) -> None:
    np.save(tmp_path / "X.npy", data.X_train)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    one, two = (GaussianJFA().fit(X, data.y_train, classes=data.classes) for X in (data.X_train, mapped))
    np.testing.assert_array_equal(one.predict(data.X), two.predict(data.X))


def test_thorough_tries_all_combinations(data: ZeroShotDataset) -> None:
    quick, slow = (
        GaussianJFA(thorough=thorough).fit(data.X_train, data.y_train, classes=data.classes).choice_
        for thorough in (False, True)
    )
    assert (quick.n_tried, slow.n_tried) == (28, 180)
    assert quick.accuracy is not None
    fixed = GaussianJFA("rbf", **FIXED).fit(data.X_train, data.y_train, classes=data.classes)
    assert fixed.choice_.accuracy is None


def test_bad_values_get_a_sentence(data: ZeroShotDataset) -> None:
    for parameters, sentence in (
        ({"between_shrinkage": 1.5}, r"between_shrinkage=1\.5 is not a share: give a number between 0 and 1"),
        ({"width": 0}, "width must be a finite number above 0"),
        ({"kernel": "rfb"}, "kernel='rfb' is not known"),
    ):
        with pytest.raises(InputError, match=sentence):
            GaussianJFA(**parameters).fit(data.X_train, data.y_train, classes=data.classes)


def test_it_predicts_in_one_product_as_jfa_does(data: ZeroShotDataset) -> None:
    for model in (JFA(), GaussianJFA()):
        E, b = model.fit(data.X_train, data.y_train, classes=data.classes)._score_classes(data.classes)
        assert E.shape == (data.X.shape[1], len(data.classes))
        np.testing.assert_allclose(
            data.X @ E + b, model.decision_function(data.X, classes=data.classes), rtol=1e-9, atol=1e-9
        )
