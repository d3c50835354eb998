"""The two similarities without latent features: the bilinear limit, and the inverse of H learned itself."""

import numpy as np
import pytest
import reference

from unseen.similarity import AdaptiveSimilarity, BilinearSimilarity, DirectSimilarity, Omega
from unseen.utils.arrays import namespace, to_numpy

OMEGA = Omega(1.0, 2.0, 0.5, 0.2)
D_T, D_S = 4, 3


def example(seed=0, n=6, m=5):
    rng = np.random.default_rng(seed)
    W = 0.3 * rng.normal(size=(D_T, D_S))
    return rng, W, rng.normal(size=(n, D_T)), rng.normal(size=(m, D_S))


def blocks_of_the_inverse(W):
    """TS stacked on SS, from H inverted in full."""
    return np.linalg.inv(reference.matrix_H(W, OMEGA))[:, D_T:]


def random_weights(rng, kind):
    return rng.normal(size=make(kind).weights_shape(D_T, D_S))


def make(kind):
    return BilinearSimilarity() if kind is BilinearSimilarity else kind(OMEGA)


def build(kind, W):
    return make(kind).with_weights(W)


both = pytest.mark.parametrize("kind", [BilinearSimilarity, DirectSimilarity])


def test_bilinear_score_is_the_product():
    _, W, phi, psi = example()
    similarity = BilinearSimilarity().with_weights(W)
    np.testing.assert_allclose(similarity.scores(phi, psi), phi @ W @ psi.T)
    assert similarity.adapt(phi, psi) == (phi, psi)


@pytest.mark.parametrize("seed", range(3))
def test_direct_score_with_the_true_inverse_is_the_adaptive_score(seed):
    _, W, phi, psi = example(seed)
    direct = DirectSimilarity(OMEGA).with_weights(blocks_of_the_inverse(W))
    adaptive = AdaptiveSimilarity(OMEGA).with_weights(W)
    np.testing.assert_allclose(direct.scores(phi, psi), adaptive.scores(phi, psi), atol=1e-12)
    assert direct.W.shape == direct.weights_shape(D_T, D_S) == (D_T + D_S, D_S)
    np.testing.assert_array_equal(np.vstack([direct.ts, direct.ss]), direct.W)


@both
def test_score_and_gradient_are_affine_in_W(kind):
    rng, _, phi, psi = example()
    A, B = random_weights(rng, kind), random_weights(rng, kind)
    G = rng.normal(size=(len(phi), len(psi)))
    at_A, at_B, between = (build(kind, W) for W in (A, B, 0.3 * A + 0.7 * B))
    expected = 0.3 * at_A.scores(phi, psi) + 0.7 * at_B.scores(phi, psi)
    np.testing.assert_allclose(between.scores(phi, psi), expected, atol=1e-12)
    # Affine, so the gradient is the same everywhere and gives the difference exactly.
    gradient = at_A.gradient(phi, psi, G)
    np.testing.assert_allclose(at_B.gradient(phi, psi, G), gradient)
    change = np.sum(G * (at_B.scores(phi, psi) - at_A.scores(phi, psi)))
    assert np.sum(gradient * (B - A)) == pytest.approx(change)


def test_bilinear_gradient_is_the_sum_of_outer_products():
    rng, W, phi, psi = example()
    G = rng.normal(size=(len(phi), len(psi)))
    expected = sum(G[i, j] * np.outer(phi[i], psi[j]) for i in range(len(phi)) for j in range(len(psi)))
    np.testing.assert_allclose(BilinearSimilarity().with_weights(W).gradient(phi, psi, G), expected)


@both
def test_every_library_and_precision(xp, kind):
    rng, _, phi, psi = example()
    W, G = random_weights(rng, kind), rng.normal(size=(len(phi), len(psi)))
    expected = build(kind, W)
    for dtype, rtol in ((xp.float64, 1e-12), (xp.float32, 1e-4)):
        arrays = [xp.asarray(v, dtype=dtype) for v in (phi, psi, G)]
        similarity = build(kind, xp.asarray(W))
        scores, gradient = similarity.scores(*arrays[:2]), similarity.gradient(*arrays)
        assert namespace(scores) is namespace(gradient) is namespace(arrays[0])
        assert (scores.dtype, gradient.dtype) == (dtype, xp.float64)
        np.testing.assert_allclose(to_numpy(scores), expected.scores(phi, psi), rtol=rtol, atol=10 * rtol)
        np.testing.assert_allclose(to_numpy(gradient), expected.gradient(phi, psi, G), rtol=rtol, atol=10 * rtol)


@both
def test_other_weights_keep_everything_but_the_weights(kind):
    rng, _, phi, psi = example()
    A, B = random_weights(rng, kind), random_weights(rng, kind)
    other = build(kind, A).with_weights(B)
    assert isinstance(other, kind)
    np.testing.assert_array_equal(other.scores(phi, psi), build(kind, B).scores(phi, psi))
    with pytest.raises(AttributeError):
        other.W = A
