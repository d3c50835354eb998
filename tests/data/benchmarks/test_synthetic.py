from itertools import pairwise

import numpy as np
import pytest

from unseen.data import make_zero_shot
from unseen.utils.errors import InputError

SEEDS = range(8)


def class_means(X, y, labels):
    return np.array([X[y == label].mean(axis=0) for label in labels])


def accuracy(**controls):
    """Measure ridge regression from descriptions to prototypes, averaged over seeds."""
    shares = []
    for seed in SEEDS:
        data = make_zero_shot(random_state=seed, **controls)
        S = data.seen_table.vectors
        means = class_means(data.X_train, data.y_train, data.seen_classes)
        W = np.linalg.solve(S.T @ S + np.eye(S.shape[1]), S.T @ means)
        distance = np.linalg.norm(data.X_test_unseen[:, None] - data.unseen_table.vectors @ W, axis=2)
        shares.append(np.mean(data.unseen_classes[distance.argmin(axis=1)] == data.y_test_unseen))
    return np.mean(shares)


def test_sizes():
    data = make_zero_shot(4, 3, n_features=6, n_attributes=5, n_per_class=7, n_test_per_class=2, random_state=0)
    assert data.X.shape == (4 * 7 + 4 * 2 + 3 * 2, 6)
    assert data.classes.vectors.shape == (7, 5)
    assert data.seen_classes.tolist() == ["class 00", "class 01", "class 02", "class 03"]
    assert data.unseen_classes.tolist() == ["class 04", "class 05", "class 06"]
    for part, size in ((data.y_train, 7), (data.y_test_seen, 2), (data.y_test_unseen, 2)):
        assert set(np.unique(part, return_counts=True)[1]) == {size}


def test_seeds():
    first, again = make_zero_shot(random_state=1), make_zero_shot(random_state=np.random.RandomState(1))
    assert first.X.tobytes() == again.X.tobytes()
    assert first.classes == again.classes
    assert not np.array_equal(first.X, make_zero_shot(random_state=2).X)


def test_without_noise_examples_are_a_linear_map_of_their_description():
    data = make_zero_shot(n_attributes=10, noise=0, random_state=0)
    V, *_ = np.linalg.lstsq(data.seen_table.vectors[data.seen_table.index_of(data.y_train)], data.X_train)
    assert np.allclose(data.classes.vectors[data.classes.index_of(data.y)] @ V, data.X)


def test_noise_is_the_spread_around_the_prototype():
    still, noisy = (make_zero_shot(noise=noise, random_state=0) for noise in (0, 2.5))
    assert np.std(noisy.X - still.X) == pytest.approx(2.5, rel=0.02)
    assert np.std(still.X) == pytest.approx(1, rel=0.2)
    assert noisy.classes == still.classes


def test_attribute_noise_is_the_error_of_the_descriptions():
    exact, wrong = (make_zero_shot(attribute_noise=error, random_state=0) for error in (0, 0.5))
    assert np.std(wrong.classes.vectors - exact.classes.vectors) == pytest.approx(0.5, rel=0.1)
    assert np.array_equal(wrong.X, exact.X)


def test_domain_shift_displaces_the_unseen_classes_only():
    home, away = (make_zero_shot(domain_shift=shift, random_state=0) for shift in (0, 3))
    assert np.array_equal(home.X_train, away.X_train)
    assert np.array_equal(home.X_test_seen, away.X_test_seen)
    assert home.classes == away.classes
    moved = away.X_test_unseen - home.X_test_unseen
    assert np.allclose(np.sqrt(np.mean(moved**2, axis=1)), 3)
    directions = class_means(moved, away.y_test_unseen, away.unseen_classes)
    assert np.linalg.matrix_rank(directions) == len(away.unseen_classes)


@pytest.mark.parametrize("control", ["noise", "attribute_noise", "domain_shift"])
def test_each_control_makes_the_problem_harder(control):
    shares = [accuracy(**{control: value}) for value in (0, 1, 2, 4, 16)]
    assert shares[0] > 0.95
    assert all(later <= earlier + 0.05 for earlier, later in pairwise(shares))
    assert shares[-1] < 0.45


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_seen": 1}, "n_seen must be a whole number of at least 2, got 1"),
        ({"n_unseen": 0}, "n_unseen must be a whole number of at least 1, got 0"),
        ({"n_features": 0}, "n_features must be"),
        ({"n_attributes": "30"}, "n_attributes .* got '30': pass an int"),
        ({"n_per_class": True}, "n_per_class .* got True"),
        ({"n_test_per_class": np.float64(2)}, r"n_test_per_class .* got 2\.0: pass an int"),
        ({"noise": -1}, "noise must be a finite number of at least 0, got -1"),
        ({"attribute_noise": np.nan}, "attribute_noise must be a finite number .* got nan"),
        ({"domain_shift": np.inf}, "domain_shift must be a finite number .* got inf"),
        ({"domain_shift": None}, "domain_shift .* got None"),
        ({"random_state": 0.5}, "random_state must be None, an int"),
    ],
)
def test_bad_option_gets_a_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        make_zero_shot(**options)
