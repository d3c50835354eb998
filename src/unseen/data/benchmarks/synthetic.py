"""Make synthetic zero-shot problems with adjustable difficulty."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.data.dataset import ZeroShotDataset
from unseen.utils.validation import check_non_negative, check_whole_number, make_random_stream


def make_zero_shot(
    n_seen: int = 20,
    n_unseen: int = 5,
    n_features: int = 50,
    n_attributes: int = 30,
    n_per_class: int = 50,
    n_test_per_class: int = 20,
    noise: float = 1.0,
    attribute_noise: float = 0.0,
    domain_shift: float = 0.0,
    random_state: Any = None,
) -> ZeroShotDataset:
    """Make a dataset whose class prototypes are a linear map of the class attributes.

    True attributes are standard normal, and the map is scaled so that prototypes have about unit variance in each
    feature. The three parameters of difficulty are therefore in units of that spread. The random numbers that they
    scale do not depend on them, so datasets of the same `random_state` and sizes differ only in difficulty.

    Parameters
    ----------
    n_seen, n_unseen : int, default=20 and 5
        Numbers of seen (at least 2) and unseen classes (at least 1).
    n_features, n_attributes : int, default=50 and 30
        Numbers of features of an example and of attributes of a class.
    n_per_class : int, default=50
        Number of training rows per seen class.
    n_test_per_class : int, default=20
        Number of test rows per class, seen or unseen.
    noise : float, default=1.0
        Standard deviation of each feature around the prototype of the class.
    attribute_noise : float, default=0.0
        Standard deviation of the errors of each attribute in the class table.
    domain_shift : float, default=0.0
        Distance of the prototype of each unseen class from the linear map, in a random direction: the root mean square
        displacement over the features.
    random_state : None, int or RandomState, default=None
        Random seed. The same int gives the same data, bit for bit.

    Returns
    -------
    ZeroShotDataset
        `X` of dtype float64; classes "class 00", "class 01", ..., of which the last `n_unseen` are unseen.

    Examples
    --------
    >>> make_zero_shot(n_seen=3, n_unseen=2, n_per_class=4, n_test_per_class=1, random_state=0)
    <ZeroShotDataset 'synthetic': 17 examples of 50 features, 3 seen and 2 unseen classes described by 30 attributes; \
12 train, 3 test_seen, 2 test_unseen>
    """
    n_seen = check_whole_number(n_seen, "n_seen", 2)
    n_unseen = check_whole_number(n_unseen, "n_unseen", 1)
    n_features = check_whole_number(n_features, "n_features", 1)
    n_attributes = check_whole_number(n_attributes, "n_attributes", 1)
    n_per_class = check_whole_number(n_per_class, "n_per_class", 1)
    n_test_per_class = check_whole_number(n_test_per_class, "n_test_per_class", 1)
    noise = check_non_negative(noise, "noise")
    attribute_noise = check_non_negative(attribute_noise, "attribute_noise")
    domain_shift = check_non_negative(domain_shift, "domain_shift")
    random = make_random_stream(random_state)

    n_classes = n_seen + n_unseen
    truth = random.standard_normal((n_classes, n_attributes))
    error = random.standard_normal(truth.shape)
    prototypes = truth @ random.standard_normal((n_attributes, n_features)) / np.sqrt(n_attributes)
    prototypes[n_seen:] += domain_shift * _draw_displacements(random, n_unseen, n_features)

    classes = ClassTable(truth + attribute_noise * error, [f"class {at:02d}" for at in range(n_classes)])

    def examples(of_classes: NDArray[np.int64], n: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
        rows = np.repeat(of_classes, n)
        return prototypes[rows] + noise * random.standard_normal((len(rows), n_features)), classes.labels[rows]

    seen, unseen = np.split(np.arange(n_classes), [n_seen])
    return ZeroShotDataset.from_parts(
        classes,
        train=examples(seen, n_per_class),
        test_seen=examples(seen, n_test_per_class),
        test_unseen=examples(unseen, n_test_per_class),
        name="synthetic",
        source="unseen.data.make_zero_shot",
    )


def _draw_displacements(random: np.random.RandomState, n: int, n_features: int) -> NDArray[np.float64]:
    """Draw `n` random directions whose root mean square over the features is exactly 1."""
    directions = random.standard_normal((n, n_features))
    directions /= np.sqrt(np.mean(directions**2, axis=1, keepdims=True))
    return directions
