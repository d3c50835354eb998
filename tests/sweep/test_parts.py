"""Problems whose free W left the positive-definite set: their parts are learned freely by themselves."""

from functools import partial

import numpy as np
import pytest

from unseen.sweep import DaskCluster, Processes, sweep
from unseen.sweep.problems import MERGE_PARTS, find_distinct_problems, problem_coordinates
from unseen.sweep.results import Outcome, find_parts
from unseen.sweep.study import PARTS
from unseen.utils.errors import InputError

# Small weights of the regulariser drive W out of the set, also where beta is small.
STUDY = {"grid": (1e-5, 1e-3, 1e-1, 10.0), "lambdas": (1e-8,), "max_iter": 10}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """So that the parts are several blocks."""
    monkeypatch.setattr("unseen.sweep.blocks.CORE_BLOCK", 2)


@pytest.fixture(scope="module")
def whole(data, tmp_path_factory):
    """An undisturbed sweep in one process, and the bytes of its results."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unseen.sweep.blocks.CORE_BLOCK", 2)
        return sweep(data, folder, **STUDY), (folder / "results.csv").read_bytes()


def by_way(result, name):
    """A column of the free and of the positive-definite rows."""
    return np.split(result.columns[name], 2)


def test_only_free_rows_take_parts_and_only_where_the_two_ways_went_apart(whole):
    result, _ = whole
    free, kept = by_way(result, "problem")
    parts = free >= result.problems
    assert len(set(free[parts])) == result.parts > 2
    assert result.solved_now == result.problems + result.parts
    assert f"{result.problems} distinct problems and {result.parts} parts of them" in result._repr_html_()
    np.testing.assert_array_equal(free[~parts], kept[~parts])
    objective, objective_kept = by_way(result, "objective")
    for problem in np.unique(kept[parts]):
        # The part that was solved with its problem says that the ways went apart.
        assert (objective != objective_kept)[free == problem].all()


def outcome(way, objective, **facts):
    """What came of the first problem."""
    known = {"per_class": 0.5, "per_image": 0.5, "converged": True, "iterations": 9, "sigma": 0.9, "merge_error": 0.0}
    return Outcome(0, way, objective=objective, **known | facts)


@pytest.mark.parametrize(
    ("objective", "facts", "apart"),
    [
        (1.0, {}, False),  # the very same steps
        (2.0, {}, True),
        (2.0, {"converged": False}, False),  # back inside, and still on its way
        (2.0, {"converged": False, "sigma": 1.1}, True),
    ],
)
def test_which_problems_are_taken_apart(objective, facts, apart):
    close = np.array([[0.01, 0.1, 0.001, 10.0**k, 1.0] for k in (-5, -4, -3)])
    problems = find_distinct_problems(close)
    assert len(problems) == 1
    found = find_parts(problems, [outcome("positive-definite", 1.0), outcome("free", objective, **facts)])
    assert len(found) == (len(problems.settings) - 1 if apart else 0)
    assert len(problems.settings) == 3


def test_rows_of_parts_are_nearly_one_problem(whole):
    result, _ = whole
    settings = np.stack([result.columns[name] for name in (*(f"omega{k}" for k in range(1, 5)), "lambda")], axis=1)
    coordinates = problem_coordinates(settings)[:, :3]
    free, _ = by_way(result, "problem")
    for part in np.unique(free[free >= result.problems]):
        assert (np.ptp(coordinates[: len(free)][free == part], axis=0) <= MERGE_PARTS).all()


def test_they_are_what_a_sweep_that_merges_little_finds(data, split, tmp_path, monkeypatch):
    """In double precision, for among the poles of H rounding decides."""
    monkeypatch.setattr("unseen.sweep.study.make_split", lambda *_, **__: split)
    result = sweep(data, tmp_path / "with", **STUDY)
    monkeypatch.setattr("unseen.sweep.problems.NEGLIGIBLE_BETA", 1e-300)
    monkeypatch.setattr("unseen.sweep.study.find_distinct_problems", partial(find_distinct_problems, merge=MERGE_PARTS))
    without = sweep(data, tmp_path / "without", **STUDY)
    assert without.problems > result.problems
    assert without.parts == 0
    free, kept = by_way(result, "problem")
    parts = free >= result.problems
    found, expected = (by_way(one, "objective")[0][parts] for one in (result, without))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    for name in ("per_class_accuracy", "per_image_accuracy", "iterations", "global_optimum"):
        found, expected = (by_way(one, name)[0][parts] for one in (result, without))
        np.testing.assert_array_equal(found, expected)
    # W itself, of which the bound is made, is less certain than the objective at its minimum.
    found, expected = (by_way(one, "merge_error_bound")[0][parts] for one in (result, without))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    # Their problems ended elsewhere: merging them would have been wrong.
    of_problem = dict(zip(free, by_way(result, "objective")[0], strict=True))
    merged = np.array([of_problem[problem] for problem in kept[parts]])
    assert np.abs(merged / by_way(without, "objective")[0][parts] - 1).max() > 1e-3


class Stopped(Exception):
    pass


@pytest.mark.parametrize("done", [0, 2])
def test_stopped_before_or_among_the_parts_it_goes_on(data, whole, tmp_path, done):
    def stop(progress):
        if progress.doing == PARTS and progress.done >= done:
            raise Stopped

    with pytest.raises(Stopped):
        sweep(data, tmp_path, **STUDY, on_progress=stop)
    assert not (tmp_path / "results.csv").exists()
    result, expected = whole
    assert sweep(data, tmp_path, **STUDY).solved_now == result.parts - done
    assert (tmp_path / "results.csv").read_bytes() == expected
    assert sweep(data, tmp_path, **STUDY).solved_now == 0


@pytest.mark.parametrize("place", ["processes", "dask"])
def test_they_are_the_same_wherever_they_are_solved(data, whole, tmp_path, place, monkeypatch):
    monkeypatch.setattr("unseen.utils.workers.count_cores", lambda: 2)
    if place == "dask":
        pytest.importorskip("distributed")
    executor = Processes(2) if place == "processes" else DaskCluster(workers=2)
    sweep(data, tmp_path, **STUDY, executor=executor)
    assert (tmp_path / "results.csv").read_bytes() == whole[1]


def test_a_device_learns_them_too(data, tmp_path):
    pytest.importorskip("torch")
    assert sweep(data, tmp_path, **STUDY, device="cpu").parts > 0


def test_a_folder_that_knows_no_parts_is_refused(data, tmp_path, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr("unseen.sweep.study.MERGING", [0.02, 0.01])
        sweep(data, tmp_path, grid=(1.0,))
    with pytest.raises(InputError, match=r"holds a sweep with another merging \(\[0\.02, 0\.01\], now"):
        sweep(data, tmp_path, grid=(1.0,))
