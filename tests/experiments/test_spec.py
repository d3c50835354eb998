import pytest

from unseen.experiments import build_model, build_search, load_experiment, shipped_experiments
from unseen.models import Blend
from unseen.utils.errors import InputError

MINIMAL = """
title: A small experiment
dataset: {name: synthetic, options: {random_state: 0}}
model: {name: ESZSL}
"""


@pytest.fixture
def experiment(tmp_path):
    def load(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        return load_experiment(str(path))

    return load


@pytest.mark.parametrize("name", shipped_experiments())
def test_every_shipped_experiment_is_valid(name):
    loaded = load_experiment(name)
    model = build_model(loaded)
    if loaded.selection is not None:
        build_search(loaded, model, jobs=1)
    assert loaded.name == name
    assert loaded.title
    for reference in loaded.published:
        assert reference.source


def test_what_is_left_out_has_a_default(experiment):
    loaded = experiment(MINIMAL)
    assert (loaded.name, loaded.setting, loaded.trials, loaded.seed) == ("mine", "standard", 10, 0)
    assert loaded.selection is None
    assert loaded.published == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINIMAL + "trails: 3\n", r"mine.yaml has the unknown key 'trails' \(did you mean 'trials'\?\)"),
        (
            MINIMAL + "preparation: {feature: []}\n",
            r"preparation has the unknown key 'feature' \(did you mean 'features'",
        ),
        (MINIMAL + "selection: {gird: {lam: [1]}}\n", r"selection has the unknown key 'gird' \(did you mean 'grid'"),
        (MINIMAL + "selection: {grid: {lam: 1}}\n", "grid, lam is 1: write a list"),
        (MINIMAL + "selection: {grid: {}}\n", "grid is empty"),
        (
            MINIMAL + "selection: {grid: {descriptions: [Logit]}}\n",
            r"grid, descriptions has 'Logit' to choose from: write each preparation as a list of steps, \[\] for none",
        ),
        (MINIMAL + "selection: {grid: {lam: [1]}, halving: maybe}\n", "halving is 'maybe': write true or false"),
        (MINIMAL + "selection: {grid: {lam: [1]}, repeat: often}\n", "repeat='often'.*'once', 'each trial'"),
        (MINIMAL + "selection: {grid: {lam: [1e-3]}}\n", "the text '1e-3', because YAML needs a point: write 1.0e-3"),
        (MINIMAL + "setting: standart\n", r"setting='standart' is not known \(did you mean 'standard'"),
        (MINIMAL + "trials: 0\n", "trials is 0: write a whole number of at least 1"),
        (MINIMAL + "trials: true\n", "trials is True"),
        (MINIMAL + "seed: 2020-01-01\n", "seed is datetime.date"),
        (MINIMAL + "published: 3\n", "published is 3: write a list"),
        (MINIMAL + "preparation: {features: [[1]]}\n", r"has the step \[1\]: write a name"),
        ("title: x\nmodel: {name: ESZSL}\n", "does not have the key 'dataset'"),
        ("title: x\ndataset: {}\nmodel: {name: ESZSL}\n", "needs either 'name' .* or 'path'"),
        (
            "title: x\ndataset: {name: digits}\nmodel: {name: ESZSL}\n",
            r"'digits' is not known \(did you mean 'digit-pairs'",
        ),
        ("title: x\ndataset: AwA\nmodel: {name: ESZSL}\n", "dataset is 'AwA': write a mapping"),
        ("title: 3\ndataset: {path: x}\nmodel: {name: ESZSL}\n", "title is 3: write text"),
        ("title: x\ndataset: {path: x}\nmodel: {name: ESZSL, parameters: {lam: 2020-01-01}}\n", "is a date"),
    ],
)
def test_files_with_a_slip_get_a_sentence(experiment, text, message):
    with pytest.raises(InputError, match=message):
        experiment(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINIMAL.replace("ESZSL", "ESZL"), r"mine, model='ESZL' is not known .did you mean 'eszsl'"),
        (MINIMAL.replace("ESZSL", "ZeroShotClassifier"), "model='ZeroShotClassifier' is not known"),
        (MINIMAL.replace("ESZSL}", "ESZSL, parameters: {gama: 1}}"), r"no parameter 'gama' \(did you mean 'gamma'"),
        (
            MINIMAL + "preparation: {features: [PAC]}\n",
            r"preparation, features='PAC' is not known \(did you mean 'PCA'",
        ),
    ],
)
def test_unknown_parts_get_a_sentence(experiment, text, message):
    with pytest.raises(InputError, match=message):
        build_model(experiment(text))


