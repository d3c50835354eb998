"""Classes from outside: found by name and kept in model files once registered, refused before, never imported."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import ran, run
from safetensors.numpy import save_file
from sklearn.base import BaseEstimator, TransformerMixin

import unseen
from unseen.data import ZeroShotDataset
from unseen.experiments import build_model, load_experiment
from unseen.features import STEPS, make_preparation
from unseen.files.container import read_container, sign_header
from unseen.files.registration import import_class
from unseen.learning import Maximum, Smooth, SoftMaximum
from unseen.learning.losses import LOSSES
from unseen.learning.solvers import SOLVERS
from unseen.models import ESZSL, JFA, MODELS, Calibrated, Prepared, StructuralSVM, ZeroShotClassifier
from unseen.similarity import SIMILARITIES, BilinearSimilarity
from unseen.transduction import PST, REFINEMENTS
from unseen.utils.errors import InputError


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test registers is forgotten after it."""
    for registry in (MODELS, STEPS, SIMILARITIES, LOSSES, SOLVERS, REFINEMENTS):
        monkeypatch.setattr(registry, "_entries", dict(registry))


class Shifted(ESZSL):
    """A model from outside, with a state of its own."""

    _fitted = ("shift_",)

    def _fit(self, phi: Any, y: Any, psi: Any) -> None:
        super()._fit(phi, y, psi)
        self.shift_ = 0.5


class Halved(TransformerMixin, BaseEstimator):
    """A step from outside."""

    def __init__(self, times: int = 1) -> None:
        self.times = times

    def fit(self, X: Any, y: Any = None) -> "Halved":
        self.n_features_in_, self.factor_ = X.shape[1], 0.5**self.times
        self.unsaved = object()
        return self

    def transform(self, X: Any) -> Any:
        return X * self.factor_


class Mirrored(BilinearSimilarity):
    """A similarity from outside."""


@dataclass(frozen=True)
class Softer(SoftMaximum):
    """A loss from outside."""

    temperature: float = 0.4


@dataclass(frozen=True)
class Hasty(Smooth):
    """A solver from outside."""

    max_iter: int = 5


class Spread(PST):
    """A refinement from outside."""


def of_here(kind: type) -> str:
    return f"{__name__}:{kind.__name__}"


MODELS_OF_MINE = {
    "model": (Shifted(), [Shifted]),
    "step": (Prepared(ESZSL(), features=Halved(2), descriptions=Halved()), [Halved]),
    "inside": (Calibrated(Prepared(Shifted(), features=Halved()), random_state=0), [Shifted, Halved]),
    "similarity": (StructuralSVM(Mirrored()), [Mirrored]),
    "similarity by name": (StructuralSVM(of_here(Mirrored)), [Mirrored]),
    "loss and solver": (JFA(loss=Softer(0.3), solver=Hasty()), [Softer, Hasty]),
    "loss and solver by name": (JFA(loss="softer", solver=of_here(Hasty)), [Softer, Hasty]),
}


@pytest.mark.parametrize(("model", "kinds"), MODELS_OF_MINE.values(), ids=MODELS_OF_MINE.keys())
def test_what_is_registered_survives_its_file(
    model: Any, kinds: list[type], data: ZeroShotDataset, tmp_path: Path
) -> None:
    path = tmp_path / "m.unseen"
    for kind in kinds:
        assert unseen.register(kind) is kind
    model.fit(data.X_train, data.y_train, classes=data.classes)
    unseen.save(model, path)
    again = unseen.load(path)
    assert repr(again) == repr(model)
    expected = model.decision_function(data.X_test_unseen, classes=data.unseen_table)
    np.testing.assert_array_equal(again.decision_function(data.X_test_unseen, classes=data.unseen_table), expected)


def test_a_file_is_refused_until_its_class_is_registered(data: ZeroShotDataset, tmp_path: Path) -> None:
    path = tmp_path / "m.unseen"
    model = Prepared(Shifted(), features=Halved()).fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(
        InputError, match=r"model.features is Halved\(\), which a model file cannot hold: .*unseen.register"
    ):
        unseen.save(model, path)
    unseen.register(Shifted)
    unseen.register(Halved)
    unseen.save(model, path)
    assert unseen.load(path).model_.shift_ == 0.5
    del MODELS._entries[of_here(Shifted)]
    with pytest.raises(InputError) as caught:
        unseen.load(path)
    assert str(caught.value).startswith(
        f"{path} names '{of_here(Shifted)}', which is not registered: import the module that defines it and call "
        "unseen.register(Shifted)"
    )


def test_each_kind_is_found_by_its_name() -> None:
    homes = {
        Shifted: MODELS,
        Halved: STEPS,
        Mirrored: SIMILARITIES,
        Softer: LOSSES,
        Hasty: SOLVERS,
        Spread: REFINEMENTS,
    }
    for kind, registry in homes.items():
        unseen.register(kind)
        unseen.register(kind)
        assert registry.find(of_here(kind)) is registry.find(kind.__name__.lower()) is kind
        assert list(registry.values()).count(kind) == 1
    made = make_preparation([("UnitNorm", {}), ("halved", {"times": 3})])
    assert made.steps[-1][1].times == 3


