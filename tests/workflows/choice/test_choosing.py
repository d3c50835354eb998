"""Tests of the automatic choice of preparation and model."""

import numpy as np
import pytest

from unseen.data import ClassTable, TrainingRows, ZeroShotDataset, make_zero_shot
from unseen.features import UnitNorm
from unseen.models import ESZSL, Blend, GaussianJFA, Prepared
from unseen.utils.errors import InputError
from unseen.utils.progress import Progress
from unseen.utils.wrapping import unwrap
from unseen.workflows.choice import choosing
from unseen.workflows.choice.choosing import choose
from unseen.workflows.choice.decision import Choice, Decision
from unseen.workflows.inputs.data import load_to_learn


@pytest.fixture(scope="module")
def rows() -> TrainingRows:
    sizes = {"n_seen": 16, "n_unseen": 4, "n_features": 9, "n_attributes": 6, "n_per_class": 8}
    return load_to_learn(make_zero_shot(**sizes, random_state=0))


def take(rows: TrainingRows, n_classes: int, per_class: int = 8) -> TrainingRows:
    labels = np.unique(rows.y)[:n_classes]
    kept = np.concatenate([np.flatnonzero(rows.y == label)[:per_class] for label in labels])
    return TrainingRows(rows.X[kept], rows.y[kept], rows.classes, rows.name)


@pytest.mark.parametrize("effort", ["quick", "normal", "best"])
def test_every_effort_makes_a_model_that_can_be_fitted(
    rows: TrainingRows, effort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Progress] = []
    monkeypatch.setattr(choosing, "PEERS", [(choosing.PEERS[0][0], {"lam": [1.0, 3.0]})])
    found = choose(rows, effort, on_progress=told.append)
    assert found.accuracy is not None
    assert found.accuracy > 0.3
    abouts = [decision.about for decision in found.decisions]
    assert abouts[:2] == ["features", "descriptions"]
    assert abouts[-1] == "model"
    assert ("lam of bilinear" in abouts) == (effort != "quick")
    assert told[0].doing == "choosing features on held-out seen classes"
    found.model.fit(rows.X, rows.y, classes=rows.classes)


def test_the_choice_is_the_same_every_time_but_for_the_seed(rows: TrainingRows) -> None:
    first, again, other = (choose(rows, "quick", features=None, seed=seed) for seed in (1, 1, 2))
    assert first.decisions == again.decisions
    assert repr(first.model) == repr(again.model)
    assert [d.tried for d in first.decisions] != [d.tried for d in other.decisions]


def test_unseen_classes_do_not_matter(rows: TrainingRows) -> None:
    only_seen = TrainingRows(rows.X, rows.y, rows.classes.select(np.unique(rows.y)), rows.name)
    found, expected = (choose(given, "quick", features=None) for given in (rows, only_seen))
    assert found.decisions == expected.decisions


def test_a_blend_has_weights_and_spreads_from_the_held_out_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "PEERS", [(choosing.PEERS[0][0], {})])
    rows = load_to_learn("digit-pairs")
    found = choose(rows, "normal", features=UnitNorm())
    blend = unwrap(found.model)
    assert isinstance(blend, Blend)
    assert sum(blend.weights) == pytest.approx(1)
    assert len(blend.spreads) == 2
    fitted = blend.fit(rows.X, rows.y, classes=rows.classes)
    assert fitted.held_out_accuracy_ is None  # no class was held out again


def test_what_is_useful_is_found() -> None:
    random = np.random.default_rng(0)
    base = load_to_learn(make_zero_shot(n_seen=30, n_features=9, n_attributes=6, n_per_class=10, random_state=0))
    # Pictures of different brightness: only length 1 makes them alike.
    bright = TrainingRows(base.X * random.lognormal(sigma=1, size=(len(base.X), 1)), base.y, base.classes, "bright")
    features = choose(bright, "quick").decisions[0]
    assert "length 1" in features.chosen
    assert features.gain > 0.03


def test_what_is_given_is_not_chosen(rows: TrainingRows) -> None:
    found = choose(rows, "quick", features=UnitNorm())
    assert [decision.about for decision in found.decisions] == ["descriptions", "model"]
    assert isinstance(found.model, Prepared)
    assert isinstance(found.model.features, UnitNorm)
    found = choose(rows, "quick", model=ESZSL(gamma=10.0))
    assert [decision.about for decision in found.decisions] == ["features", "descriptions"]
    assert unwrap(found.model).gamma == 10.0


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_few_classes_get_a_sentence(rows: TrainingRows, n_classes: int) -> None:
    found = choose(take(rows, n_classes))
    assert isinstance(found.model, GaussianJFA)
    assert found.say() == [
        f"Nothing was chosen, because {n_classes} classes are too few to hold some out (at least 8 are needed): "
        "gaussian learns from features as they are."
    ]
    found.model.fit(rows.X, rows.y, classes=rows.classes)


def test_classes_without_descriptions_get_a_sentence(rows: TrainingRows) -> None:
    plain = TrainingRows(rows.X, rows.y, ClassTable.one_hot(np.unique(rows.y)), "plain")
    assert "descriptions do not say which classes are alike" in choose(plain).note


def test_one_row_of_each_class(rows: TrainingRows) -> None:
    found = choose(take(rows, 16, per_class=1), "normal")
    assert found.accuracy is not None


def test_wide_features_of_few_rows(data: ZeroShotDataset) -> None:
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(8), 3)
    wide = TrainingRows(
        random.random((24, 700)).astype(np.float32), y, ClassTable(random.random((8, 5)), range(8)), "w"
    )
    assert choose(wide, "quick").model.fit(wide.X, wide.y, classes=wide.classes).n_features_in_ == 700


def test_a_wrong_effort_is_refused(rows: TrainingRows) -> None:
    with pytest.raises(InputError, match=r"effort='bst' is not known.*best"):
        choose(rows, "bst")


def test_choices_are_said_in_words() -> None:
    features = Decision("features", "length 1", {"as they are": 0.5, "length 1": 0.531})
    found = Choice(ESZSL(), "quick", (features, Decision("lam of bilinear", "1", {"1": 0.5})), 0.612, 50)
    assert found.say() == [
        "Features: length 1 (+3.1 points over as they are).",
        "61.2% per class among 50 held-out seen classes.",
    ]
    kept = Decision("features", "as they are", {"as they are": 0.5, "length 1": 0.6})
    assert kept.say() == "Features: as they are (the other one was not clearly better)."
