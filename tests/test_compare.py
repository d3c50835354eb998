"""`python -m benchmarks compare`: the rule on made-up numbers, the checkout, and one small real run."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.comparing.command import find_common, parse
from benchmarks.comparing.matching import match
from benchmarks.comparing.measuring import QUICK, measure
from benchmarks.comparing.repository import PREFIX, Repository
from benchmarks.comparing.rule import ENOUGH_REPEATS, Comparison, is_larger
from benchmarks.tools.counting import CallCount
from benchmarks.tools.ratios import Row, read_rows, show
from hypothesis import given
from hypothesis import strategies as st

from unseen.utils.errors import InputError

ROOT = Path(__file__).parents[1]

TIME = Row("fit", 3.0, "bare product", 1.0)
SPEED = Row("extract", 30.0, "bare loop", 40.0, at_least=0.9, unit="pictures/s")
MEMORY = Row("memory added", 20.0, "MiB allowed", 500.0, unit="MiB")

repeats = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("row", "base", "now", "verdict"),
    [
        (TIME, [1.0, 1.1, 1.2, 1.0, 1.1], [1.5, 1.4, 1.6, 1.5, 1.4], "got slower"),
        (TIME, [1.5, 1.4, 1.6, 1.5, 1.4], [1.0, 1.1, 1.2, 1.0, 1.1], "got faster"),
        (SPEED, [1.5, 1.4, 1.6, 1.5, 1.4], [1.0, 1.1, 1.2, 1.0, 1.1], "got slower"),
        (MEMORY, [20, 20, 20, 20, 20], [30, 30, 30, 30, 30], "got larger"),
        (MEMORY, [30, 30, 30, 30, 30], [20, 20, 20, 20, 20], "got smaller"),
        # A disturbed run of base does not hide that everything got slower, unless it is as slow as several runs now.
        (TIME, [1.0, 1.1, 1.55, 1.02, 1.1], [1.5, 1.56, 1.6, 1.7, 1.65], "got slower"),
        (TIME, [1.0, 1.1, 1.55, 1.02, 1.1], [1.5, 1.45, 1.6, 1.7, 1.65], "the same within the noise"),
        # A few pages of memory.
        (MEMORY, [0.05, 0.05, 0.05, 0.05, 0.05], [0.06, 0.06, 0.06, 0.06, 0.06], "the same within the noise"),
        # Told apart, but by less than the margin.
        (TIME, [1.0, 1.01, 1.02, 1.03, 1.04], [1.05, 1.06, 1.07, 1.08, 1.09], "the same within the noise"),
        # Beyond the margin, but not told apart.
        (TIME, [1.0, 1.0, 1.1, 2.0, 2.1], [1.0, 1.1, 1.5, 2.0, 2.1], "the same within the noise"),
    ],
)
def test_verdicts(row: Row, base: list[float], now: list[float], verdict: str) -> None:
    assert Comparison(row, base, now).verdict == verdict


@given(repeats, st.floats(1, 1.1), st.randoms())
def test_equal_or_nearly_equal_repeats_are_the_same(values: list[float], factor: float, random) -> None:
    moved = [factor * value for value in values]
    random.shuffle(moved)
    comparison = Comparison(TIME, values, moved)
    assert not comparison.better
    assert not comparison.worse or factor > 1.0999  # rounding at the margin itself


@given(repeats, repeats)
def test_never_both_and_turned_round_the_other_way_round(base: list[float], now: list[float]) -> None:
    forth, back = Comparison(TIME, base, now), Comparison(TIME, now, base)
    assert not (forth.worse and forth.better)
    assert (forth.worse, forth.better) == (back.better, back.worse)
    assert Comparison(SPEED, base, now).worse == forth.better


@given(repeats, repeats, st.integers(-20, 20), st.integers(0, 10))
def test_the_unit_does_not_matter_and_slower_still_stays_slower(
    base: list[float], now: list[float], unit: int, slowdown: int
) -> None:
    worse = is_larger(now, base)
    assert is_larger([2.0**unit * value for value in now], [2.0**unit * value for value in base]) == worse
    assert is_larger([2.0**slowdown * value for value in now], base) >= worse


@given(st.integers(1, 12), st.floats(1e-6, 1e6), st.floats(1.2, 100))
def test_runs_that_do_not_overlap_are_told_apart_from_five_repeats_on(n: int, start: float, factor: float) -> None:
    base = [start * (1 + at / 1000) for at in range(n)]
    assert is_larger([factor * value for value in base], base) == (n >= ENOUGH_REPEATS)


def test_nothing_needed_before_and_now_is_a_ratio_of_one() -> None:
    assert Comparison(MEMORY, [0.0], [0.0]).ratio == 1
    assert Comparison(MEMORY, [0.0], [2.0]).ratio == float("inf")


def test_ratios_are_compared_and_numbers_whose_floor_is_a_constant() -> None:
    assert TIME.compared == 3
    assert TIME.compared_in == "bare product"
    assert Row("fit", 3.0, "seconds allowed", 0.6).compared == 3  # whatever is allowed
    assert Row("fit", 3.0, "seconds allowed", 0.6).compared_in == "s"


def test_rows_are_kept_as_lines_of_json_and_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.jsonl"
    show([TIME], "one", file)
    show([SPEED, MEMORY], "two", file)
    assert read_rows(file) == [TIME, SPEED, MEMORY]
    first = json.loads(file.read_text().splitlines()[0])
    assert (first["title"], first["ratio"]) == ("one", 3.0)
    file.write_text(json.dumps(first | {"a field of later versions": 1}))
    assert read_rows(file) == [TIME]


def test_what_only_one_revision_measures_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    compared = match({"b": [[TIME, SPEED], [TIME, SPEED]]}, {"b": [[TIME, MEMORY], [TIME, MEMORY]]})
    assert {name for _, name, _ in compared} == {"fit"}
    assert compared["b", "fit", "bare product"].base == [3, 3]
    said = capsys.readouterr().err
    assert "only base measures b: extract, against bare loop" in said
    assert "only the working tree measures b: memory added, against MiB allowed" in said


def test_calls_are_counted_and_the_method_is_put_back() -> None:
    class Adder:
        def add(self, one: int, *, other: int) -> int:
            return one + other

    method = Adder.add
    with CallCount(Adder, "add") as count:
        assert [Adder().add(1, other=at) for at in range(3)] == [1, 2, 3]
    assert count.calls == 3
    assert Adder.add is method


def test_benchmarks_that_base_does_not_have_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "benchmarks").mkdir()
    with pytest.raises(InputError, match=r"base has none of the benchmarks yet \(one, two\): choose a later revision"):
        find_common(tmp_path, ["one", "two"])
    (tmp_path / "benchmarks" / "two.py").touch()
    assert find_common(tmp_path, ["one", "two"]) == ["two"]
    assert "base does not have it yet: one" in capsys.readouterr().err


# A benchmark that says which tree its package is from, and when it ran.
PRETENDED = """
import json, pathlib, sys, unseen
with pathlib.Path("../turns").open("a") as turns:
    print(unseen.name, file=turns)
