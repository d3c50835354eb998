import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import check_estimator

from unseen.data import ClassTable, make_zero_shot
from unseen.features import DescriptionScaling, KernelMap
from unseen.models import ESZSL, Prepared
from unseen.utils.errors import InputError

CASES = {
    "seed": st.integers(0, 1000),
    "classes": st.integers(3, 12),
    "width": st.floats(0.3, 10),
    "kernel": st.sampled_from(["rbf", "linear"]),
}


def draw(seed, classes, d=5):
    random = np.random.default_rng(seed)
    return random.normal(size=(classes, d)), random.normal(size=(4, d))


def compute_kernel(mapping, seen, a, b):
    """Compute the kernel from its definition."""
    scaling = DescriptionScaling.fit(seen)
    a, b, psi = (scaling.apply(vectors) for vectors in (a, b, seen))
    if mapping.kernel == "linear":
        return a @ b.T
    distances = [((p - q) ** 2).sum() for i, p in enumerate(psi) for j, q in enumerate(psi) if i != j]
    return rbf_kernel(a, b, gamma=1 / (2 * mapping.width * np.mean(distances)))


@pytest.mark.parametrize(
    "mapping", [KernelMap(), KernelMap("linear"), KernelMap(width=3.0, landmarks=1, random_state=0)]
)
def test_passes_all_checks_of_scikit_learn(mapping):
    check_estimator(mapping, on_skip=None)


@settings(max_examples=30)
@given(**CASES)
def test_products_of_seen_descriptions_are_the_kernel(seed, classes, width, kernel):
    seen, _ = draw(seed, classes)
    mapping = KernelMap(kernel, width=width).fit(seen)
    mapped = mapping.transform(seen)
    assert mapped.shape == (classes, classes)
    np.testing.assert_allclose(mapped @ mapped.T, compute_kernel(mapping, seen, seen, seen), atol=1e-6)


@settings(max_examples=30)
@given(share=st.floats(0.1, 1), **CASES)
def test_products_of_all_others_are_the_nystroem_approximation(seed, classes, width, kernel, share):
    seen, unseen = draw(seed, classes)
    mapping = KernelMap(kernel, width=width, landmarks=max(1, int(share * classes)), random_state=seed).fit(seen)
    scaled = DescriptionScaling.fit(seen).apply(seen)
    chosen = seen[[int(np.abs(scaled - landmark).sum(axis=1).argmin()) for landmark in mapping.landmarks_]]
    everyone = np.concatenate([seen, unseen])
    K = compute_kernel(mapping, seen, everyone, chosen)
    expected = K @ np.linalg.pinv(compute_kernel(mapping, seen, chosen, chosen), rcond=1e-12, hermitian=True) @ K.T
    mapped = mapping.transform(everyone)
    np.testing.assert_allclose(mapped @ mapped.T, expected, atol=1e-4)


@settings(max_examples=30)
@given(**CASES)
def test_an_unseen_description_is_never_longer_than_its_kernel(seed, classes, width, kernel):
    seen, unseen = draw(seed, classes)
    mapping = KernelMap(kernel, width=width).fit(seen)
    lengths = (mapping.transform(unseen) ** 2).sum(axis=1)
    assert (lengths <= np.diag(compute_kernel(mapping, seen, unseen, unseen)) + 1e-6).all()


def test_agrees_with_scikit_learn():
    seen, unseen = draw(0, 8)
    mapping = KernelMap(width=2.0).fit(seen)
    scaling = DescriptionScaling.fit(seen)
    theirs = Nystroem(gamma=1 / (2 * mapping.variance_), n_components=8, random_state=0).fit(scaling.apply(seen))
    mapped, expected = mapping.transform(unseen), theirs.transform(scaling.apply(unseen))
    np.testing.assert_allclose(mapped @ mapped.T, expected @ expected.T, atol=1e-8)


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), factor=st.floats(1e-3, 1e3), shift=st.floats(-5, 5))
def test_units_and_offsets_of_descriptions_do_not_matter(seed, factor, shift):
    seen, unseen = draw(seed, 6)
    before = KernelMap().fit(seen).transform(unseen)
    after = KernelMap().fit(factor * seen + shift).transform(factor * unseen + shift)
    np.testing.assert_allclose(after, before, atol=1e-6)


def test_descriptions_that_are_alike_do_not_upset_it():
    seen, unseen = draw(0, 6)
    twice = np.concatenate([seen, seen])
    mapping = KernelMap().fit(twice)
    mapped = mapping.transform(twice)
    np.testing.assert_allclose(mapped @ mapped.T, compute_kernel(mapping, twice, twice, twice), atol=1e-8)
    assert np.abs(mapping.transform(unseen)).max() <= 1


def test_with_a_linear_kernel_models_stay_what_they_are():
    data = make_zero_shot(n_seen=12, n_unseen=4, n_attributes=6, random_state=0)  # the seen classes span all directions
    mapped = Prepared(ESZSL(), descriptions=KernelMap("linear"))
    scaling = DescriptionScaling.fit(data.seen_table.vectors)
    scaled = ClassTable(scaling.apply(data.classes.vectors), data.classes.labels)
    scores = [
        model.fit(data.X_train, data.y_train, classes=table).decision_function(data.X_test_unseen, data.unseen_classes)
        for model, table in ((mapped, data.classes), (ESZSL(), scaled))
    ]
    np.testing.assert_allclose(*scores, rtol=1e-6, atol=1e-6)


def test_the_draw_of_landmarks_is_repeatable():
    seen, _ = draw(0, 10)
    first, again, other = (KernelMap(landmarks=4, random_state=state).fit(seen).landmarks_ for state in (0, 0, 1))
    assert first.shape == (4, 5)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert KernelMap(landmarks=4).fit(seen).get_feature_names_out().tolist() == [f"kernelmap{at}" for at in range(4)]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"kernel": "rbff"}, r"kernel='rbff' is not known \(did you mean 'rbf'\?\): choose one of 'rbf', 'linear'"),
        ({"width": 0}, "width must be a finite number above 0, got 0"),
        ({"landmarks": "all"}, "landmarks='all' is not known: choose 'seen', or give a number"),
        ({"landmarks": 4}, "landmarks must be a whole number of at least 1 and at most 3, got 4"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        KernelMap(**parameters).fit(np.eye(3))


def test_descriptions_that_do_not_differ_get_a_sentence():
    with pytest.raises(InputError, match="X has the same description for all classes"):
        KernelMap().fit(np.ones((3, 4)))