def test_published_numbers_must_be_those_of_the_tables(experiment):
    entry = "{table: gbu-zsl, method: ESZSL, dataset: CUB, split: proposed, metric: mean per-class accuracy, mean: %s}"
    [reference] = experiment(MINIMAL + f"published: [{entry % 53.9}]\n").published
    assert (reference.method, reference.mean, reference.std) == ("ESZSL", 53.9, None)
    assert "Xian et al." in reference.source
    with pytest.raises(InputError, match=r"entry 1 says 54\.9, std None, but the published table has '53\.90'"):
        experiment(MINIMAL + f"published: [{entry % 54.9}]\n")
    with pytest.raises(InputError, match=r"metric='u' is not known.*choose one of 'per-image accuracy'"):
        experiment(MINIMAL + "published: [{metric: u, mean: 3, method: x, source: y}]\n")


def test_own_numbers_need_a_source(experiment):
    entry = "{method: Mine, metric: per-image accuracy, mean: 50, std: 1.5%s}"
    [reference] = experiment(MINIMAL + f"published: [{entry % ', source: my notebook'}]\n").published
    assert (reference.mean, reference.std, reference.source) == (50.0, 1.5, "my notebook")
    with pytest.raises(InputError, match="does not have the key 'source'"):
        experiment(MINIMAL + f"published: [{entry % ''}]\n")


def test_content_changes_with_what_matters_only(experiment):
    before = experiment(MINIMAL).content
    assert experiment(MINIMAL + "trials: 3\n").content == before
    assert experiment(MINIMAL.replace("A small", "Another")).content == before
    assert experiment("# a comment\n" + MINIMAL).content == before
    for change in ("seed: 1\n", "setting: retrieval\n"):
        assert experiment(MINIMAL + change).content != before
    assert experiment(MINIMAL.replace("ESZSL}", "ESZSL, parameters: {lam: 2}}")).content != before


def test_unknown_experiments_get_a_sentence():
    with pytest.raises(InputError, match=r"'digit-pairs-jf' is not known .did you mean 'digit-pairs-jfa'"):
        load_experiment("digit-pairs-jf")
    with pytest.raises(InputError, match="cannot be read"):
        load_experiment("no/such/file.yaml")


def test_a_blend_is_written_with_plus_and_its_parts_are_searched_by_name(experiment):
    text = MINIMAL.replace("{name: ESZSL}", "{name: eszsl+bilinear, parameters: {eszsl__gamma: 10.0}}")
    loaded = experiment(text + "preparation: {features: [UnitNorm]}\nselection: {grid: {bilinear__lam: [1.0, 3.0]}}\n")
    model = build_model(loaded)
    assert isinstance(model.model, Blend)
    assert model.get_params()["model__eszsl__gamma"] == 10.0
    assert list(build_search(loaded, model, jobs=1).grid) == ["model__bilinear__lam"]
    with pytest.raises(InputError, match=r"mine, model='eszsl\+bilinear' has no parameter 'gamma'"):
        build_model(experiment(text.replace("eszsl__gamma", "gamma")))


@pytest.mark.parametrize(("written", "halving"), [("", True), (", halving: false", False)])
def test_the_search_of_an_experiment_may_be_a_full_one(experiment, written, halving):
    loaded = experiment(MINIMAL + f"selection: {{grid: {{lam: [1.0, 3.0]}}{written}}}\n")
    assert build_search(loaded, build_model(loaded), 1).halving is halving
