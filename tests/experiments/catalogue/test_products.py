"""Systems on grounds: what is merged, what is named, which published numbers are found."""

import pytest

from unseen.experiments import load_experiment, shipped_experiments
from unseen.experiments.catalogue.grounds import read_ground, shipped_grounds
from unseen.experiments.catalogue.products import find_product, make_product
from unseen.experiments.catalogue.systems import list_systems, load_system, read_system
from unseen.utils.errors import InputError

SYSTEM = """
title: Mine
published: [SJE]
model: {name: ESZSL, parameters: {lam: 2.0}}
selection: {grid: {gamma: [1.0, 10.0]}}
"""


@pytest.fixture
def system(tmp_path):
    def read(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        return read_system(path, "mine")

    return read


def test_a_product_has_the_parts_of_ground_and_system(system):
    found = make_product(system(SYSTEM), shipped_grounds()["cub"], "standard")
    assert (found.name, found.title) == ("cub-proposed-mine", "Mine on CUB, proposed split, VGG fc7 features")
    assert found.data.options == {"split": "proposed"}
    assert [step.name for step in found.features] == ["SquareRoot", "PCA", "Whitening", "UnitNorm"]
    assert (found.model.name, found.model.parameters) == ("ESZSL", {"lam": 2.0})
    assert found.selection.grid == {"gamma": [1.0, 10.0]}
    assert (found.selection.splitter.name, found.selection.repeat) == ("HoldOutClasses", "once")


def test_a_ground_and_its_setting_have_the_last_word(system):
    entries = """
grounds:
  cub: {selection: {grid: {lam: [1.0]}, splitter: {parameters: {n_splits: 2}}}, preparation: {features: [UnitNorm]}}
  cub-generalized: {selection: null, trials: 3}
"""
    mine = system(SYSTEM + "settings: [standard, generalized]\n" + entries)
    standard, generalized = (
        make_product(mine, shipped_grounds()["cub"], setting) for setting in ("standard", "generalized")
    )
    assert standard.selection.grid == {"gamma": [1.0, 10.0], "lam": [1.0]}
    assert standard.selection.splitter.parameters == {"held_out": 0.25, "n_splits": 2}
    assert [step.name for step in generalized.features] == ["UnitNorm"]
    assert (generalized.selection, generalized.trials) == (None, 3)
    assert make_product(mine, shipped_grounds()["awa"], "standard").selection.grid == {"gamma": [1.0, 10.0]}


def test_a_system_without_selection_has_nothing_is_selected(system):
    mine = system("title: Mine\nmodel: {name: ESZSL}\n")
    assert make_product(mine, shipped_grounds()["cub"], "standard").selection is None


def numbers(name):
    return [(reference.method, reference.metric, reference.mean) for reference in load_experiment(name).published]


def test_published_numbers_are_found_in_all_tables_with_like_features_and_split_first():
    assert numbers("awa-handcrafted-standard-eszsl") == [
        ("R.-P. and Torr", "per-image accuracy", 49.3),  # not 75.32, which is of VGG-19
        ("ESZSL", "mean per-class accuracy", 74.7),  # not 58.2, which is of the proposed split
    ]
    assert numbers("cub-generalized-eszsl") == [("ESZSL", "u", 12.6), ("ESZSL", "s", 63.8), ("ESZSL", "H", 21.0)]
    assert numbers("awa-handcrafted-transductive-pst") == [("Rohrbach et al.", "per-image accuracy", 42.7)]
    assert numbers("digit-pairs-eszsl") == []


def test_notes_name_what_differs():
    handcrafted, resnet = load_experiment("awa-handcrafted-standard-eszsl").published
    assert handcrafted.note == ""
    assert resnet.note == "its features are ResNet-101, ours handcrafted"
    theirs = load_experiment("cub-proposed-jfa").published[0]
    assert theirs.note == (
        "its split is the older 150/50 one and its features are VGG-19, ours the proposed one and VGG fc7"
    )
    assert load_experiment("cub-proposed-bilinear").published[0].note.startswith("SJE is this model without a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SYSTEM + "modle: {}\n", r"mine.yaml has the unknown key 'modle' \(did you mean 'model'"),
        (SYSTEM.replace("[SJE]", "[SJEE]"), r"mine.yaml, published='SJEE' is not known \(did you mean 'sje'"),
        (SYSTEM + "settings: [standart]\n", r"mine.yaml, settings='standart' is not known"),
        (SYSTEM + "settings: [transductive]\n", "a system with a refinement is for the transductive settings"),
        (SYSTEM + "settings: [3]\n", "settings=3 is not known"),
        (SYSTEM + "grounds: {cup: {}}\n", r"mine.yaml, grounds has the unknown key 'cup' \(did you mean 'cub'"),
        (SYSTEM + "grounds: {cub: {dataset: {path: x}}}\n", "mine.yaml, grounds, cub has the unknown key 'dataset'"),
        (SYSTEM + "grounds: {cub: 3}\n", "grounds, cub is 3: write a mapping"),
        ("title: Mine\n", "mine.yaml does not have the key 'model'"),
    ],
)
def test_systems_with_a_slip_get_a_sentence(system, text, message):
    with pytest.raises(InputError, match=message):
        system(text)


def test_slips_inside_a_part_name_the_system_and_the_ground(system):
    mine = system(SYSTEM.replace("grid:", "gird:"))
    with pytest.raises(InputError, match=r"mine.yaml on cub, selection has the unknown key 'gird'"):
        make_product(mine, shipped_grounds()["cub"], "standard")


def test_grounds_with_a_slip_get_a_sentence(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("dataset: {name: digit-pairs}\nsettings: {standard: {name: mine, titel: x}}\n")
    with pytest.raises(InputError, match=r"settings, standard has the unknown key 'titel' \(did you mean 'title'"):
        read_ground(path, "mine")


def test_every_system_is_listed_on_every_ground():
    listed = shipped_experiments()
    for key in list_systems():
        for setting in load_system(key).settings:
            for ground in shipped_grounds().values():
                assert f"{ground.settings[setting].name}-{key}" in listed
    assert find_product("cub-proposed-jfa-sp-zsr") is None  # a refinement is only transductive
