"""Problems merged by beta whose W left the positive-definite set: their parts are learned freely by themselves."""

import numpy as np
import pytest

from unseen.sweep import DaskCluster, Processes, sweep
from unseen.sweep.problems import MERGE, problem_coordinates
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


def test_only_free_rows_outside_the_set_take_parts(whole):
    result, _ = whole
    free, kept = by_way(result, "problem")
    parts = free >= result.problems
    assert len(set(free[parts])) == result.parts > 2
    assert result.solved_now == result.problems + result.parts
    assert f"{result.problems} distinct problems and {result.parts} parts of them" in result._repr_html_()
    np.testing.assert_array_equal(free[~parts], kept[~parts])
    inside, _ = by_way(result, "global_optimum")
    for problem in np.unique(kept[parts]):
        # The part that was solved with its problem says that W left the set.
        assert not inside[free == problem].any()


def test_rows_of_parts_share_beta(whole):
    result, _ = whole
    settings = np.stack([result.columns[name] for name in (*(f"omega{k}" for k in range(1, 5)), "lambda")], axis=1)
    coordinates = problem_coordinates(settings)[:, :3]
    free, _ = by_way(result, "problem")
    for part in np.unique(free[free >= result.problems]):
        assert (np.ptp(coordinates[: len(free)][free == part], axis=0) <= MERGE).all()


def test_they_are_what_a_sweep_without_the_rule_finds(data, split, tmp_path, monkeypatch):
    """In double precision, for among the poles of H rounding decides."""
    monkeypatch.setattr("unseen.sweep.study.make_split", lambda *_, **__: split)
    result = sweep(data, tmp_path / "with", **STUDY)
    monkeypatch.setattr("unseen.sweep.problems.NEGLIGIBLE_BETA", 1e-300)
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
    found, expected = (by_way(one, "merge_error_bound")[0][parts] for one in (result, without))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    # Their problems ended elsewhere: the rule would have been wrong of them.
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
