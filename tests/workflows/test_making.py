"""Models by name, with preparation and refinement."""

from typing import Any, ClassVar

import pytest
from sklearn.base import clone

from unseen.models import ESZSL, JFA, MODELS, Blend, Prepared
from unseen.transduction import SPZSR
from unseen.utils.errors import InputError
from unseen.workflows import make_model
from unseen.workflows.searching import find_grid


def test_a_model_by_name_with_settings() -> None:
    assert isinstance(make_model(), JFA)
    made = make_model("ESZSL", {"gamma": 10})
    assert isinstance(made, ESZSL)
    assert made.gamma == 10
    assert make_model("sje", seed=7).random_state == 7


def test_names_with_a_plus_are_blended() -> None:
    made = make_model("ESZSL + bilinear", {"eszsl__gamma": 10, "weights": [1, 2]}, pca=5, seed=7)
    assert isinstance(made.model, Blend)
    assert (made.model.random_state, made.model.weights) == (7, [1, 2])
    named = made.model.named_models
    assert (named["eszsl"].gamma, named["bilinear"].random_state) == (10, 7)


def test_a_model_that_is_given_is_copied() -> None:
    own = ESZSL(lam=3)
    made = make_model(own, {"gamma": 10}, unit_norm=True)
    assert (made.model.gamma, made.model.lam, own.gamma) == (10, 3, 1.0)


def test_preparation_and_refinement_stand_around_the_model() -> None:
    made = make_model("eszsl", unit_norm=True, pca=5, whiten=True, refine="SP-ZSR", seed=3)
    assert isinstance(made, SPZSR)
    assert made.random_state == 3
    assert isinstance(made.model, Prepared)
    steps = [step for _, step in made.model.features.steps]
    assert [type(step).__name__ for step in steps] == ["UnitNorm", "PCA", "Whitening", "UnitNorm"]
    assert (steps[1].n_components, steps[1].random_state) == (5, 3)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"model": "eszl"}, r"model='eszl' is not known \(did you mean 'eszsl'\?\)"),
        ({"model": "eszsl", "settings": {"gama": 1}}, "has no parameter 'gama'"),
        ({"model": "eszsl+jfaa"}, r"model='jfaa' is not known \(did you mean 'jfa'\?\)"),
        ({"model": "eszsl+ESZSL"}, "model='eszsl\\+ESZSL' names a model twice"),
        ({"model": "eszsl+jfa", "settings": {"gamma": 1}}, r"no parameter 'gamma' \(did you mean 'eszsl__gamma'\?\)"),
        ({"model": "eszsl", "refine": "spzr"}, "refine='spzr' is not known"),
    ],
)
def test_bad_names_get_a_sentence(arguments, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        make_model(**arguments)


class Bare(ESZSL):
    """Brings no grid."""

    default_grid: ClassVar[dict[str, list[Any]]] = {}


def test_a_model_without_a_grid_gets_a_sentence() -> None:
    with pytest.raises(InputError, match=r"model=Bare has no default grid: .*\(--grid NAME=V1,V2\)"):
        find_grid(Prepared(Bare()))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_brings_a_small_grid(name: str) -> None:
    model = make_model(name)
    grid = find_grid(model)
    assert grid
    for parameter, values in grid.items():
        assert len(values) > 1
        for value in values:
            clone(model).set_params(**{parameter: value})
