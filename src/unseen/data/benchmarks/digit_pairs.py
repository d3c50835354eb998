"""Make digit-pairs, a small real zero-shot problem that needs no download.

An example is a picture of two handwritten digits side by side. A class is a pair of digits, described by the digit in
each place. An unseen pair can be recognised because each of its digits occurs in seen pairs.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.data.dataset import ZeroShotDataset
from unseen.utils.validation import check_whole_number, make_random_stream

# Height and width of a picture, for `X[row].reshape(PICTURE_SHAPE)`.
PICTURE_SHAPE = (8, 16)

# Pixels of scikit-learn's digits range from 0 to 16.
_BRIGHTEST = 16
_TRAIN_SHARE = 0.6

# With fewer seen pairs than 20, a random choice hardly ever has every digit in both places.
_MAX_UNSEEN = 80
_MAX_PER_CLASS = 1000

_TENS, _ONES = np.divmod(np.arange(100), 10)
_LABELS = np.array([f"{pair:02d}" for pair in range(100)])


def digit_pairs(
    random_state: Any = 0,
    *,
    n_unseen: int = 30,
    n_train: int = 30,
    n_test_seen: int = 10,
    n_test_unseen: int = 30,
) -> ZeroShotDataset:
    """Make the digit-pairs dataset from the handwritten digits of scikit-learn.

    The classes are "00" to "99". Every digit occurs in both places among the seen classes, and test rows and
    training rows never share a digit image.

    Parameters
    ----------
    random_state : None, int or RandomState, default=0
        Seed for the choice of unseen classes and images. The same int gives the same data, bit for bit.
    n_unseen : int, default=30
        Number of unseen classes among the 100 classes, 1 to 80.
    n_train : int, default=30
        Number of training rows per seen class, 1 to 1000.
    n_test_seen : int, default=10
        Number of test rows per seen class, 0 to 1000.
    n_test_unseen : int, default=30
        Number of test rows per unseen class, 1 to 1000.

    Returns
    -------
    ZeroShotDataset
        `X` holds float32 pixels from 0 to 1, row by row of a picture of shape `PICTURE_SHAPE`; the class table has 20
        binary attributes.

    Examples
    --------
    >>> data = digit_pairs(random_state=0)
    >>> data
    <ZeroShotDataset 'digit-pairs': 3700 examples of 128 features, 70 seen and 30 unseen classes described by \
20 attributes; 2100 train, 700 test_seen, 900 test_unseen>
    >>> picture = data.X[0].reshape(PICTURE_SHAPE)
    """
    check_whole_number(n_unseen, "n_unseen", 1, _MAX_UNSEEN)
    check_whole_number(n_train, "n_train", 1, _MAX_PER_CLASS)
    check_whole_number(n_test_seen, "n_test_seen", 0, _MAX_PER_CLASS)
    check_whole_number(n_test_unseen, "n_test_unseen", 1, _MAX_PER_CLASS)
    random = make_random_stream(random_state)
    seen, unseen = _split_classes(random, n_unseen)
    train_pool, test_pool = _make_digit_pools(random)
    return ZeroShotDataset.from_parts(
        _make_class_table(),
        train=train_pool.draw_examples(random, seen, n_train),
        test_seen=test_pool.draw_examples(random, seen, n_test_seen),
        test_unseen=test_pool.draw_examples(random, unseen, n_test_unseen),
        name="digit-pairs",
        source="pairs of the handwritten digits of sklearn.datasets.load_digits (UCI, Alpaydin and Kaynak 1998)",
    )


def _split_classes(random: np.random.RandomState, n_unseen: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose seen and unseen pairs so that the seen pairs have every digit in both places."""
    while True:
        shuffled = random.permutation(100)
        seen, unseen = np.sort(shuffled[n_unseen:]), np.sort(shuffled[:n_unseen])
        if len(np.unique(_TENS[seen])) == 10 and len(np.unique(_ONES[seen])) == 10:
            return seen, unseen


@dataclass(frozen=True)
class _DigitPool:
    """Digit images to draw from: `images[digit]` has shape (n_images, 8, 8)."""

    images: list[NDArray[np.float32]]

    def draw_examples(
        self, random: np.random.RandomState, classes: NDArray[np.int64], n: int
    ) -> tuple[NDArray[np.float32], NDArray[np.str_]]:
        """Draw `n` different pairs of images for each class; return rows of pixels and their labels."""
        pictures = np.concatenate([self._draw_pictures(random, _TENS[pair], _ONES[pair], n) for pair in classes])
        return pictures.reshape(len(pictures), math.prod(PICTURE_SHAPE)), np.repeat(_LABELS[classes], n)

    def _draw_pictures(self, random: np.random.RandomState, tens: int, ones: int, n: int) -> NDArray[np.float32]:
        left, right = self.images[tens], self.images[ones]
        # One number per pair of images, so that no pair is drawn twice.
        at_left, at_right = np.divmod(random.permutation(len(left) * len(right))[:n], len(right))
        return np.concatenate([left[at_left], right[at_right]], axis=2)


def _make_digit_pools(random: np.random.RandomState) -> tuple[_DigitPool, _DigitPool]:
    """Divide the images of each digit into a training pool and a test pool."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels = (digits.images / _BRIGHTEST).astype(np.float32)
    train, test = [], []
    for digit in range(10):
        rows = random.permutation(np.flatnonzero(digits.target == digit))
        n_train = round(_TRAIN_SHARE * len(rows))
        train.append(pixels[rows[:n_train]])
        test.append(pixels[rows[n_train:]])
    return _DigitPool(train), _DigitPool(test)


def _make_class_table() -> ClassTable:
    """Describe each pair by the digit in its tens place and the digit in its ones place."""
    digit = np.eye(10)
    return ClassTable(
        np.hstack([digit[_TENS], digit[_ONES]]),
        _LABELS,
        [f"{place} is {number}" for place in ("tens", "ones") for number in range(10)],
    )
