"""JFA and the structural SVM behind it: parameters, fitted attributes, adaptation, limits and interruptions."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from unseen.data import ClassTable, ZeroShotDataset
from unseen.learning import CCCP, CuttingPlane, Smooth, Solution, Stochastic
from unseen.models import JFA, BilinearSVM, DirectJFA, StructuralSVM
from unseen.similarity import AdaptiveSimilarity, FrobeniusBall
from unseen.utils.errors import InputError

OMEGAS = [
    (1000.0, 10.0, 0.0, 1.0),
    (1.0, 1.0, 0.0, 0.0),
    (1e-5, 1e-5, 0.0, 0.0),
    (1e-5, 1e5, 0.0, 1e-5),
    (1e5, 1e-5, 1e5, 0.0),
    (1.0, 1.0, 100.0, 100.0),
]


def fit(model: Any, data: ZeroShotDataset) -> Any:
    return model.fit(data.X_train, data.y_train, classes=data.classes)


def unseen_accuracy(model: Any, data: ZeroShotDataset) -> float:
    return float(np.mean(model.predict(data.X_test_unseen, classes=data.unseen_classes) == data.y_test_unseen))


# Bad parameters


@pytest.mark.parametrize("position", range(4))
@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_omega_that_gives_no_penalty(position: int, value: float, data: ZeroShotDataset) -> None:
    omega = [1.0, 1.0, 1.0, 1.0]
    omega[position] = value
    with pytest.raises(InputError, match=rf"omega_{position + 1}\) is {value}: it must be"):
        fit(JFA(omega), data)


@pytest.mark.parametrize(
    ("omega", "sentence"),
    [
        ((0.0, 1.0, 1.0, 1.0), r"omega_1\) is 0.0: it must be positive"),
        ((1.0, 0.0, 1.0, 1.0), r"omega_2\) is 0.0: it must be positive"),
        ((1.0, 1.0, 1.0), "omega has 3 entries .*: give four"),
        (3.0, "omega=3.0 is not a sequence of four numbers"),
        (("a", "b", "c", "d"), "is not a sequence of four numbers"),
    ],
)
def test_omega_that_is_not_four_weights(omega: Any, sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(JFA(omega), data)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"lam": -1.0}, "lam must be a finite number of at least 0, got -1.0"),
        ({"lam": "1"}, "lam must be a finite number of at least 0, got .1."),
        ({"lam": np.nan}, "lam must be a finite number of at least 0, got nan"),
        ({"lam": 0.0, "loss": "maximum"}, "lam=0.0: cutting planes need lam > 0"),
        ({"loss": "hinge"}, "loss='hinge' is not known: choose one of 'maximum', 'ranking', 'soft-maximum'"),
        ({"temperature": 0.0}, "temperature must be a finite number above 0, got 0.0"),
        ({"solver": "newton"}, "solver='newton' is not known: choose one of 'auto', 'cccp', 'smooth', 'stochastic'"),
        ({"solver": "smooth", "loss": "maximum"}, "solver='smooth' needs a smooth loss, and Maximum is not smooth"),
        ({"solver": "cccp", "weights": "free"}, "solver='cccp' with weights='free' would leave"),
        ({"init": "ones"}, "init='ones' is not known: choose one of 'zeros', 'random'"),
        ({"n_init": 0}, "n_init must be a whole number of at least 1, got 0"),
        ({"n_init": 1.5}, "n_init must be a whole number of at least 1, got 1.5"),
        (
            {"weights": "psd"},
            "weights='psd' is not known: choose one of 'positive-definite', 'free', or give a WeightSet",
        ),
        ({"margin": np.ones((3, 3))}, r"margin has shape \(3, 3\) for 14 seen classes"),
        ({"margin": np.ones((14, 14))}, r"margin\[0\] is not 0 on the diagonal"),
        ({"margin": lambda true, other: -1.0}, "margin holds .*-1.0.*: every entry must be finite and at least 0"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_parameters_that_are_refused(parameters: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(JFA(**parameters), data)


# Losses and solvers


@pytest.mark.parametrize(
    ("loss", "solver"),
    [
        ("soft-maximum", "smooth"),
        ("soft-maximum", "cccp"),
        ("soft-maximum", "stochastic"),
        ("maximum", "auto"),
        ("maximum", "stochastic"),
        ("ranking", "cccp"),
        ("ranking", "stochastic"),
    ],
)
def test_every_loss_learns_with_every_solver_that_fits_it(loss: str, solver: str, data: ZeroShotDataset) -> None:
    model = fit(JFA(loss=loss, solver=solver, random_state=0), data)
    assert unseen_accuracy(model, data) > 5 / len(data.unseen_classes)
    assert model.similarity_.is_positive_definite


@pytest.mark.parametrize(
    "solver",
    [Smooth(max_iter=5), CCCP(max_rounds=2, inner=CuttingPlane(tol=0.1)), Stochastic(3)],
    ids=lambda solver: type(solver).__name__,
)
def test_solvers_may_be_given_with_their_own_settings(solver: Any, data: ZeroShotDataset) -> None:
    model = fit(JFA(solver=solver, random_state=0), data)
    assert len(model.history_) <= 6


def test_the_choices_of_the_paper(data: ZeroShotDataset) -> None:
    model = JFA.as_in_paper(omega=(100.0, 100.0, 0.0, 1.0), lam=2.0, random_state=0)
    assert isinstance(model, JFA)
    chosen = {name: model.get_params()[name] for name in ("loss", "solver", "scaling", "init", "margin", "lam")}
    assert chosen == {
        "loss": "maximum",
        "solver": "cccp",
        "scaling": None,
        "init": "random",
        "margin": None,
        "lam": 2.0,
    }
    assert JFA.as_in_paper((1.0, 1.0, 0.0, 0.0), scaling="auto").scaling == "auto"
    assert unseen_accuracy(fit(model, data), data) > 5 / len(data.unseen_classes)


# What is known after fit


@pytest.mark.parametrize("parameters", [{"loss": "soft-maximum"}, {"loss": "maximum"}, {"loss": "ranking"}])
def test_the_objective_never_rises(parameters: dict[str, Any], data: ZeroShotDataset) -> None:
    model = fit(JFA(**parameters), data)
    assert model.history_[-1] == model.objective_
    assert np.all(np.diff(model.history_) <= 1e-9 * np.abs(model.history_[:-1]))
    assert model.history_[-1] < 0.9 * model.history_[0]
    assert model.converged_


def test_the_objective_is_that_of_the_paper(data: ZeroShotDataset) -> None:
    model = fit(JFA.as_in_paper((100.0, 100.0, 0.0, 1.0), lam=3.0, random_state=0), data)
    scores = model.similarity_.scores(data.X_train, data.seen_table.vectors)
    true = data.seen_table.index_of(data.y_train)
    margin = 1.0 - np.eye(len(data.seen_classes))[true]
    slack = (margin + scores).max(axis=1) - scores[np.arange(len(true)), true]
    expected = 1.5 * np.sum(model.similarity_.W**2) + slack.sum()
    assert model.objective_ == pytest.approx(expected, rel=1e-9)


def test_cccp_certifies_its_last_convex_problem(data: ZeroShotDataset) -> None:
    model = fit(JFA(loss="maximum"), data)
    gap = model.certificate_["duality_gap"]
    assert 0 <= gap <= 1e-2 * model.objective_
    assert fit(JFA(), data).certificate_ == {}


@pytest.mark.parametrize("omega", OMEGAS)
@pytest.mark.parametrize(
    "solver",
    [Smooth(max_iter=50), CCCP(max_rounds=3, inner=CuttingPlane(max_rounds=30)), Stochastic(epochs=3)],
    ids=lambda solver: type(solver).__name__,
)
def test_H_is_positive_definite_after_fit(omega: tuple[float, ...], solver: Any, data: ZeroShotDataset) -> None:
    # Little regularised, so that W presses against the boundary.
    model = fit(JFA(omega, lam=1e-3, solver=solver, random_state=0), data)
    assert model.similarity_.is_positive_definite
    assert float(model.similarity_.spectrum()[0]) > 0
    assert np.isfinite(model.decision_function(data.X_test_unseen, classes=data.classes)).all()


def test_weights_may_leave_the_set_or_be_kept_in_a_smaller_one(data: ZeroShotDataset) -> None:
    # A random start has a largest singular value of 1, and H is positive definite below 0.5 only.
    free = fit(JFA((0.5, 0.5, 0.0, 0.0), weights="free", init="random", random_state=0), data)
    assert not free.similarity_.is_positive_definite
    small = fit(JFA(lam=1e-3, weights=FrobeniusBall(0.5)), data)
    assert np.linalg.norm(small.similarity_.W) <= 0.5 * (1 + 1e-6)


def test_verbose_prints_every_step(data: ZeroShotDataset, capsys: pytest.CaptureFixture[str]) -> None:
    model = fit(JFA(verbose=True), data)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(model.history_)
    assert lines[0].startswith("[JFA] step 0: objective ")
    fit(JFA(), data)
    assert not capsys.readouterr().out


# Adaptation


def test_adapt_without_scaling_is_that_of_the_similarity(data: ZeroShotDataset) -> None:
    model = fit(JFA((100.0, 10.0, 0.0, 1.0), scaling=None), data)
    adapted = model.adapt(data.X_test_unseen, data.y_test_unseen)
    descriptions = data.classes.vectors[data.classes.index_of(data.y_test_unseen)]
    z_t, z_s = model.similarity_.adapt(data.X_test_unseen, descriptions)
    np.testing.assert_array_equal(adapted.z_t, z_t)
    np.testing.assert_allclose(adapted.z_s, z_s)


def test_adapt_returns_the_units_of_the_data(data: ZeroShotDataset) -> None:
    X, y = data.X_test_seen, data.y_test_seen
    expected = fit(JFA(), data).adapt(X, y)
    table = ClassTable(data.classes.vectors * 50 + 3, data.classes.labels)
    model = JFA().fit(data.X_train * 1e3 + 5, data.y_train, classes=table)
    adapted = model.adapt(X * 1e3 + 5, y)
    np.testing.assert_allclose(adapted.z_t, expected.z_t * 1e3 + 5, rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose(adapted.z_s, expected.z_s * 50 + 3, rtol=1e-6, atol=1e-3)


def test_nothing_moves_where_moving_is_dear(data: ZeroShotDataset) -> None:
    model = fit(JFA((1e9, 1e9, 0.0, 0.0)), data)
    adapted = model.adapt(data.X_test_unseen, data.y_test_unseen)
    np.testing.assert_allclose(adapted.z_t, data.X_test_unseen, atol=1e-5)
    descriptions = data.classes.vectors[data.classes.index_of(data.y_test_unseen)]
    np.testing.assert_allclose(adapted.z_s, descriptions, atol=1e-5)


def test_a_large_offset_that_classes_share_changes_no_answer(data: ZeroShotDataset) -> None:
    """Large w2 and w4 put a large number beside every score, in which single precision would lose the differences."""
    model = fit(JFA((1.0, 1e5, 100.0, 1e5)), data)
    double, single = (data.X_test_unseen.astype(kind) for kind in (np.float64, np.float32))
    expected, answers = (model.predict(X, classes=data.unseen_classes) for X in (double, single))
    assert np.abs(model.decision_function(double, classes=data.unseen_classes)).min() > 1e4
    np.testing.assert_array_equal(answers, expected)
    chances = model.predict_proba(single, classes=data.unseen_classes)
    np.testing.assert_allclose(chances, model.predict_proba(double, classes=data.unseen_classes), atol=1e-5)


def test_adapted_features_fit_together_better(data: ZeroShotDataset) -> None:
    model = fit(JFA((10.0, 10.0, 0.0, 0.0), scaling=None), data)
    z_t, z_s = model.adapt(data.X_test_unseen, data.y_test_unseen)
    psi = data.classes.vectors[data.classes.index_of(data.y_test_unseen)]
    W = model.similarity_.W
    before, after = (np.sum((a @ W) * b, axis=1) for a, b in ((data.X_test_unseen, psi), (z_t, z_s)))
    assert np.mean(after > before) > 0.9


def test_adapt_refuses_labels_that_do_not_fit(data: ZeroShotDataset) -> None:
    model = fit(JFA(), data)
    with pytest.raises(InputError, match="y has labels that the class table does not describe: 'okapi'"):
        model.adapt(data.X_test_unseen[:1], ["okapi"])
    with pytest.raises(InputError, match="y has 2 labels for 1 rows of X: give one label for each row"):
        model.adapt(data.X_test_unseen[:1], ["class 00", "class 01"])


# Limits and equal formulations


@pytest.mark.parametrize("loss", ["soft-maximum", "maximum"])
def test_the_bilinear_limit(loss: str, data: ZeroShotDataset) -> None:
    """Property 4: as w1 and w2 grow and w3 = w4 = 0, JFA becomes the bilinear model."""
    bilinear = fit(BilinearSVM(loss=loss), data).decision_function(data.X_test_unseen, classes=data.unseen_classes)
    far, near = (
        np.abs(
            fit(JFA((w, w, 0.0, 0.0), loss=loss), data).decision_function(data.X_test_unseen, data.unseen_classes)
            - bilinear
        ).max()
        for w in (1e3, 1e6)
    )
    scale = np.abs(bilinear).max()
    assert near < 0.01 * scale
    assert near <= far + 1e-3 * scale


def test_balanced_counts_every_class_the_same(data: ZeroShotDataset) -> None:
    # Every second class keeps 5 of its 10 rows.
    order = data.seen_table.index_of(data.y_train)
    thinned = (order % 2 == 0) | (np.arange(len(order)) % 2 == 0)
    X, y, few = data.X_train[thinned], data.y_train[thinned], order[thinned] % 2 == 1
    repeated = np.r_[np.arange(len(y)), np.flatnonzero(few)]
    # Balancing brings every class to the mean number of rows, repeating to the largest.
    lam = 10 / np.mean(np.unique(y, return_counts=True)[1])
    tight = Smooth(max_iter=1000, tol=1e-10)
    one = JFA(class_weight="balanced", solver=tight).fit(X, y, classes=data.classes)
    two = JFA(lam=lam, solver=tight, scaling=None)
    two.fit(one._feature_scaling.apply(X[repeated]), y[repeated], classes=_scaled(one, data))
    np.testing.assert_allclose(one.similarity_.W, two.similarity_.W, atol=1e-3 * np.abs(one.similarity_.W).max())
    unbalanced = JFA(solver=tight).fit(X, y, classes=data.classes)
    assert np.abs(one.similarity_.W - unbalanced.similarity_.W).max() > 0.01 * np.abs(one.similarity_.W).max()


def _scaled(model: JFA, data: ZeroShotDataset) -> ClassTable:
    return ClassTable(model._description_scaling.apply(data.classes.vectors), data.classes.labels)


def test_margins_as_matrix_and_as_callable(data: ZeroShotDataset) -> None:
    expected = fit(JFA(), data).similarity_.W
    zero_one = 1.0 - np.eye(len(data.seen_classes))
    np.testing.assert_allclose(fit(JFA(margin=zero_one), data).similarity_.W, expected, atol=1e-6)
    np.testing.assert_allclose(fit(JFA(margin=lambda a, b: float(a != b)), data).similarity_.W, expected, atol=1e-6)
    asked: list[Any] = []
    by_label = fit(JFA(margin=lambda a, b: asked.append((a, b)) or 0.5), data).similarity_.W
    assert {type(label) for pair in asked for label in pair} <= {str, np.str_}
    assert np.abs(by_label - expected).max() > 1e-3


def test_any_similarity_can_be_learned(data: ZeroShotDataset) -> None:
    omega = (100.0, 10.0, 0.0, 1.0)
    own = fit(StructuralSVM(AdaptiveSimilarity(omega)), data)
    np.testing.assert_array_equal(own.similarity_.W, fit(JFA(omega), data).similarity_.W)
    assert not hasattr(own, "adapt")


def test_learning_the_inverse_directly(data: ZeroShotDataset) -> None:
    model = fit(DirectJFA((1.0, 1.0, 0.0, 0.0)), data)
    d_t, d_s = data.X.shape[1], data.classes.width
    assert model.similarity_.W.shape == (d_t + d_s, d_s)
    assert unseen_accuracy(model, data) > 5 / len(data.unseen_classes)
    adapted = model.adapt(data.X_test_unseen, data.y_test_unseen)
    np.testing.assert_allclose(adapted.z_t, data.X_test_unseen, atol=1e-9)
    assert model.omega_ == (1.0, 1.0, 0.0, 0.0)
    assert not isinstance(model, JFA)


@pytest.mark.parametrize("omega", ["auto", "learn"])
def test_the_inverse_is_learned_for_a_given_omega_only(omega: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=f"omega='{omega}' is not a sequence of four numbers"):
        fit(DirectJFA(omega), data)


# Starts, seeds, interruptions


@dataclass
class Recorded:
    """A solver that notes what came of every start, and may be interrupted at a step."""

    inner: Any = field(default_factory=Smooth)
    interrupt_at: int | None = None
    values: list[float] = field(default_factory=list)

    def check(self, objective: Any, weight_set: Any) -> None:
        self.inner.check(objective, weight_set)

    def solve(self, objective: Any, start: Any, weight_set: Any, rng: Any, watch: Any) -> Solution:
        def watch_or_stop(step: int, W: Any, value: float) -> None:
            watch(step, W, value)
            if step == self.interrupt_at:
                raise KeyboardInterrupt

        solution = self.inner.solve(objective, start, weight_set, rng, watch_or_stop)
        self.values.append(solution.value)
        return solution


class InterruptedAtSecondStart(Recorded):
    def solve(self, *arguments: Any) -> Solution:
        self.interrupt_at = 0 if self.values else None
        return super().solve(*arguments)


def test_the_best_of_several_starts_is_kept(data: ZeroShotDataset) -> None:
    # Of few steps, so that starts end at different values.
    solver = Recorded(Smooth(max_iter=3))
    model = fit(JFA(solver=solver, n_init=4, init="random", random_state=0), data)
    assert len(set(solver.values)) == 4
    assert model.objective_ == min(solver.values)


def test_seeds_decide_everything_random(data: ZeroShotDataset) -> None:
    one, same, other = (
        fit(JFA(init="random", solver=Stochastic(epochs=2), random_state=seed), data).similarity_.W
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 0


@pytest.mark.parametrize("solver", [Smooth(), CCCP(), Stochastic(epochs=5)], ids=lambda solver: type(solver).__name__)
def test_learning_goes_on_after_an_interruption(solver: Any, data: ZeroShotDataset) -> None:
    model = JFA(solver=Recorded(solver, interrupt_at=2), warm_start=True, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        fit(model, data)
    assert not model.converged_
    assert unseen_accuracy(model, data) > 1 / len(data.unseen_classes)
    reached = model.objective_
    fit(model.set_params(solver=solver), data)
    assert model.history_[0] == pytest.approx(reached, rel=1e-9)
    assert model.objective_ < reached
    assert unseen_accuracy(model, data) > 5 / len(data.unseen_classes)


def test_an_interruption_keeps_the_best_start(data: ZeroShotDataset) -> None:
    model = JFA(solver=InterruptedAtSecondStart(), n_init=2, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        fit(model, data)
    assert model.objective_ == model.solver.values[0] == model.history_[-1]


def test_an_interruption_before_the_first_step_leaves_the_earlier_model(
    data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fit(JFA(warm_start=True), data)
    expected = model.predict(data.X_test_unseen, classes=data.unseen_classes)

    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("unseen.learning.objective.LatentSVM.evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit(model, data)
    np.testing.assert_array_equal(model.predict(data.X_test_unseen, classes=data.unseen_classes), expected)


def test_a_warm_start_takes_few_steps(data: ZeroShotDataset) -> None:
    model = fit(JFA(warm_start=True), data)
    steps = len(model.history_)
    assert len(fit(model, data).history_) < steps / 2
    assert len(fit(model.set_params(warm_start=False), data).history_) == steps


def test_a_warm_start_needs_data_of_the_same_widths(data: ZeroShotDataset) -> None:
    model = fit(JFA(warm_start=True), data)
    with pytest.raises(InputError, match=r"warm_start=True, but the last fit learned W of shape \(16, 10\)"):
        model.fit(data.X_train[:, :5], data.y_train, classes=data.classes)


# Grids


@pytest.mark.parametrize(
    "model", [JFA(), BilinearSVM(class_weight="balanced"), DirectJFA()], ids=lambda m: type(m).__name__
)
def test_points_of_a_grid_share_rows_and_are_what_single_fits_are(model: Any, data: ZeroShotDataset) -> None:
    points = [{"lam": 0.3}, {"lam": 3.0, "temperature": 1.0}, {"scaling": None}]
    weights = np.linspace(0.5, 2.0, len(data.y_train))
    grid = model.fit_grid(data.X_train, data.y_train, data.classes, points, sample_weight=weights)
    for point, fitted in zip(points, grid, strict=True):
        alone = clone(model).set_params(**point).fit(data.X_train, data.y_train, data.classes, sample_weight=weights)
        np.testing.assert_array_equal(fitted.similarity_.W, alone.similarity_.W)
        assert fitted.get_params() == alone.get_params()
        assert fitted.history_ == alone.history_


def test_auto_is_a_search_of_its_own_at_each_point_of_a_grid(data: ZeroShotDataset) -> None:
    points = [{"lam": 1.0}, {"omega": (1000.0, 10.0, 0.0, 1.0)}]
    first, second = JFA("auto", random_state=0).fit_grid(data.X_train, data.y_train, data.classes, points)
    assert first.omega_ == first.selection_.best_params["omega"]
    assert not hasattr(second, "selection_")