row = {"name": unseen.name, "measured": 6.0, "floor_name": "floor", "floor": 2.0, "unit": "s"}
pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps(row))
"""


def make_tree(root: Path, program: str) -> Path:
    """Pretend to be a checkout, with a package of its own."""
    for file, text in {"benchmarks/__main__.py": program, "src/unseen.py": f"name = {root.name!r}"}.items():
        (root / file).parent.mkdir(parents=True)
        (root / file).write_text(text)
    return root


def test_trees_take_turns_each_with_its_own_package(tmp_path: Path) -> None:
    trees = [make_tree(tmp_path / name, PRETENDED) for name in ("base", "now")]
    base, now = measure(trees, ["gaussian"], 2, small=True)
    assert (tmp_path / "turns").read_text().split() == ["base", "now", "base", "now"]
    assert base == {"gaussian": 2 * [[Row("base", 6.0, "floor", 2.0)]]}
    assert now == {"gaussian": 2 * [[Row("now", 6.0, "floor", 2.0)]]}


def test_a_benchmark_that_fails_gets_a_sentence(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "base", "raise SystemExit('no room')")
    with pytest.raises(InputError, match=r"benchmark gaussian fails in .*base \(no room\): mend it, or name others"):
        measure([tree], ["gaussian"], 1, small=True)


def test_quick_benchmarks_are_benchmarks() -> None:
    assert all((ROOT / "benchmarks" / f"{name}.py").exists() for name in QUICK)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    root = tmp_path / "repository"
    root.mkdir()
    for file in ("old", "new"):
        (root / file).write_text(file)
        for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", file]):
            settings = ["-c", "user.name=me", "-c", "user.email=me@here", "-c", "commit.gpgsign=false"]
            subprocess.run(["git", *settings, *command], cwd=root, check=True)
    return Repository(root)


def test_a_checkout_is_there_for_a_while(repository: Repository) -> None:
    assert repository.list_checkouts() == []
    with repository.check_out(repository.find("HEAD~1")) as tree:
        assert [path.name for path in tree.iterdir() if path.name != ".git"] == ["old"]
        assert repository.list_checkouts() == [tree]
        assert tree.parent.name.startswith(PREFIX)
    assert repository.list_checkouts() == []
    assert not tree.parent.exists()


@pytest.mark.parametrize("end", [KeyboardInterrupt, InputError])
def test_a_checkout_is_removed_after_failures_and_interruptions(repository: Repository, end: type) -> None:
    trees = []

    def fail() -> None:
        with repository.check_out("HEAD") as tree:
            trees.append(tree)
            (tree / "left over").write_text("by a benchmark")
            raise end

    with pytest.raises(end):
        fail()
    assert repository.list_checkouts() == []
    assert not trees[0].parent.exists()


def test_revisions_that_cannot_be_compared_get_a_sentence(repository: Repository) -> None:
    with pytest.raises(InputError, match=r"base='nosuch' is not a revision of .*: give a commit, a branch or a tag"):
        repository.find("nosuch")
    commit = repository.find("HEAD")
    repository.require("new", commit)
    with pytest.raises(InputError, match=f"cannot be compared.*: choose a revision from commit {commit} on"):
        repository.require("new", repository.find("HEAD~1"))


def test_a_failed_checkout_gets_a_sentence(repository: Repository) -> None:
    with pytest.raises(InputError, match="git could not check out base=nosuch"), repository.check_out("nosuch"):
        pass
    assert repository.list_checkouts() == []


def test_without_a_history_or_git_there_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("git"):
        with pytest.raises(InputError, match=r"is not a git repository .*: clone the repository"):
            Repository(tmp_path).find("HEAD")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="git is not installed"):
        Repository(tmp_path).find("HEAD")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", "compare", *arguments],
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_the_working_tree_is_compared_with_a_revision() -> None:
    try:
        Repository(ROOT).require("benchmarks/comparing/command.py", Repository(ROOT).find("HEAD"))
    except InputError as error:
        pytest.skip(str(error))
    before = Repository(ROOT).list_checkouts()
    done = run("HEAD", "--small", "--only", "training_pass", "--repeats", "1")
    assert done.returncode == 0, done.stderr
    assert "one pass, SoftMaximum" in done.stdout
    assert "the same within the noise" in done.stdout
    assert "0 of 2 quantities got slower or larger." in done.stdout
    assert "With fewer than 5 repeats nothing can be told from the noise." in done.stderr
    assert set(Repository(ROOT).list_checkouts()) <= set(before)


def test_a_revision_that_is_not_known_gets_a_sentence() -> None:
    done = run("no-such-revision")
    assert done.returncode == 1
    # Which sentence depends on whether this is a clone.
    assert done.stderr.startswith("✗ ")
    assert "Traceback" not in done.stderr


def test_bad_options_get_a_sentence() -> None:
    with pytest.raises(InputError, match=r"only='trainingpas' is not known \(did you mean 'training_pass'\?\)"):
        parse(["HEAD", "--only", "trainingpas"])
    with pytest.raises(InputError, match="repeats must be a whole number of at least 1, got 0"):
        parse(["HEAD", "--repeats", "0"])
    assert parse(["HEAD", "--only", "gaussian", "gaussian"]).only == ["gaussian"]
