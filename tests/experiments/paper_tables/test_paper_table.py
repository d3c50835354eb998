"""Published tables with the systems of their rows: reading, planning, running and reporting."""

from dataclasses import replace

import pytest

from unseen.experiments import (
    TableReport,
    TrialStore,
    is_table,
    load_table,
    plan_table,
    published,
    run_table,
    shipped_tables,
)
from unseen.experiments.batch import describe_failure
from unseen.experiments.catalogue.grounds import shipped_grounds
from unseen.experiments.catalogue.products import make_product
from unseen.experiments.catalogue.systems import list_systems, load_system
from unseen.experiments.paper_tables import runner
from unseen.utils.errors import InputError

TABLE = """
title: Two of the rows
table: jfa-table-2
systems: {R.-P. and Torr: eszsl, Rohrbach et al.: pst, Mensink et al.: eszsl, Yu et al.: not-yet}
incomparable: {Mensink et al.: it is an average precision}
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(TABLE)
    return file


@pytest.fixture
def store(tmp_path):
    with TrialStore(tmp_path / "trials.sqlite") as opened:
        yield opened


@pytest.mark.parametrize("name", shipped_tables())
def test_every_row_of_the_published_tables_has_a_system(name):
    table = load_table(name)
    [source] = {number.table for line in table.lines for number in line.numbers}
    numbers = published(table=source)
    assert [number for line in table.lines for number in line.numbers] == sorted(
        numbers, key=lambda number: [number in line.numbers for line in table.lines].index(True)
    )
    assert sum(len(line.numbers) for line in table.lines) == len(numbers)


def test_rows_are_in_their_published_order():
    methods = [line.method for line in load_table("paper-table-2").lines]
    assert methods[:4] == ["Farhadi et al.", "Mahajan et al.", "Wang and Ji", "Rohrbach et al."]
    assert methods[-1] == "JFA"
    assert [(line.method, line.metric) for line in load_table("gbu-gzsl").lines[:4]] == [
        ("DAP", "u"),
        ("DAP", "s"),
        ("DAP", "H"),
        ("IAP", "u"),
    ]


def test_a_table_file_is_told_from_an_experiment(path, tmp_path):
    (tmp_path / "experiment.yaml").write_text("title: x\nmodel: {name: ESZSL}\n")
    assert is_table(str(path))
    assert not is_table(str(tmp_path / "experiment.yaml"))
    assert not is_table("no-such-file.yaml")


def test_the_report_has_ours_beside_the_published_and_the_reason_where_it_has_not(path, store):
    report = run_table(str(path), store, grounds=["digit-pairs"])
    rows = {(row.entry.line.method, row.entry.line.numbers[0].features): row for row in report.rows}
    assert rows["Yu et al.", "handcrafted"].remark == "no system 'not-yet' in this version"
    assert rows["Yu et al.", "handcrafted"].ours is None
    assert rows["Rohrbach et al.", "handcrafted"].outcome.result.setting == "transductive"
    ours = rows["R.-P. and Torr", "handcrafted"]
    assert ours.ours == rows["R.-P. and Torr", "vgg-verydeep-19"].ours
    assert ours.ours.mean > 90
    assert ours.number is None  # no published table has digit-pairs
    assert "no ground has these data" in report.to_text()
    assert report.failures == {}


@pytest.fixture
def as_if_on_cub(path, store):
    """Return the report as if CUB had given the results of digit-pairs."""
    found = run_table(str(path), store, grounds=["digit-pairs"], only=["eszsl"])
    [outcome] = found.outcomes.values()

    def report(table, key="cub", **options):
        plan = plan_table(table, grounds=["digit-pairs"], **options)
        ground = shipped_grounds()[key]
        entries = tuple(
            replace(entry, ground=ground, experiment=make_product(load_system("eszsl"), ground, "standard"))
            for entry in plan.entries
        )
        return TableReport(replace(plan, entries=entries), {entries[0].experiment.name: outcome})

    return report


def test_features_and_split_are_named_where_they_differ(as_if_on_cub, path):
    [row] = as_if_on_cub("gbu-zsl", only=["eszsl"]).rows
    assert (row.number.mean, row.number.split) == (53.9, "proposed")
    assert row.remark == "features ResNet-101"
    assert row.comparison.difference == pytest.approx(row.ours.mean - 53.9)
    rows = as_if_on_cub(str(path), "awa", only=["eszsl"]).rows
    assert [(row.number.mean, row.remark) for row in rows if row.number] == [(49.3, ""), (75.32, "features VGG-19")]


def test_numbers_that_cannot_be_compared_are_not(as_if_on_cub, path):
    row = next(row for row in as_if_on_cub(str(path), only=["eszsl"]).rows if row.entry.line.incomparable)
    assert (row.number.mean, row.comparison, row.remark) == (14.4, None, "it is an average precision")
    assert row.cells()[6:8] == ("n/a", "n/a")


def test_table_4_has_the_deviation_across_classes(store):
    report = run_table("paper-table-4", store, grounds=["digit-pairs"], only=["jfa"], trials=2)
    precision, recall = report.rows
    [outcome] = report.outcomes.values()
    assert precision.ours == outcome.result.over_classes("precision")
    assert recall.ours == outcome.result.over_classes("recall")
    assert recall.ours.std > 3
    assert "across classes" in report.to_text()


def test_a_row_that_fails_leaves_the_others_standing(path, store, monkeypatch):
    real = runner.run_experiment

    def fail_on_pst(experiment, *arguments, **options):
        if "pst" in experiment.name:
            raise ZeroDivisionError("by nought")
        return real(experiment, *arguments, **options)

    monkeypatch.setattr(runner, "run_experiment", fail_on_pst)
    report = run_table(str(path), store, grounds=["digit-pairs"])
    assert report.failures == {"digit-pairs-transductive-pst": "ZeroDivisionError: by nought"}
    remarks = [row.remark for row in report.rows if row.entry.line.system == "pst"]
    assert remarks == ["failed: ZeroDivisionError: by nought"]
    assert sum(row.ours is not None for row in report.rows) == 3
    assert describe_failure(InputError("a sentence")) == "a sentence"


def test_a_metric_that_is_not_measured_is_named(path, store):
    path.write_text("title: x\ntable: retrieval\nsystems: {JLSE: eszsl}\n")
    [row] = run_table(str(path), store, grounds=["digit-pairs"]).rows
    assert (row.ours, row.remark) == (None, "no mean average precision in the standard setting")


@pytest.mark.parametrize("name", shipped_tables())
def test_the_systems_of_the_tables_exist(name):
    assert set(load_table(name).systems) <= set(list_systems())


def test_progress_names_the_experiment(path, store):
    told = []
    run_table(str(path), store, grounds=["digit-pairs"], only=["eszsl"], watch=told.append)
    assert told[0].doing == "digit-pairs-eszsl: trial 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE + "system: {}\n", r"mine.yaml has the unknown key 'system' \(did you mean 'systems'"),
        (
            TABLE.replace("Yu et al.", "Yu et. al"),
            r"systems has the unknown key 'Yu et. al' \(did you mean 'Yu et al.'",
        ),
        (TABLE.replace("jfa-table-2", "jfa-table-9"), "table='jfa-table-9' is not known"),
        ("title: x\ntable: gbu-zsl\nsystems: {}\n", "systems is empty: name at least one row"),
        ("title: x\ntable: gbu-zsl\nsystems: {DAP: 3}\n", "systems, DAP is 3: write text"),
    ],
)
def test_tables_with_a_slip_get_a_sentence(path, text, message):
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_table(str(path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"only": ["eszl"]}, r"only='eszl' is not known \(did you mean 'eszsl'"),
        ({"skip": ["eszsl", "pst", "not-yet"]}, "leave no row of mine"),
        ({"grounds": ["cup"]}, "grounds='cup' is not known"),
        ({"grounds": ["cub"]}, "grounds='cub' needs CUB_vgg_fc7.npz, which is not in"),
    ],
)
def test_choices_that_leave_nothing_get_a_sentence(path, tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        plan_table(str(path), tmp_path, **options)
