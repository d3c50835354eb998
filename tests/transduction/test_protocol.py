"""What every refinement does alike, on each of `conftest.REFINEMENTS`."""

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator

import unseen.transduction
from unseen.data import ZeroShotDataset
from unseen.models import ESZSL, Prepared
from unseen.selection import ClassDisjointSearch
from unseen.transduction import TransductiveClassifier, is_transductive
from unseen.utils.errors import InputError


def accuracy(model: Any, data: ZeroShotDataset) -> float:
    return float(np.mean(model.predict(data.X_test_unseen, classes=data.unseen_classes) == data.y_test_unseen))


def test_every_exported_refinement_is_tested(refinements: list[TransductiveClassifier]) -> None:
    exported = {
        kind
        for kind in vars(unseen.transduction).values()
        if isinstance(kind, type) and issubclass(kind, TransductiveClassifier) and not inspect.isabstract(kind)
    }
    missing = exported - {type(refinement) for refinement in refinements}
    assert not missing, f"add these refinements to REFINEMENTS in tests/transduction/conftest.py: {missing}"


def test_is_hardly_worse_than_the_model_inside(fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    assert accuracy(fitted, data) >= accuracy(fitted.model_, data) - 0.05


def test_probabilities_name_the_answers(fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    probabilities = fitted.predict_proba(data.X_test_unseen, classes=data.unseen_classes)
    assert probabilities.shape == (len(data.X_test_unseen), len(data.unseen_classes))
    assert probabilities.min() >= 0
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    answers = fitted.predict(data.X_test_unseen, classes=data.unseen_classes)
    np.testing.assert_array_equal(data.unseen_classes[probabilities.argmax(axis=1)], answers)


def test_the_same_seed_gives_the_same_probabilities(
    refinement: TransductiveClassifier, fitted: TransductiveClassifier, data: ZeroShotDataset
) -> None:
    again = clone(refinement).fit(data.X_train, data.y_train, classes=data.classes)
    batches = [model.predict_proba(data.X_test_unseen, data.unseen_classes) for model in (fitted, again, fitted)]
    np.testing.assert_array_equal(batches[0], batches[1])
    np.testing.assert_array_equal(batches[0], batches[2])


def test_the_order_of_rows_does_not_matter(
    fitted: TransductiveClassifier, data: ZeroShotDataset, random: np.random.Generator
) -> None:
    order = random.permutation(len(data.X_test_unseen))
    one = fitted.predict_proba(data.X_test_unseen, data.unseen_classes)
    two = fitted.predict_proba(data.X_test_unseen[order], data.unseen_classes)
    np.testing.assert_allclose(one[order], two, atol=1e-3)


def test_the_order_of_candidates_does_not_matter(
    fitted: TransductiveClassifier, data: ZeroShotDataset, random: np.random.Generator
) -> None:
    order = random.permutation(len(data.unseen_classes))
    one = fitted.predict_proba(data.X_test_unseen, data.unseen_classes)
    two = fitted.predict_proba(data.X_test_unseen, data.unseen_classes[order])
    np.testing.assert_allclose(one[:, order], two, atol=1e-3)


def test_a_single_row_has_the_models_own_answer_and_a_warning(
    fitted: TransductiveClassifier, data: ZeroShotDataset
) -> None:
    row = data.X_test_unseen[:1]
    with pytest.warns(UserWarning, match="single row"):
        answer = fitted.predict(row, classes=data.unseen_classes)
    np.testing.assert_array_equal(answer, fitted.model_.predict(row, classes=data.unseen_classes))


@pytest.mark.parametrize("n_rows", [2, 3, 5])
def test_fewer_rows_than_candidates(n_rows: int, fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    probabilities = fitted.predict_proba(data.X_test_unseen[::30][:n_rows], classes=data.unseen_classes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_rows_that_are_all_the_same(fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    rows = np.repeat(data.X_test_unseen[:1], 9, axis=0)
    probabilities = fitted.predict_proba(rows, classes=data.unseen_classes)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities, probabilities[:1].repeat(9, axis=0), atol=1e-6)


def test_one_candidate(fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    answers = fitted.predict(data.X_test_unseen, classes=data.unseen_classes[:1])
    assert set(answers) == set(data.unseen_classes[:1])


def test_seen_classes_are_the_candidates_without_others(fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    answers = fitted.predict(data.X_test_seen)
    assert np.mean(answers == data.y_test_seen) > 0.5


def test_unseen_classes_are_scored_among_themselves(fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    assert fitted.score(data.X_test_unseen, data.y_test_unseen) == accuracy(fitted, data)


def test_single_precision(fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    answers = fitted.predict(data.X_test_unseen.astype(np.float32), classes=data.unseen_classes)
    expected = fitted.predict(data.X_test_unseen, classes=data.unseen_classes)
    assert np.mean(answers == expected) > 0.95


def test_rows_in_a_list_or_a_data_frame(fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    pd = pytest.importorskip("pandas")
    expected = fitted.predict(data.X_test_unseen, classes=data.unseen_classes)
    for rows in (data.X_test_unseen.tolist(), pd.DataFrame(data.X_test_unseen)):
        np.testing.assert_array_equal(fitted.predict(rows, classes=data.unseen_classes), expected)


def test_a_frozen_model_is_not_fitted_again(refinement: TransductiveClassifier, data: ZeroShotDataset) -> None:
    model = ESZSL().fit(data.X_train[::2], data.y_train[::2], classes=data.classes)
    before = model.V_.copy()
    refined = clone(refinement).set_params(model=FrozenEstimator(model))
    refined.fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_array_equal(model.V_, before)
    assert refined.predict(data.X_test_unseen, data.unseen_classes).shape == data.y_test_unseen.shape


def test_rows_are_prepared_as_for_the_model(refinement: TransductiveClassifier, data: ZeroShotDataset) -> None:
    prepared = clone(refinement).set_params(model=Prepared(ESZSL(), features=PCA(8, random_state=0)))
    prepared.fit(data.X_train, data.y_train, classes=data.classes)
    by_hand = PCA(8, random_state=0).fit(data.X_train)
    plain = clone(refinement).fit(by_hand.transform(data.X_train), data.y_train, classes=data.classes)
    np.testing.assert_allclose(
        prepared.predict_proba(data.X_test_unseen, data.unseen_classes),
        plain.predict_proba(by_hand.transform(data.X_test_unseen), data.unseen_classes),
        atol=1e-6,
    )


def test_a_search_refines_held_out_classes_as_a_batch(
    refinement: TransductiveClassifier, data: ZeroShotDataset
) -> None:
    name, values = next(
        (name, [value, value * 2]) for name, value in refinement.get_params(deep=False).items() if type(value) is float
    ) if not hasattr(refinement, "alpha") else ("alpha", [0.1, 0.5])  # fmt: skip
    search = ClassDisjointSearch(clone(refinement), {name: values}, random_state=0)
    search.fit(data.X_train, data.y_train, classes=data.classes)
    single = clone(refinement).set_params(**search.best_params_)
    single.fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_array_equal(
        search.predict(data.X_test_unseen, data.unseen_classes), single.predict(data.X_test_unseen, data.unseen_classes)
    )
    assert is_transductive(search)


def test_no_labels(refinement: TransductiveClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="y is None: give one label"):
        clone(refinement).fit(data.X_train, None)


def test_candidates_of_another_width(fitted: TransductiveClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="classes has descriptions of width 3"):
        fitted.predict(data.X_test_unseen, classes={"okapi": [1.0, 2.0, 3.0]})
