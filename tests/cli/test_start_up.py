"""A command imports what it needs: predicting by two products needs no scikit-learn, SciPy or pandas."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

import unseen
from unseen.data import make_zero_shot
from unseen.features import SquareRoot, UnitNorm, Whitening
from unseen.models import JFA, BilinearSVM, Blend, Calibrated, GaussianJFA, Prepared
from unseen.transduction import PST

HEAVY = {"dask", "h5py", "joblib", "matplotlib", "narwhals", "pandas", "polars", "pyarrow", "scipy", "sklearn", "torch"}

MODELS = {
    "jfa": Calibrated(JFA(), random_state=0),
    "chosen": Calibrated(
        Prepared(
            Blend([GaussianJFA(), BilinearSVM()], weights=[1, 1]),
            features=make_pipeline(SquareRoot(), PCA(5), Whitening(), UnitNorm()),
        ),
        random_state=0,
    ),
    "refined": PST(JFA()),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("start")
    data = make_zero_shot(n_seen=8, n_unseen=4, n_features=6, n_attributes=5, n_per_class=6, random_state=0)
    for name, model in MODELS.items():
        unseen.save(model.fit(data.X_train, data.y_train, classes=data.classes), folder / f"{name}.unseen")
    np.save(folder / "one.npy", data.X_test_unseen[:1])
    data.unseen_table.to_csv(folder / "new.csv")
    return folder


def run(folder: Path, *arguments: str) -> tuple[str, set[str]]:
    """Return what a command printed, and which packages it imported."""
    code = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from unseen.cli import app\n"
        f"app({list(arguments)!r}, standalone_mode=False)\n"
        "print('loaded:', *{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout, set(done.stderr.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("name", ["jfa", "chosen"])
def test_one_row_is_answered_without_scikit_learn(name: str, folder: Path) -> None:
    for extra in ([], ["--top", "3", "--abstain", "0.5", "--format", "json"], ["--out", f"{name}.csv"]):
        _, loaded = run(folder, "predict", f"{name}.unseen", "one.npy", "--classes", "new.csv", *extra)
        assert "numpy" in loaded
        assert not loaded & HEAVY


def test_the_answer_is_that_of_a_process_that_has_all_of_it(folder: Path) -> None:
    for name in ("jfa", "chosen"):
        printed, _ = run(folder, "predict", f"{name}.unseen", "one.npy", "--classes", "new.csv")
        model = unseen.load(folder / f"{name}.unseen")
        table = unseen.ClassTable.from_csv(folder / "new.csv")
        chances = model.predict_proba(np.load(folder / "one.npy"), classes=table)
        best = table.labels[chances.argmax()]
        assert printed == f"row,label,probability\n0,{best},{round(float(chances.max()), 6)}\n"


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_command_leaves_no_file(number: int, folder: Path, tmp_path: Path) -> None:
    many = np.lib.format.open_memmap(tmp_path / "many.npy", "w+", np.float32, (4_000_000, 6))
    many.flush()
    command = ["predict", folder / "jfa.unseen", "many.npy", "--classes", folder / "new.csv", "--out", "answers.csv"]
    code = f"import sys; sys.path[:] = {sys.path!r}\nfrom unseen.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, command)], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".answers*")):  # it is being written
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.startswith("Stopped. No file was written; to begin anew: unseen predict")
    assert [entry.name for entry in tmp_path.iterdir()] == ["many.npy"]


def test_a_model_that_needs_scikit_learn_loads_it(folder: Path) -> None:
    _, loaded = run(folder, "predict", "refined.unseen", "one.npy", "--classes", "new.csv")
    assert "sklearn" in loaded


def test_help_imports_not_even_numpy(folder: Path) -> None:
    for arguments in (["--help"], ["predict", "--help"], ["fit", "--help"]):
        printed, loaded = run(folder, *arguments)
        assert "Usage" in printed
        assert not loaded & (HEAVY | {"numpy"})
