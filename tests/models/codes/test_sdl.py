"""SDL: its codes, its matrix and its decisions against explicit loops and SciPy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from unseen.data import ZeroShotDataset
from unseen.features.descriptions.simplex import project_on_simplex
from unseen.models import SDL
from unseen.models.codes.dictionary import Dictionary, shorten_atoms
from unseen.models.codes.pair_hinge import learn_matching, mark_pairs, measure_hinge
from unseen.utils.errors import InputError


def hinge(margin: float) -> float:
    if margin >= 1:
        return 0.0
    return (1 - margin) ** 2 / 2 if margin > 0 else 0.5 - margin


def fit(data: ZeroShotDataset, **parameters: Any) -> SDL:
    return SDL(**{"lam_W": 1e-4} | parameters).fit(data.X_train, data.y_train, classes=data.seen_table)


def describe(model: SDL, data: ZeroShotDataset) -> tuple[Any, Any]:
    """Return the unseen images and classes in the units of the model."""
    psi = model._description_scaling.apply(data.unseen_table.vectors)
    return model._feature_scaling.apply(data.X_test_unseen), psi


# The hinge


@given(st.floats(-5, 5))
def test_the_smooth_hinge_is_near_the_hinge(margin: float) -> None:
    value, slope = measure_hinge(np.array([margin]))
    assert value[0] == pytest.approx(hinge(margin))
    assert 0 <= max(0, 1 - margin) - value[0] <= 0.5
    ahead, behind = (measure_hinge(np.array([margin + step]))[0][0] for step in (1e-6, -1e-6))
    assert slope[0] == pytest.approx((ahead - behind) / 2e-6, abs=1e-5)


def test_W_is_that_of_explicit_pairs() -> None:
    rng = np.random.default_rng(0)
    Z_s, Z_t, y = rng.normal(size=(3, 2)), rng.normal(size=(8, 4)), np.arange(8) % 3

    def objective(flat: Any) -> float:
        W, total = flat.reshape(2, 4), 0.0
        for i, z_s in enumerate(Z_s):
            for j, z_t in enumerate(Z_t):
                total += hinge((1 if y[j] == i else -1) * float(z_s @ W @ z_t))
        return total / 24 + 0.05 * float(np.sum(W * W))

    expected = minimize(objective, np.zeros(8), method="BFGS")
    W = learn_matching(Z_s, Z_t, mark_pairs(y, 3, Z_t), 0.1)
    assert objective(W.ravel()) == pytest.approx(expected.fun, rel=1e-5)
    np.testing.assert_allclose(W.ravel(), expected.x, atol=1e-3)


# Codes


def cost(z: Any, x: Any, atoms: Any, partners: Any, signs: Any) -> float:
    """Eq. 8 or 9 with weights 0.7 and 1.3, plus the mean hinge of its pairs."""
    own = 0.35 * z @ z + 0.65 * (x - z @ atoms) @ (x - z @ atoms)
    return own + sum(hinge(sign * float(z @ partner)) for sign, partner in zip(signs, partners, strict=True)) / len(
        signs
    )


@pytest.mark.parametrize("mixture", [True, False], ids=["of a class", "of an image"])
def test_codes_are_those_of_scipy(mixture: bool) -> None:
    rng = np.random.default_rng(1)
    atoms, vectors, partners = rng.normal(size=(4, 3)), rng.normal(size=(5, 3)), rng.normal(size=(6, 4))
    signs = rng.choice([-1.0, 1.0], size=(5, 6))
    start, project = np.full((5, 4), 0.25), project_on_simplex if mixture else None
    found = Dictionary(atoms, 0.7, 1.3).adapt(start, vectors, partners, signs, project)
    limits = {"bounds": [(0, 1)] * 4, "constraints": {"type": "eq", "fun": lambda z: z.sum() - 1}} if mixture else {}
    for z, x, s in zip(found, vectors, signs, strict=True):
        best = minimize(cost, start[0], (x, atoms, partners, s), tol=1e-10, **limits)
        np.testing.assert_allclose(z, best.x, atol=1e-4)
    if mixture:
        assert found.min() >= 0
        np.testing.assert_allclose(found.sum(axis=1), 1)


def test_a_code_does_not_depend_on_the_others() -> None:
    rng = np.random.default_rng(2)
    dictionary, vectors, partners = Dictionary(rng.normal(size=(4, 3)), 0.1, 1.0), rng.normal(size=(5, 3)), np.eye(4)
    together = dictionary.adapt(np.zeros((5, 4)), vectors, partners, -1.0)
    alone = dictionary.adapt(np.zeros((1, 4)), vectors[2:3], partners, -1.0)
    np.testing.assert_allclose(alone[0], together[2], rtol=1e-12)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_new_atoms_miss_less_and_stay_short(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes, vectors = rng.normal(size=(9, 4)), rng.normal(size=(9, 3))
    old = Dictionary(shorten_atoms(rng.normal(size=(4, 3))), 0.1, 1.0)
    new = old.learn_atoms(codes, vectors, shorten_atoms)
    assert new.measure_cost(codes, vectors).sum() <= old.measure_cost(codes, vectors).sum() + 1e-12
    assert np.linalg.norm(new.atoms, axis=1).max() <= 1 + 1e-12


# Algorithms 1 and 2


@pytest.mark.parametrize(("lam_s", "lam_t"), [(0.03, 0.1), (1.0, 1.0), (1.0, 0.01)])
def test_every_turn_lowers_the_objective(lam_s: float, lam_t: float, data: ZeroShotDataset) -> None:
    model = fit(data, lam1_s=3 * lam_s, lam2_s=lam_s, lam2_t=lam_t, lam1_t=0.1 * lam_t, max_iter=6)
    assert len(model.objective_) == model.n_iter_ >= 3
    assert np.all(np.diff(model.objective_) < 0)
    assert np.linalg.norm(model.D_, axis=1).max() <= 1 + 1e-9
    np.testing.assert_allclose(model.Z_s_.sum(axis=1), 1)
    assert model.Z_s_.min() >= 0


def test_the_first_dictionaries(data: ZeroShotDataset) -> None:
    model = fit(data, train="init", h_t=5, lam1_t=0.5, lam2_t=2.0)
    phi = model._feature_scaling.apply(data.X_train)
    np.testing.assert_array_equal(model.B_, model._description_scaling.apply(data.seen_table.vectors))
    np.testing.assert_allclose(model.D_ @ model.D_.T, np.eye(5), atol=1e-12)
    # With orthonormal atoms, codes are projections made shorter.
    np.testing.assert_allclose(model.Z_t_, phi @ model.D_.T / 1.25)
    lengths = np.linalg.norm(phi @ model.D_.T, axis=0)
    assert np.all(np.diff(lengths) <= 1e-9)
    assert fit(data, atoms=6, random_state=0).B_.shape == (6, 10)


@pytest.mark.parametrize("decision", ["similarity", "posterior"])
@pytest.mark.parametrize("test", ["init", "joint"])
@pytest.mark.parametrize("train", ["init", "joint"])
def test_the_eight_decisions(train: Any, test: Any, decision: Any, data: ZeroShotDataset) -> None:
    weights = {"lam1_s": 0.7, "lam2_s": 1.3, "lam1_t": 0.7, "lam2_t": 1.3}
    model = fit(data, train=train, test=test, decision=decision, **weights)
    phi, psi = describe(model, data)
    found = model.decision_function(data.X_test_unseen[:2], classes=data.unseen_table)
    seen_images = [model.W_ @ z for z in model.Z_t_] if test == "joint" else [np.zeros(14)]
    seen_classes = [model.W_.T @ z for z in model.Z_s_] if test == "joint" else [np.zeros(len(model.D_))]
    simplex = {"bounds": [(0, 1)] * 14, "constraints": {"type": "eq", "fun": lambda z: z.sum() - 1}}
    for c in (0, 3):
        negative = -np.ones(len(seen_images))
        z_s = minimize(cost, np.full(14, 1 / 14), (psi[c], model.B_, seen_images, negative), tol=1e-8, **simplex).x
        for i in range(2):
            given = (phi[i], model.D_, seen_classes, -np.ones(len(seen_classes)))
            z_t = minimize(cost, np.zeros(len(model.D_)), given, tol=1e-8).x
            missed = psi[c] - z_s @ model.B_
            prior = -0.35 * z_s @ z_s - 0.65 * missed @ missed if decision == "posterior" else 0.0
            assert found[i, c] == pytest.approx(z_s @ model.W_ @ z_t + prior, abs=2e-3)


def test_scores_are_affine_unless_images_are_coded_apart(data: ZeroShotDataset) -> None:
    joint, init = fit(data), fit(data, test="init")
    _, psi = describe(joint, data)
    assert callable(joint._scores_against(psi))
    assert not callable(init._scores_against(psi))
    assert not callable(joint._scores_against(joint.psi_))


def test_seen_candidates_keep_their_codes(data: ZeroShotDataset) -> None:
    model = fit(data)
    alone = model.decision_function(data.X_test_seen, classes=data.seen_table)
    among = model.decision_function(data.X_test_seen, classes=data.classes)
    np.testing.assert_allclose(among[:, data.classes.index_of(data.seen_classes)], alone, atol=1e-9)
    assert model.score(data.X_test_seen, data.y_test_seen) > 0.8


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"train": "both"}, "train='both' is not known"),
        ({"decision": None}, "decision=None is not known"),
        ({"lam1_t": 0}, "lam1_t must be a finite number above 0"),
        ({"h_t": 0}, "h_t must be a whole number of at least 1"),
        ({"atoms": 15}, "atoms must be a whole number of at least 1 and at most 14"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters: Any, sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)
