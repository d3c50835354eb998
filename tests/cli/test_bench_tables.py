"""`unseen bench` with a published table, as a user runs it."""

import csv
import io
import json

import pytest
from commands import run

from unseen.models import ConSE

FORMATS = {
    "text": "published as",
    "markdown": "| published as |",
    "latex": r"\begin{tabular}",
    "csv": "published as,system,ground",
    "html": "<table>",
    "json": '{"table": "gbu-zsl"',
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path / "nowhere"))
    return tmp_path


def bench(*arguments):
    found = run("bench", *arguments, "--store", "trials.sqlite")
    return found.exit_code, found.stdout, found.stderr


def test_with_only_the_embedded_data_the_rows_are_run_on_them_and_not_again():
    code, out, err = bench("gbu-zsl", "--only", "eszsl", "--only", "conse")
    assert code == 0, err
    assert "gbu-zsl is run on the embedded digit-pairs, because AWA1_handcrafted.npz, CUB_vgg_fc7.npz are not in" in err
    assert "digit-pairs-conse: 1 trial(s) run, 0 taken" in err
    assert "ESZSL" in out
    assert "CONSE" in out
    for form, sign in FORMATS.items():
        code, again, err = bench("gbu-zsl", "--only", "eszsl", "--only", "conse", "--format", form)
        assert code == 0, err
        assert "digit-pairs-eszsl: 0 trial(s) run, 1 taken" in err
        assert sign in again
        if form == "text":
            assert again == out
    rows = json.loads(again)["rows"]
    assert [row["system"] for row in rows] == ["conse", "eszsl"]
    assert all(row["ours"]["mean"] > 80 and row["fit_seconds"] > 0 for row in rows)
    assert rows[0]["selection_seconds"] > 0


def test_a_row_that_fails_is_said_at_the_end(monkeypatch):
    def fail(*arguments, **options):
        raise RuntimeError("a matrix that is not one")

    monkeypatch.setattr(ConSE, "fit", fail)
    code, out, err = bench("gbu-zsl", "--only", "eszsl", "--only", "conse", "--format", "csv")
    assert code == 1
    assert err.rstrip().endswith("1 of the rows failed: 'digit-pairs-conse'")
    failed, done = csv.DictReader(io.StringIO(out))
    assert (failed["ours (%)"], failed["remark"]) == ("", "failed: RuntimeError: a matrix that is not one")
    assert float(done["ours (%)"]) > 90


def test_class_splits_compare_the_systems_of_a_table():
    code, out, err = bench("paper-table-2", "--only", "eszsl", "--only", "jfa", "--class-splits", "2")
    assert code == 0, err
    assert "digit-pairs-eszsl: 2 class split(s) run, 0 taken" in err
    assert "2 random class splits" in out


def test_the_list_names_the_tables():
    code, out, _ = bench("--list")
    assert code == 0
    assert "paper-table-2" in out
    code, out, _ = bench("paper-table-2", "--only", "eszsl", "--list")
    assert "digit-pairs-eszsl" in out
    assert "digit-pairs-sje" not in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("paper-table-9",), "'paper-table-9' is not known (did you mean 'paper-table-"),
        (
            ("paper-table-2", "digit-pairs-jfa"),
            "paper-table-2 is a table, which is run by itself: run 'digit-pairs-jfa'",
        ),
        (("digit-pairs-jfa", "--only", "jfa"), "--only jfa is for a published table: name one, such as paper-table-2"),
        (("digit-pairs-jfa", "--ground", "cub"), "--ground cub is for a published table"),
        (("paper-table-2", "--only", "eszl"), "only='eszl' is not known (did you mean 'eszsl'?)"),
        (("paper-table-2", "--ground", "cub"), "grounds='cub' needs CUB_vgg_fc7.npz, which is not in"),
        (("paper-table-2", "--trials", "2", "--class-splits", "3"), "--trials 2 repeats the fit on one split"),
    ],
)
def test_bad_input_gets_a_sentence_before_the_work(folder, arguments, sentence):
    code, _, err = bench(*arguments)
    assert code == 2
    assert sentence in err
    assert not (folder / "trials.sqlite").exists()
