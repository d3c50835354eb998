"""The study as a whole: what is written, resuming after a kill, and refusals."""

import csv
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from small_disk import small_disk
from sweeping import start_sweep, write_data

from unseen import JFA, make_zero_shot
from unseen.sweep import observe, sweep
from unseen.sweep.observations import table
from unseen.sweep.results import COLUMNS
from unseen.sweep.store import SweepStore
from unseen.utils.errors import InputError

GRID = (0.01, 1.0, 100.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sweep")


@pytest.fixture(scope="module")
def result(data, folder):
    return sweep(data, folder, grid=GRID, lambdas=(0.1, 1.0))


def read(folder):
    with (folder / "results.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_one_row_for_each_setting_and_way(result, folder):
    rows = read(folder)
    assert len(rows) == len(result) == 2 * 2 * 3**4
    assert tuple(rows[0]) == COLUMNS
    asked = {tuple(row[name] for name in (*COLUMNS[:5], "way")) for row in rows}
    assert len(asked) == len(rows)
    assert 0 < result.problems < len(rows) // 2
    kept = [row for row in rows if row["way"] == "positive-definite"]
    assert all(row["global_optimum"] == "True" and float(row["smallest_eigenvalue"]) > 0 for row in kept)
    free = [row for row in rows if row["way"] == "free"]
    assert all((float(row["smallest_eigenvalue"]) > 0) == (row["global_optimum"] == "True") for row in free)
    assert all(float(row["merge_error_bound"]) >= 0 for row in rows)


def test_a_row_is_what_the_estimator_gives(data, result):
    """Where learning converges, for settings that were solved and for those merged into them.

    Near the poles of H there are several optima, and rounding decides in which of them a descent ends: a few rows out
    of a hundred or so may differ, and which of them changes with every change of rounding.
    """
    columns = result.columns
    settled = columns["converged"] & columns["global_optimum"].astype(bool)
    rows = np.flatnonzero(settled & (columns["iterations"] > 3) & (columns["iterations"] < 60))
    differing = [at for at in rows if not agrees(data, columns, at)]
    assert len(rows) > 100
    assert len(differing) <= 0.08 * len(rows)


def agrees(data, columns, at):
    """Whether the estimator, trained for the setting of a row, ends where the sweep did."""
    omega = tuple(float(columns[f"omega{k}"][at]) for k in range(1, 5))
    model = JFA(omega, float(columns["lambda"][at]), weights=str(columns["way"][at]))
    model.fit(data.X_train.astype(np.float32), data.y_train, classes=data.seen_table)
    answers = model.predict(data.X_test_unseen, classes=data.unseen_table)
    return (
        columns["per_image_accuracy"][at] == pytest.approx((answers == data.y_test_unseen).mean(), abs=0.04)
        and columns["objective"][at] == pytest.approx(model.objective_, rel=0.02)
        and columns["largest_eigenvalue"][at] == pytest.approx(model.similarity_.spectrum()[-1], rel=0.05)
        and bool(columns["global_optimum"][at]) == model.similarity_.is_positive_definite
    )


def test_a_finished_sweep_is_not_solved_again(data, folder, result):
    again = sweep(data, folder, grid=GRID, lambdas=(0.1, 1.0))
    assert again.solved_now == 0
    for name in COLUMNS:
        np.testing.assert_array_equal(again.columns[name], result.columns[name])


@pytest.mark.parametrize(
    ("other", "words"), [({"grid": (1.0,)}, "another grid"), ({"temperature": 0.2}, "another temperature")]
)
def test_a_folder_of_another_sweep_is_refused(data, folder, result, other, words):
    with pytest.raises(InputError, match=words):
        sweep(data, folder, **({"grid": GRID, "lambdas": (0.1, 1.0)} | other))


def test_a_folder_of_other_data_is_refused(folder, result):
    other = make_zero_shot(n_seen=6, n_unseen=3, n_features=8, n_attributes=5, n_per_class=10, random_state=1)
    with pytest.raises(InputError, match="another data set"):
        sweep(other, folder, grid=GRID, lambdas=(0.1, 1.0))


def test_held_out_classes_never_look_at_unseen_ones(data, tmp_path):
    blind = make_zero_shot(
        n_seen=6, n_unseen=3, n_features=8, n_attributes=5, n_per_class=10, n_test_per_class=10, random_state=0
    )
    blind.X[blind.test_unseen] = 0.0
    one, two = (
        sweep(d, tmp_path / name, grid=(1.0, 100.0), score_on="held-out") for d, name in ((data, "a"), (blind, "b"))
    )
    np.testing.assert_array_equal(one.columns["per_class_accuracy"], two.columns["per_class_accuracy"])
    assert "held-out" in table(one).to_text()


def test_a_full_disk_is_a_sentence_and_loses_nothing(data, tmp_path):
    with (
        small_disk(40_000),
        pytest.raises(InputError, match=r"sweep\.sqlite cannot be used \(.*\): check .* that the disk has room"),
    ):
        sweep(data, tmp_path, grid=GRID)
    assert not (tmp_path / "results.csv").exists()
    with SweepStore(tmp_path / "sweep.sqlite") as store:
        kept = len({problem for problem, _ in store.solved()})
    assert kept > 0
    later = sweep(data, tmp_path, grid=GRID)
    assert later.solved_now == later.problems + later.parts - kept


def test_observations_are_checked(result):
    found = observe(result)
    assert [observation.name for observation in found] == ["quality", "robustness", "eigenvalues"]
    assert "settings within" in found[1].found
    assert "a study, not a selection" in table(result).to_text()


def start(out, *more):
    return start_sweep(out.parent / "small.npz", "--grid=-2:2:2", "--out", out, *more)


def wait_for_outcomes(out: Path, least: int) -> int:
    for _ in range(3000):
        time.sleep(0.05)
        if (out / "sweep.sqlite").exists():
            with SweepStore(out / "sweep.sqlite") as store:
                count = len(store.outcomes())
            if count >= least:
                return count
    raise AssertionError("nothing was stored")


def test_a_killed_sweep_goes_on_and_an_interrupted_one_says_how(data, tmp_path):
    pytest.importorskip("matplotlib")
    write_data(tmp_path / "small.npz", data)
    tmp_path = tmp_path / "out"
    first = start(tmp_path)
    wait_for_outcomes(tmp_path, 2)
    first.kill()
    first.wait()
    kept = wait_for_outcomes(tmp_path, 2)
    second = start(tmp_path, "--jobs", "2")
    wait_for_outcomes(tmp_path, kept + 1)
    second.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, said = second.communicate(timeout=30)
    if second.returncode == 130:  # it had not finished by then
        assert time.monotonic() - started < 10
        assert "Stopped. Solved problems are stored" in said
        assert "--out" in said
    third = start(tmp_path, "--figure")
    printed, said = third.communicate(timeout=120)
    assert third.returncode == 0, said
    assert len(read(tmp_path)) == 2 * 3**4
    assert "quality" in printed
    assert {"figure3.svg", "figure3.png", "figure4.svg", "figure4.png", "observations.md"} <= set(os.listdir(tmp_path))
