"""Time how long a command takes to begin, against importing NumPy alone.

Every command runs in a process of its own; the best of several runs counts, because everything else on the machine only
adds to it.
"""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.pipeline import make_pipeline

import unseen
from benchmarks.tools.ratios import Row, ratio_options, show
from unseen import make_zero_shot
from unseen.features import SquareRoot, UnitNorm, Whitening
from unseen.models import JFA, BilinearSVM, Blend, Calibrated, ConSE, GaussianJFA, Prepared

FLOOR = "import numpy"

# What is to be seen, and how many times as long as the floor it may take.
COMMANDS: dict[str, tuple[list[str], float]] = {
    "unseen --help": (["--help"], 4.0),
    "predict, JFA": (["predict", "jfa.unseen", "one.npy", "--classes", "new.csv"], 8.0),
    "predict, as fit chooses": (["predict", "chosen.unseen", "one.npy", "--classes", "new.csv"], 8.0),
    "predict, a model that needs scikit-learn": (["predict", "conse.unseen", "one.npy", "--classes", "new.csv"], 40.0),
}


def main(arguments: list[str]) -> None:
    parser = ratio_options(__name__, __doc__)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args(arguments)
    repeats = 1 if options.small else options.repeats
    with TemporaryDirectory() as folder:
        make_files(Path(folder))
        floor = min(time_code("import numpy", Path(folder)) for _ in range(repeats))
        rows = [
            Row(name, min(time_code(write_code(command), Path(folder)) for _ in range(repeats)), FLOOR, floor, at_most)
            for name, (command, at_most) in COMMANDS.items()
        ]
    show(rows, "start-up of commands, each in a process of its own", options.json)


def make_files(folder: Path) -> None:
    data = make_zero_shot(n_seen=20, n_unseen=10, n_features=64, n_attributes=20, random_state=0)
    chosen = Prepared(
        Blend([GaussianJFA(), BilinearSVM()], weights=[1, 1]),
        features=make_pipeline(SquareRoot(), Whitening(), UnitNorm()),
    )
    for name, model in {"jfa": JFA(), "chosen": chosen, "conse": ConSE()}.items():
        calibrated = Calibrated(model, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
        unseen.save(calibrated, folder / f"{name}.unseen")
    np.save(folder / "one.npy", data.X_test_unseen[:1])
    data.unseen_table.to_csv(folder / "new.csv")


def write_code(command: list[str]) -> str:
    return f"from unseen.cli import app; app({command!r})"


def time_code(code: str, folder: Path) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - started
