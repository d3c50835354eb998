import numpy as np
import pytest

from unseen.data import PICTURE_SHAPE, digit_pairs
from unseen.utils.errors import InputError


@pytest.fixture(scope="module")
def data():
    return digit_pairs(random_state=0)


def halves(X):
    """Cut pictures into their left and right digits, as text that can be compared in sets."""
    pictures = X.reshape(-1, *PICTURE_SHAPE)
    return [half.tobytes() for digits in (pictures[:, :, :8], pictures[:, :, 8:]) for half in digits]


def test_sizes(data):
    assert data.name == "digit-pairs"
    assert data.X.shape == (3700, 128)
    assert data.X.dtype == np.float32
    assert (data.X.min(), data.X.max()) == (0, 1)
    assert list(data.classes) == [f"{pair:02d}" for pair in range(100)]
    assert (len(data.seen_classes), len(data.unseen_classes)) == (70, 30)
    for part, per_class in ((data.y_train, 30), (data.y_test_seen, 10), (data.y_test_unseen, 30)):
        assert set(np.unique(part, return_counts=True)[1]) == {per_class}
    assert set(data.y_test_seen) == set(data.seen_classes)


def test_attributes_say_what_the_label_says(data):
    assert data.classes.width == 20
    for label, vector in zip(data.classes, data.classes.vectors, strict=True):
        true = [name for name, value in zip(data.classes.attributes, vector, strict=True) if value]
        assert true == [f"tens is {label[0]}", f"ones is {label[1]}"]


@pytest.mark.parametrize(("seed", "n_unseen"), [(0, 30), (1, 30), (2, 80)])
def test_seen_classes_show_every_digit_in_both_places(seed, n_unseen):
    data = digit_pairs(seed, n_unseen=n_unseen, n_train=1, n_test_seen=0, n_test_unseen=1)
    assert len(data.unseen_classes) == n_unseen
    for place in (0, 1):
        assert {label[place] for label in data.seen_classes} == set("0123456789")


def test_pictures_show_the_digits_of_their_label(data):
    from sklearn.datasets import load_digits

    digits = load_digits()
    digit_of = {
        image.tobytes(): str(digit)
        for image, digit in zip((digits.images / 16).astype(np.float32), digits.target, strict=True)
    }
    assert len(digit_of) == len(digits.images)  # no image occurs twice, so images can be told apart by their pixels
    shown = [digit_of[half] for half in halves(data.X)]
    n = len(data.X)
    assert [tens + ones for tens, ones in zip(shown[:n], shown[n:], strict=True)] == data.y.tolist()


def test_no_test_image_is_a_training_image(data):
    train = set(halves(data.X_train))
    assert train.isdisjoint(halves(data.X_test_seen))
    assert train.isdisjoint(halves(data.X_test_unseen))


def test_no_example_occurs_twice(data):
    for X in (data.X_train, data.X_test_seen, data.X_test_unseen):
        assert len(np.unique(X, axis=0)) == len(X)


def test_seeds():
    few = {"n_train": 2, "n_test_seen": 1, "n_test_unseen": 1}
    first, again, other = digit_pairs(3, **few), digit_pairs(np.random.RandomState(3), **few), digit_pairs(4, **few)
    assert first.X.tobytes() == again.X.tobytes()
    assert np.array_equal(first.y, again.y)
    assert set(first.unseen_classes) != set(other.unseen_classes)
    assert len(digit_pairs(None, **few).X) == 70 * 3 + 30


def test_unseen_pairs_can_be_recognised_from_their_halves(data):
    # Least squares from pixels to attributes, then the best matching description: chance is 1 in 30.
    table, unseen = data.seen_table, data.unseen_table
    targets = table.vectors[table.index_of(data.y_train)]
    X = np.hstack([data.X_train, np.ones((len(data.train), 1))])
    W = np.linalg.lstsq(X.T @ X + np.eye(X.shape[1]), X.T @ targets, rcond=None)[0]
    scores = (data.X_test_unseen @ W[:-1] + W[-1]) @ unseen.vectors.T
    assert np.mean(unseen.labels[scores.argmax(axis=1)] == data.y_test_unseen) > 0.7


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_unseen": 81}, "n_unseen must be a whole number of at least 1 and at most 80, got 81"),
        ({"n_unseen": 0}, "n_unseen .* got 0"),
        ({"n_train": 0}, "n_train must be a whole number of at least 1"),
        ({"n_test_seen": -1}, "n_test_seen must be a whole number of at least 0"),
        ({"n_test_unseen": 2.5}, "n_test_unseen .* got 2.5: pass an int"),
        ({"random_state": "dice"}, "random_state must be None, an int .* got 'dice'"),
        ({"random_state": -1}, "random_state must be None, an int .* got -1"),
    ],
)
def test_bad_option_gets_a_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        digit_pairs(**options)
