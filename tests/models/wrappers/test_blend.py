"""Blends of models: what holds of the parts holds of the blend."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA

from unseen.data import ZeroShotDataset
from unseen.features import UnitNorm, Whitening
from unseen.models import DAP, ESZSL, JFA, BilinearSVM, Blend, Calibrated, ConSE, Prepared
from unseen.models.wrappers.blend_weights import HeldOut, choose_weights, list_weights, measure_spread
from unseen.models.wrappers.terms import list_terms
from unseen.selection import ClassDisjointSearch, ClassKFold
from unseen.transduction import PST, SPZSR
from unseen.utils.errors import InputError


def fit(model: Any, data: ZeroShotDataset) -> Any:
    return model.fit(data.X_train, data.y_train, classes=data.classes)


@pytest.fixture(scope="module")
def parts(data: ZeroShotDataset) -> list[Any]:
    """An affine model, one that is not, and one that prepares its own data."""
    prepared = Prepared(BilinearSVM(), features=UnitNorm(), descriptions=Whitening())
    return [fit(model, data) for model in (ESZSL(), ConSE(), prepared)]


@pytest.fixture(scope="module")
def blend(data: ZeroShotDataset) -> Blend:
    return fit(Blend([ESZSL(), ConSE(), Prepared(BilinearSVM(), features=UnitNorm(), descriptions=Whitening())]), data)


# Scores


@pytest.mark.parametrize("model", [ESZSL(), ConSE(), Prepared(JFA(), features=UnitNorm())], ids=["affine", "not", "in"])
def test_a_blend_of_one_model_is_that_model(model: Any, data: ZeroShotDataset) -> None:
    alone, blended = fit(clone(model), data), fit(Blend([model]), data)
    for method in ("decision_function", "predict_proba"):
        expected = getattr(alone, method)(data.X_test_unseen, data.classes)
        np.testing.assert_allclose(getattr(blended, method)(data.X_test_unseen, data.classes), expected, rtol=1e-9)
    found = blended.predict(data.X_test_unseen, data.classes)
    np.testing.assert_array_equal(found, alone.predict(data.X_test_unseen, data.classes))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 10), min_size=3, max_size=3).filter(lambda weights: sum(weights) > 0.1))
def test_scores_are_the_weighted_sum_of_those_of_the_parts(
    data: ZeroShotDataset, blend: Blend, parts: list[Any], weights: list[float]
) -> None:
    weighted = Blend(blend.models)
    weighted._restore(blend._state() | {"weights_": np.array(weights) / sum(weights)})
    scores = [part.decision_function(data.X_test_unseen, data.classes) for part in parts]
    expected = sum(w / s * part for w, s, part in zip(weighted.weights_, blend.spreads_, scores, strict=True))
    np.testing.assert_allclose(weighted.decision_function(data.X_test_unseen, data.classes), expected, atol=1e-9)


def test_affine_parts_make_an_affine_blend(data: ZeroShotDataset) -> None:
    blended = fit(Blend([ESZSL(), DAP(random_state=0), JFA()], weights=[1, 2, 3]), data)
    E, b = blended._score_classes(data.classes)
    np.testing.assert_allclose(data.X @ E + b, blended.decision_function(data.X, data.classes), atol=1e-9)
    assert callable(fit(Blend([ESZSL(), ConSE()], weights=[1, 1]), data)._score_classes(data.classes))


def test_blends_can_be_blended(data: ZeroShotDataset) -> None:
    inner = Blend([ESZSL(), BilinearSVM()], weights=[1, 1], random_state=0)
    outer = fit(Prepared(Blend([("both", inner), ("dap", DAP(random_state=0))], random_state=0), features=PCA(8)), data)
    terms = list_terms(outer)
    assert [type(term.core).__name__ for term in terms] == ["ESZSL", "BilinearSVM", "DAP"]
    X = data.X_test_unseen
    scores = [
        term.factor * term.core.decision_function(term.preparation.prepare_rows(X), data.unseen_classes)
        for term in terms
    ]
    np.testing.assert_allclose(outer.decision_function(X, data.unseen_classes), sum(scores), atol=1e-9)


def test_a_part_of_weight_nothing_is_not_asked(data: ZeroShotDataset) -> None:
    blended = fit(Blend([ESZSL(), ConSE()], weights=[1, 0]), data)
    expected = fit(ESZSL(), data).predict(data.X_test_unseen, data.classes)
    np.testing.assert_array_equal(blended.predict(data.X_test_unseen, data.classes), expected)
    assert not callable(blended._score_classes(data.classes))


# Spreads and weights


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(1e-3, 1e3))
def test_the_spread_has_the_units_of_the_scores_and_ignores_what_a_row_shares(seed: int, factor: float) -> None:
    random = np.random.default_rng(seed)
    scores, weights = random.normal(size=(9, 4)), random.random(9) + 0.1
    changed = factor * scores + random.normal(size=(9, 1))
    expected = factor * measure_spread([scores], [weights])
    assert measure_spread([changed], [weights]) == pytest.approx(expected, rel=1e-6)
    halves = [changed[:4], changed[4:]], [weights[:4], weights[4:]]
    assert measure_spread(*halves) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n_parts", [1, 2, 3, 5])
def test_the_grid_covers_all_weights(n_parts: int) -> None:
    points = np.array(list(list_weights(n_parts)))
    np.testing.assert_allclose(points.sum(axis=1), 1)
    assert points.min() >= 0
    assert len(np.unique(points.round(9), axis=0)) == len(points) <= 301
    corners = {tuple(point) for point in points} & {tuple(point) for point in np.eye(n_parts)}
    assert len(corners) == n_parts
    np.testing.assert_allclose(points[0], 1 / n_parts)


def test_the_best_weights_are_chosen_and_of_equal_ones_the_more_even() -> None:
    true = np.array([0, 1, 2, 0, 1, 2])
    right, noise = np.eye(3)[true], np.eye(3)[(true + 1) % 3]
    weights = np.ones(6)
    chosen, accuracy = choose_weights([HeldOut(np.stack([right, noise]), true, weights)])
    # Right from just above one half on: the grid has steps of 1/50.
    np.testing.assert_allclose(chosen, [0.52, 0.48])
    assert accuracy == 1
    chosen, _ = choose_weights([HeldOut(np.stack([right, right, noise]), true, weights)])
    np.testing.assert_allclose(chosen, np.full(3, 1 / 3))


def test_weights_are_those_of_classes_that_no_part_was_shown(data: ZeroShotDataset) -> None:
    splitter = ClassKFold(2, random_state=1)
    blended = fit(Blend([ESZSL(), ConSE()], splitter=splitter), data)
    best, table = [], data.classes
    for candidate in ([1.0, 0.0], [0.0, 1.0], blended.weights_):
        accuracies = []
        for train, test in splitter.split(data.X_train, data.y_train):
            seen, hidden = (table.select(np.unique(data.y_train[rows])) for rows in (train, test))
            scores = 0
            for model, weight, spread in zip((ESZSL(), ConSE()), candidate, blended.spreads_, strict=True):
                model.fit(data.X_train[train], data.y_train[train], classes=seen)
                scores = scores + weight / spread * model.decision_function(data.X_train[test], classes=hidden)
            right = hidden.labels[scores.argmax(axis=1)] == data.y_train[test]
            accuracies.append(np.mean([right[data.y_train[test] == label].mean() for label in hidden]))
        best.append(np.mean(accuracies))
    np.testing.assert_allclose(best, [*blended.part_accuracies_, blended.held_out_accuracy_])
    assert best[2] >= max(best[:2])


def test_without_classes_to_hold_out_parts_weigh_the_same(data: ZeroShotDataset) -> None:
    plain = Blend([ESZSL(), ConSE()]).fit(data.X_train, data.y_train)
    few = np.isin(data.y_train, data.seen_classes[:3])
    with pytest.warns(UserWarning, match="y has 3 classes, too few to hold any out"):
        small = Blend([ESZSL(), ConSE()]).fit(data.X_train[few], data.y_train[few], classes=data.classes)
    for model in (plain, small):
        np.testing.assert_array_equal(model.weights_, [0.5, 0.5])
        assert model.held_out_accuracy_ is None
        seen = model.decision_function(data.X_train, classes=model.classes_)
        assert measure_spread([seen], [np.ones(len(seen))]) == pytest.approx(1, rel=0.5)


# Among other estimators


def test_parameters_of_parts_are_set_by_name(data: ZeroShotDataset) -> None:
    model = Blend([ESZSL(), JFA(), JFA()])
    assert list(model.named_models) == ["eszsl", "jfa1", "jfa2"]
    model.set_params(eszsl__gamma=7.0, jfa2__lam=0.3, weights=[1, 1, 2])
    assert (model.models[0].gamma, model.models[2].lam, model.weights) == (7.0, 0.3, [1, 1, 2])
    model.set_params(jfa1=ConSE())
    assert isinstance(model.named_models["jfa1"], ConSE)
    copy = clone(model).set_params(eszsl__gamma=1.0)
    assert model.named_models["eszsl"].gamma == 7.0 != copy.named_models["eszsl"].gamma
    with pytest.raises(ValueError, match="Invalid parameter 'gama'"):
        model.set_params(eszsl__gama=1.0)


def test_a_search_around_and_inside(data: ZeroShotDataset) -> None:
    inside = ClassDisjointSearch(ESZSL(), {"gamma": [1.0, 100.0]}, random_state=0)
    around = ClassDisjointSearch(
        Prepared(Blend([inside, ConSE()])),
        {"model__conse__T": [3, 10], "model__weights": [[1, 1], None]},
        random_state=0,
    )
    fit(around, data)
    assert set(around.best_params_) == {"model__conse__T", "model__weights"}
    assert around.score(data.X_test_unseen, data.y_test_unseen) > 5 / len(data.unseen_classes)


@pytest.mark.parametrize("wrap", [Calibrated, SPZSR, PST], ids=lambda kind: kind.__name__)
def test_wrappers_stand_around_a_blend(wrap: Any, data: ZeroShotDataset) -> None:
    model = fit(wrap(Blend([ESZSL(), ConSE()], random_state=0)), data)
    assert model.score(data.X_test_unseen, data.y_test_unseen) > 5 / len(data.unseen_classes)
    with pytest.raises(InputError, match=rf"put it around the blend, {wrap.__name__}\(Blend"):
        fit(Blend([ESZSL(), wrap(ESZSL())]), data)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"models": []}, r"models=\[\] is not a list of models"),
        ({"models": ESZSL()}, "is not a list of models"),
        ({"models": ["eszsl"]}, "str='eszsl', which is not a model"),
        ({"models": [ESZSL(), ("b", ESZSL())]}, "is not a list of models"),
        ({"models": [("a", ESZSL()), ("a", ESZSL())]}, "give each model a name of its own"),
        (
            {"models": [("weights", ESZSL())]},
            r"not of a parameter \(models, random_state, splitter, spreads, weights\)",
        ),
        ({"models": [("a__b", ESZSL())]}, "without '__'"),
        ({"models": [ESZSL(), JFA()], "weights": [1]}, r"weights=\[1\] cannot weigh 2 models"),
        ({"models": [ESZSL(), JFA()], "weights": [1, -1]}, "numbers of at least 0"),
        ({"models": [ESZSL(), JFA()], "weights": [0, 0]}, "not all of them 0"),
        ({"models": [ESZSL(), JFA()], "weights": "much"}, "weights='much' cannot weigh 2 models"),
        ({"models": [ESZSL(), JFA()], "spreads": [1]}, r"spreads=\[1\] cannot be the spreads of 2 models"),
        ({"models": [ESZSL(), JFA()], "spreads": [1, 0]}, "give 2 numbers above 0"),
    ],
)
def test_what_cannot_be_blended_gets_a_sentence(
    arguments: dict[str, Any], sentence: str, data: ZeroShotDataset
) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(Blend(**arguments), data)


def test_contributions_need_attributes_in_common(blend: Blend, data: ZeroShotDataset) -> None:
    even = Blend(blend.models)
    even._restore(blend._state() | {"weights_": np.full(3, 1 / 3)})  # so that all parts count
    with pytest.raises(InputError, match=r"prepares descriptions by itself.*Prepared\(Blend"):
        even.contributions(data.X_test_unseen, data.y_test_unseen)


def test_known_weights_and_spreads_need_no_held_out_classes(data: ZeroShotDataset) -> None:
    measured = Blend([ESZSL(), ConSE()], random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    known = Blend([ESZSL(), ConSE()], measured.weights_, spreads=measured.spreads_, splitter="not asked")
    known.fit(data.X_train, data.y_train, classes=data.classes)
    assert known.held_out_accuracy_ is None
    expected, found = (
        model.decision_function(data.X_test_unseen, classes=data.unseen_classes) for model in (measured, known)
    )
    np.testing.assert_allclose(found, expected)
    # Spreads alone leave the weights to choose.
    rest = Blend([ESZSL(), ConSE()], spreads=measured.spreads_, random_state=0)
    rest.fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_allclose(rest.weights_, measured.weights_)
