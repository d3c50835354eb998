"""Every list of names lists what its package defines, and answers an unknown name with a suggestion."""

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from sklearn.base import MetaEstimatorMixin, TransformerMixin

import unseen.features
import unseen.learning
import unseen.models
import unseen.selection
import unseen.similarity
import unseen.transduction
from unseen.data import DATASETS
from unseen.data.formats import FORMATS
from unseen.encoders import IMAGE_ENCODERS, TEXT_ENCODERS
from unseen.evaluation import SETTINGS
from unseen.features import STEPS
from unseen.learning.losses import LOSSES
from unseen.learning.solvers import SOLVERS
from unseen.models import MODELS, ZeroShotClassifier
from unseen.selection import SPLITTERS
from unseen.selection.splitters import BaseCrossValidator
from unseen.selection.trials import SCORINGS
from unseen.similarity import SIMILARITIES, Similarity
from unseen.transduction import REFINEMENTS, TransductiveClassifier
from unseen.utils.errors import InputError
from unseen.utils.registry import Registry

# Each registry with a slip of the pen and what was meant.
SLIPS: dict[str, tuple[Registry[Any], str, str]] = {
    "models": (MODELS, "eszl", "eszsl"),
    "losses": (LOSSES, "sofft", "soft-maximum"),
    "solvers": (SOLVERS, "smoth", "smooth"),
    "solvers chosen by themselves": (SOLVERS, "atuo", "auto"),
    "steps": (STEPS, "Whitning", "Whitening"),
    "similarities": (SIMILARITIES, "bilinaer", "bilinear"),
    "refinements": (REFINEMENTS, "SPZRS", "SPZSR"),
    "splitters": (SPLITTERS, "HoldOutClass", "HoldOutClasses"),
    "scorings": (SCORINGS, "per-clas", "per-class"),
    "formats": (FORMATS, "parket", "Parquet"),
    "settings": (SETTINGS, "generalised", "generalized"),
    "datasets": (DATASETS, "digits", "digit-pairs"),
    "image encoders": (IMAGE_ENCODERS, "vgg16", "vgg19"),
    "text encoders": (TEXT_ENCODERS, "mini-lm6", "minilm"),
}


@pytest.mark.parametrize(("registry", "slip", "meant"), SLIPS.values(), ids=SLIPS.keys())
def test_an_unknown_name_gets_a_suggestion(registry: Registry[Any], slip: str, meant: str) -> None:
    with pytest.raises(InputError) as caught:
        registry.find(slip, "--here")
    message = str(caught.value)
    assert message.startswith(f"--here={slip!r} is not known (did you mean {meant!r}?): choose one of ")
    assert all(repr(name) in message for name in registry)


@pytest.mark.parametrize("registry", {id(registry): registry for registry, _, _ in SLIPS.values()}.values(), ids=repr)
def test_every_name_is_found_in_any_spelling(registry: Registry[Any]) -> None:
    for name, entry in registry.items():
        assert registry.find(name) is entry
        assert registry.find(name.swapcase().replace("-", " ")) is entry


def defined_in(package: Any) -> Iterator[type]:
    """Yield the public classes that the modules of a package define."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = import_module(found.name)
        for name, kind in vars(module).items():
            if isinstance(kind, type) and kind.__module__ == module.__name__ and not name.startswith("_"):
                yield kind


def is_protocol(kind: type) -> bool:
    return bool(getattr(kind, "_is_protocol", False))


def test_every_model_is_listed() -> None:
    defined = {kind for kind in defined_in(unseen.models) if issubclass(kind, ZeroShotClassifier)}
    wrappers = {kind for kind in defined if issubclass(kind, MetaEstimatorMixin)}
    assert {kind for kind in defined - wrappers if not inspect.isabstract(kind)} == set(MODELS.values())


def test_every_loss_and_solver_is_listed() -> None:
    defined = [kind for kind in defined_in(unseen.learning) if not is_protocol(kind)]
    assert {kind for kind in defined if hasattr(kind, "value_and_weights")} == set(LOSSES.values())
    solvers = {kind for kind in defined if hasattr(kind, "solve") and hasattr(kind, "check")}
    around = {kind for kind in solvers if "solver" in inspect.signature(kind).parameters}
    assert solvers - around == set(SOLVERS.values())


def test_every_similarity_is_listed() -> None:
    defined = {kind for kind in defined_in(unseen.similarity) if issubclass(kind, Similarity)}
    assert {kind for kind in defined if not inspect.isabstract(kind)} == set(SIMILARITIES.values())


def test_every_step_is_listed() -> None:
    defined = {kind for kind in defined_in(unseen.features) if issubclass(kind, TransformerMixin)}
    assert defined
    assert defined <= set(STEPS.values())


def test_every_refinement_splitter_and_setting_is_listed() -> None:
    refinements = {kind for kind in defined_in(unseen.transduction) if issubclass(kind, TransductiveClassifier)}
    assert refinements - {TransductiveClassifier} == set(REFINEMENTS.values())
    splitters = {kind for kind in defined_in(unseen.selection) if issubclass(kind, BaseCrossValidator)}
    assert splitters == set(SPLITTERS.values())
    settings = import_module("unseen.evaluation.settings")
    defined = {kind for kind in defined_in(settings) if hasattr(kind, "measure") and not is_protocol(kind)}
    assert defined == set(SETTINGS.values())


def test_every_model_is_found_by_the_name_of_its_class() -> None:
    for kind in MODELS.values():
        assert MODELS.find(kind.__name__) is MODELS.find(kind.__name__.upper()) is kind


def test_parameters_are_checked_and_defaults_fill_in() -> None:
    assert MODELS.make("jfa", {"lam": 3.0}, random_state=7, no_such=1).get_params()["random_state"] == 7
    assert MODELS.make("eszsl", {"gamma": 2.0}, random_state=7).gamma == 2.0
    assert MODELS.make("jfa", {"random_state": 1}, random_state=7).random_state == 1
    sentence = r"--model='jfa' has no parameter 'lamb' \(did you mean 'lam'\?\): choose among 'omega', 'lam'"
    with pytest.raises(InputError, match=sentence):
        MODELS.make("jfa", {"lamb": 3.0}, "--model")


def test_names_are_not_taken_twice() -> None:
    colours = Registry("colour", {"red": "#f00"})
    colours.add("blue", "#00f")
    colours.add("blue", "#00f")
    assert list(colours) == ["red", "blue"]
    with pytest.raises(InputError, match="colour 'blue' is known already, as '#00f': choose another name"):
        colours.add("blue", "#0ff")


def test_what_is_not_a_name_is_refused() -> None:
    for empty in ("", "--"):
        with pytest.raises(InputError, match=f"format='{empty}' is not known: choose one of .authors"):
            FORMATS.find(empty)
    with pytest.raises(InputError, match=r"loss=3 is not known: choose one of 'maximum', .*, or give a Loss"):
        LOSSES.find(3)


def test_wrappers_are_not_made_by_name() -> None:
    for name in unseen.models.__all__:
        kind = getattr(unseen.models, name)
        if inspect.isclass(kind) and issubclass(kind, MetaEstimatorMixin):
            assert kind not in MODELS.values()
