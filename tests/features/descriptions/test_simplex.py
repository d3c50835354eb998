import daqp
import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info

from unseen.features.descriptions import simplex
from unseen.features.descriptions.simplex import compute_simplex_codes, measure_violation, project_on_simplex

VALUES = st.floats(-3, 3).map(lambda value: round(value, 3))
GAMMAS = st.sampled_from([0.0, 1e-6, 1e-3, 0.1, 1.0, 10.0])


@st.composite
def problems(draw):
    width = draw(st.integers(1, 6))
    atoms = draw(hnp.arrays(np.float64, (draw(st.integers(1, 12)), width), elements=VALUES))
    vectors = draw(hnp.arrays(np.float64, (draw(st.integers(1, 6)), width), elements=VALUES))
    return vectors, atoms, draw(GAMMAS)


def objective(codes, vectors, atoms, gamma):
    return gamma / 2 * np.sum(codes**2, axis=1) + np.sum((vectors - codes @ atoms) ** 2, axis=1) / 2


def by_quadratic_programme(vector, atoms, gamma):
    k = len(atoms)
    lower, upper = np.zeros(k + 1), np.full(k + 1, 1e30)
    lower[k] = upper[k] = 1.0
    code, _, flag, _ = daqp.solve(
        atoms @ atoms.T + gamma * np.eye(k),
        -atoms @ vector,
        np.ones((1, k)),
        upper,
        lower,
        np.r_[np.zeros(k), 5.0].astype(np.int32),
    )
    assert flag == 1
    return code


@given(problems())
@settings(deadline=None, max_examples=200)
def test_codes_are_optimal(problem):
    vectors, atoms, gamma = problem
    codes = compute_simplex_codes(vectors, atoms, gamma)
    assert codes.min() >= 0
    np.testing.assert_allclose(codes.sum(axis=1), 1, atol=1e-12)
    scale = 1 + np.sum(atoms**2) + np.abs(vectors @ atoms.T).max()
    assert measure_violation(codes, vectors, atoms, gamma).max() <= 1e-8 * scale


@pytest.mark.parametrize("gamma", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("shape", [(30, 5), (8, 20)], ids=["more atoms", "more dimensions"])
def test_agrees_with_a_quadratic_programme(gamma, shape):
    random = np.random.default_rng(0)
    atoms, vectors = random.standard_normal(shape), random.standard_normal((10, shape[1]))
    codes = compute_simplex_codes(vectors, atoms, gamma)
    expected = np.array([by_quadratic_programme(vector, atoms, gamma) for vector in vectors])
    np.testing.assert_allclose(codes, expected, atol=1e-6)


def test_without_a_price_the_nearest_mixture_is_found():
    random = np.random.default_rng(1)
    atoms = random.standard_normal((40, 3))
    mixtures = random.dirichlet(np.ones(40), size=20) @ atoms
    codes = compute_simplex_codes(mixtures, atoms, gamma=0.0)
    np.testing.assert_allclose(codes @ atoms, mixtures, atol=1e-8)


def test_equal_atoms_share_their_weight():
    codes = compute_simplex_codes(np.array([[1.0, 0.2]]), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), gamma=0.01)
    assert codes[0, 0] == pytest.approx(codes[0, 1])


def test_codes_do_not_depend_on_where_the_vectors_lie_or_on_each_other():
    random = np.random.default_rng(2)
    vectors, atoms = random.random((30, 8)), random.random((15, 8))
    codes = compute_simplex_codes(vectors, atoms, 0.1)
    np.testing.assert_allclose(compute_simplex_codes(vectors + 100, atoms + 100, 0.1), codes, atol=1e-9)
    np.testing.assert_allclose(compute_simplex_codes(vectors[3:4], atoms, 0.1)[0], codes[3], atol=1e-12)


@pytest.mark.parametrize("stage", ["_approach", "_exchange"])
@pytest.mark.parametrize("gamma", [0.0, 0.01, 1.0])
def test_each_stage_is_right_without_the_others(monkeypatch, stage, gamma):
    random = np.random.default_rng(3)
    vectors, atoms = random.standard_normal((20, 6)), random.standard_normal((25, 6))
    expected = compute_simplex_codes(vectors, atoms, gamma)
    if stage == "_approach":
        monkeypatch.setattr(simplex, stage, lambda points, atoms, gamma: np.eye(len(atoms))[np.zeros(len(points), int)])
    else:
        monkeypatch.setattr(simplex, stage, lambda codes, *_: np.arange(len(codes)))
    np.testing.assert_allclose(compute_simplex_codes(vectors, atoms, gamma), expected, atol=1e-7)


def test_groups_bound_memory(monkeypatch):
    random = np.random.default_rng(4)
    vectors, atoms = random.standard_normal((20, 6)), random.standard_normal((25, 6))
    expected = compute_simplex_codes(vectors, atoms, 0.1)
    monkeypatch.setattr(simplex, "BLOCK_BYTES", 1)
    np.testing.assert_allclose(compute_simplex_codes(vectors, atoms, 0.1), expected, atol=1e-12)


def test_a_code_that_is_not_exact_is_announced(monkeypatch):
    monkeypatch.setattr(simplex, "_exchange", lambda codes, *_: np.arange(0))
    with pytest.warns(ConvergenceWarning, match="choose a larger gamma than 1e-05"):
        compute_simplex_codes(np.random.default_rng(5).random((5, 4)), np.random.default_rng(6).random((9, 4)), 1e-5)


def test_threads_are_given_back():
    before = [library["num_threads"] for library in threadpool_info()]
    compute_simplex_codes(np.eye(3), np.eye(3), 1.0)
    assert [library["num_threads"] for library in threadpool_info()] == before


@given(hnp.arrays(np.float64, (3, 5), elements=VALUES))
def test_projection_is_the_nearest_point_of_the_simplex(rows):
    nearest = project_on_simplex(rows)
    np.testing.assert_allclose(nearest.sum(axis=1), 1)
    assert nearest.min() >= 0
    np.testing.assert_allclose(nearest, compute_simplex_codes(rows, np.eye(5), 0.0), atol=1e-7)
