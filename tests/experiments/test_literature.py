from collections import Counter

import pytest

from unseen.confidence.seen_unseen import harmonic_mean
from unseen.evaluation.settings.inductive import SETTINGS
from unseen.experiments import published
from unseen.experiments.literature import parse_cell
from unseen.utils.errors import InputError


def test_all_numbers_of_the_papers_are_there():
    assert Counter(number.table for number in published()) == {
        "jfa-table-2": 53,
        "jfa-table-3": 23,
        "jfa-table-4": 32,
        "gbu-zsl": 12 * 10,
        "gbu-gzsl": 13 * 5 * 3,
        "gbu-reproduction": 20,
        "reimplementations": 25,
        "jlse": 32,
        "retrieval": 16,
    }


@pytest.mark.parametrize(
    ("question", "mean", "std"),
    [
        ({"table": "jfa-table-2", "method": "JFA", "dataset": "aP&Y"}, 52.04, 1.35),
        ({"table": "jfa-table-2", "method": "ESZSL", "dataset": "AwA", "features": "handcrafted"}, 49.30, 0.21),
        ({"table": "jfa-table-2", "method": "SJE", "dataset": "CUB"}, 50.1, None),
        ({"table": "jfa-table-3", "method": "JFA+SP-ZSR", "dataset": "aP&Y"}, 80.89, 5.97),
        ({"table": "jfa-table-4", "method": "SDL", "dataset": "SUN", "metric": "mean class precision"}, 82.51, 12.24),
        ({"table": "gbu-zsl", "method": "ESZSL", "dataset": "CUB", "split": "proposed"}, 53.9, None),
        ({"table": "gbu-gzsl", "method": "ALE", "dataset": "CUB", "metric": "H"}, 34.4, None),
        ({"table": "retrieval", "method": "JLSE", "dataset": "AwA"}, 67.66, None),
        ({"table": "jlse", "method": "JLSE", "dataset": "AwA"}, 79.12, 0.53),
    ],
)
def test_some_numbers_by_name(question, mean, std):
    [number] = published(**question)
    assert (number.mean, number.std) == (mean, std)


def test_numbers_are_percentages_with_a_source():
    for number in published():
        assert 0 <= number.mean <= 100
        assert number.std is None or 0 < number.std < 50
        assert number.source
        assert number.metric in {name for setting in SETTINGS.values() for name in setting.metrics} | {"accuracy"}


def test_recalled_numbers_are_marked():
    recalled = [number for number in published(table="gbu-zsl") if number.recalled]
    assert {number.method for number in recalled if number.dataset == "SUN"} == {"IAP", "SAE"}
    assert len(recalled) == 10 + 11 + 1 + 4
    assert {number.method for number in published(table="gbu-gzsl") if number.recalled} == {
        "IAP",
        "CMT",
        "CMT* (novelty)",
    }


def test_harmonic_means_agree_with_their_parts():
    parts = {(n.method, n.dataset, n.metric): n.mean for n in published(table="gbu-gzsl")}
    for (method, dataset, metric), value in parts.items():
        if metric == "H":
            u, s = parts[method, dataset, "u"], parts[method, dataset, "s"]
            # Each was rounded to a tenth, and a small u weighs twice.
            assert value == pytest.approx(harmonic_mean(u, s), abs=0.16)


def test_average_precision_and_recall_are_near_the_accuracy_of_table_2():
    for number in published(table="jfa-table-4", setting="standard", method="JFA", metric="mean per-class accuracy"):
        [accuracy] = published(table="jfa-table-2", method="JFA", dataset=number.dataset)
        assert number.mean == pytest.approx(accuracy.mean, abs=1.5)
        assert number.spread == "classes"


@pytest.mark.parametrize("cell", ["", "high", "4.2/", "1.0±", "4.2 / 3", "-1.0", "*"])
def test_cells_that_are_no_numbers_get_a_sentence(cell):
    with pytest.raises(InputError, match="is not a published number"):
        parse_cell(cell)


def test_unknown_names_get_a_sentence():
    with pytest.raises(InputError, match=r"method='ESZL' is not known \(did you mean 'eszsl'\?\)"):
        published(method="ESZL")
    with pytest.raises(InputError, match="dataset='MNIST' is not known"):
        published(dataset="MNIST")
    assert published(table="jfa-table-2", method="JFA+SP-ZSR") == ()
