"""The list of bad inputs: each is one sentence and exit code 2."""

from pathlib import Path

import numpy as np
import pytest
from tests.commands import run

import unseen
from unseen.data import make_zero_shot
from unseen.models import ESZSL


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = make_zero_shot(n_seen=8, n_unseen=4, n_features=6, n_attributes=5, n_per_class=6, random_state=0)
    path = tmp_path_factory.mktemp("bad")
    unseen.save(ESZSL().fit(data.X_train, data.y_train, classes=data.classes), path / "m.unseen")
    data.classes.to_csv(path / "classes.csv")
    (path / "one-row.csv").write_text(f"label,a,b\n{data.y[0]},1,2\n")
    (path / "deep.yaml").write_text("[" * 5000)
    good = {"X": data.X, "y": data.y, "classes": np.array(list(data.classes)), "attributes": data.classes.vectors}
    bad = {
        "good": {},
        "short": {"y": data.y[:-3]},
        "empty": {"X": data.X[:0], "y": data.y[:0]},
        "flat": {"X": data.X[:, 0]},
        "constant": {"X": np.ones_like(data.X)},
        "alike": {"attributes": np.ones_like(data.classes.vectors)},
        "no-list": {"classes": np.array(3)},
        "slip": {"X": np.where(np.arange(data.X.size).reshape(data.X.shape) == 8, 1e300, data.X)},
        "dates": {"X": data.X.astype("int64").astype("datetime64[s]")},
    }
    for name, change in bad.items():
        np.savez(path / f"{name}.npz", **(good | change))
    return path


FIT = "fit good.npz --split none --no-calibrate --out new.unseen"
REFUSALS = {
    f"{FIT} --pca 500": "left when classes are held out (n_components=500",
    f"{FIT} --set margin=zzz": "margin='zzz' is not a matrix of numbers",
    f"{FIT} --set verbose=maybe": "verbose must be True or False, got 'maybe'",
    f"{FIT} --set warm_start=maybe": "warm_start must be True or False, got 'maybe'",
    f"{FIT} --set class_weight=maybe": "class_weight='maybe' is not known",
    f"{FIT} --set omega=[1e-300,1,0,0]": "whose square leaves the range of floats",
    f"{FIT} --set omega=[1e300,1,0,0]": "whose square leaves the range of floats",
    f"{FIT} --set loss=3": "loss=3 is not known",
    f"{FIT} --set solver=null": "solver=None is not known",
    f"{FIT} --set random_state=-1": "random_state must be None",
    f"{FIT} --set lam=1e400": "lam must be a finite number",
    "fit good.npz --split random:99999999999 --out new.unseen": "random_state must be None",
    "fit short.npz --split none --out new.unseen": "y has 285 labels for 288 rows of X",
    "fit empty.npz --split none --out new.unseen": "has no rows: give at least one",
    "fit flat.npz --split none --out new.unseen": "must have two dimensions",
    "fit constant.npz --split none --out new.unseen": "X has the same values in all rows",
    "fit alike.npz --split none --out new.unseen": "seen classes alike",
    "fit no-list.npz --split none --out new.unseen": "classes has shape (); give a list of names",
    "fit slip.npz --split none --no-calibrate --out new.unseen": "X has 1e+300 in row 1, column 2",
    "fit dates.npz --split none --out new.unseen": "must hold real numbers",
    "fit one-row.csv --classes classes.csv --out new.unseen": "y has 1 classes",
    "predict m.unseen empty.npz": "has no rows: give at least one",
    "predict m.unseen dates.npz": "must hold real numbers",
    "bench deep.yaml": "is nested more than 20 deep",
}


@pytest.mark.parametrize(("command", "sentence"), REFUSALS.items(), ids=REFUSALS)
def test_bad_input_is_refused_in_a_sentence(
    command: str, sentence: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = run(*command.split())
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (folder / "new.unseen").exists()


@pytest.mark.parametrize("seed", ["-1", str(2**40), "1.5", "many"])
@pytest.mark.parametrize("command", ["fit digit-pairs --out new.unseen", "evaluate eszsl digit-pairs", "demo"])
def test_seeds_that_are_not_seeds(command: str, seed: str) -> None:
    result = run(*command.split(), "--seed", seed)
    assert result.exit_code == 2
    name = command.partition(" ")[0]
    sentence = f"'{seed}' is not a whole number from 0 to 4294967295; see `unseen {name} --help`"
    assert result.stderr == f"✗ Invalid value for '--seed': {sentence}\n"


@pytest.mark.parametrize(
    ("command", "remedy"),
    {
        "fit": "unseen fit",
        "fit digit-pairs --out m.unseen --pca 0": "unseen fit",
        "fit --nonsense": "unseen fit",
        "nonsense": "unseen",
        "--nonsense": "unseen",
        "datasets nonsense": "unseen datasets",
    }.items(),
)
def test_errors_of_usage_are_sentences_too(command: str, remedy: str) -> None:
    result = run(*command.split())
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert line.startswith("✗ ")
    assert line.endswith(f"; see `{remedy} --help`")


def test_a_command_alone_shows_its_help() -> None:
    assert "check" in run("datasets").output
    assert "extract" in run().output