def test_register_is_a_decorator_and_a_class_may_be_written_anew(data: ZeroShotDataset, tmp_path: Path) -> None:
    def written() -> type[ZeroShotClassifier]:
        @unseen.register
        class Own(ESZSL):
            pass

        return Own

    first, second = written(), written()
    assert MODELS.find("own") is second is not first
    unseen.save(second().fit(data.X_train, data.y_train, classes=data.classes), tmp_path / "m.unseen")
    assert type(unseen.load(tmp_path / "m.unseen")) is second


def test_a_class_from_outside_is_never_taken_for_one_of_ours(data: ZeroShotDataset, tmp_path: Path) -> None:
    theirs = unseen.register(type("BilinearSVM", (ESZSL,), {"__module__": "theirs"}))
    ours = MODELS["bilinear"]
    assert MODELS.find("BilinearSVM") is MODELS.find("bilinear") is ours
    assert MODELS.find("theirs:BilinearSVM") is theirs
    unseen.save(theirs().fit(data.X_train, data.y_train, classes=data.classes), tmp_path / "m.unseen")
    assert type(unseen.load(tmp_path / "m.unseen")) is theirs
    for module in ("one", "two"):
        unseen.register(type("Twice", (ESZSL,), {"__module__": module}))
    with pytest.raises(InputError, match="model='twice' may mean 'one:Twice', 'two:Twice': write one of these in full"):
        MODELS.find("twice")


def test_ours_stay_as_they_are() -> None:
    before = dict(MODELS)
    assert unseen.register(JFA) is JFA
    assert dict(MODELS) == before


@pytest.mark.parametrize("nothing", [3, "JFA", ZeroShotClassifier, dict, Maximum(), type("Loss", (), {"solve": 1})])
def test_what_cannot_be_registered_is_refused(nothing: Any) -> None:
    with pytest.raises(InputError, match="register was given"):
        unseen.register(nothing)


# Names in files import nothing


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module that can be imported, and leaves a trace where it is."""
    trace = tmp_path / "trace"
    text = f"import pathlib, unseen\npathlib.Path({str(trace)!r}).touch()\n"
    (tmp_path / "trapped.py").write_text(
        text + "from unseen.models import ESZSL\n\n@unseen.register\nclass Sprung(ESZSL):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield trace
    sys.modules.pop("trapped", None)


def test_a_model_file_imports_nothing(trap: Path, path: Path, tmp_path: Path) -> None:
    for key, value in (("estimator", "trapped:Sprung"), ("part", "trapped:Sprung"), ("similarity", "os:system")):
        header, arrays = read_container(path)
        header["model"]["parameters"]["model"] = {key: value, "parameters": {}, "state": {}, "fields": {}}
        save_file(arrays, tmp_path / "forged.unseen", metadata={"unseen": sign_header(header, arrays)})
        with pytest.raises(InputError, match=f"names '{value}', which is not registered: import the module"):
            unseen.load(tmp_path / "forged.unseen")
    assert not trap.exists()


EXPERIMENT = 'title: x\ndataset: {name: synthetic}\nmodel: {name: "trapped:Sprung"}\ntrials: 1\n'


def test_an_experiment_imports_nothing_unless_the_command_does(trap: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(EXPERIMENT)
    sentence = "model='trapped:Sprung' is not registered: import the module that defines it and call unseen.register("
    with pytest.raises(InputError) as caught:
        build_model(load_experiment(str(tmp_path / "mine.yaml")))
    assert sentence in str(caught.value)
    command = ("bench", tmp_path / "mine.yaml", "--store", tmp_path / "store.sqlite")
    refused = run(*command)
    assert (refused.exit_code, trap.exists()) == (2, False)
    assert sentence in refused.stderr
    ran("--import", "trapped", *command)
    assert trap.exists()


def test_the_command_line_imports_what_the_user_names(
    trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = ("--no-calibrate", "--out", tmp_path / "m.unseen")
    ran("fit", "synthetic", "--model", "trapped:Sprung", "--set", "gamma=2", *out)
    assert unseen.load(tmp_path / "m.unseen").gamma == 2
    monkeypatch.setattr(sys.modules["trapped"].Sprung, "default_grid", {})
    refused = run("fit", "synthetic", "--model", "trapped:Sprung", "--select", *out, "--force")
    assert "model=Sprung has no default grid: give the values to choose from" in refused.stderr
    ran("fit", "synthetic", "--model", "trapped:Sprung", "--grid", "gamma=1,2", *out, "--force")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "no_such_module:Model",
            r"model='no_such_module:Model' cannot be imported \(No module named 'no_such_module'\)",
        ),
        ("trapped:Sprang", "model='trapped:Sprang' is not a class of the module trapped: write package.module:Class"),
        ("trapped:", "is not a class"),
        (":Sprung", "cannot be imported"),
        ("collections:OrderedDict", "register was given OrderedDict"),
    ],
)
def test_what_cannot_be_imported_gets_a_sentence(name: str, sentence: str, trap: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        import_class(name, "model")


def test_a_class_named_on_the_command_line_must_be_a_model(tmp_path: Path) -> None:
    out = ("--out", tmp_path / "m.unseen")
    refused = run("fit", "synthetic", "--model", "unseen.features:UnitNorm", *out)
    assert "model='unseen.features:UnitNorm' is not a model: derive UnitNorm from ZeroShotClassifier" in refused.stderr
    assert "--import nothing_here cannot be imported" in run("--import", "nothing_here", "demo").stderr
    ran("fit", "synthetic", "--model", "unseen.models:ESZSL", *out)
