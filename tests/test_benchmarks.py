"""The benchmarks run, small, so that they cannot rot. What they measure is never a test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["benchmarks", "--small"], ["one pass, Maximum", "default fit", "predict", "memory added"]),
        (["benchmarks.choices", "--small", "--splits", "1", "scaling"], ["as they are"]),
        (["benchmarks.predict_files", "--small", "--repeats", "1"], ["labels as csv, beyond start-up"]),
        (["benchmarks.many_classes", "--small", "--queries", "20"], ["2,000 classes", "ivf"]),
        (["benchmarks.confidence", "--small"], ["ECE calibrated", "coverage expected"]),
        (["benchmarks.transductive", "--small"], ["JFA + SPZSR", "TMVHLP", "single row", "peak memory"]),
        (["benchmarks.attribute_noise", "--small"], ["bilinear", "as given"]),
        (["benchmarks.dask_fit", "--small"], ["peak memory of a worker", "relative difference"]),
        (["benchmarks.omega", "--small"], ["auto", "learn"]),
        (["benchmarks.sweep", "--small"], ["distinct problem", "times the sweep"]),
        (["benchmarks.encoding", "--small"], ["extract", "bare loop"]),
    ],
    ids=[
        "speed",
        "choices",
        "predict_files",
        "many_classes",
        "confidence",
        "transductive",
        "attribute_noise",
        "dask_fit",
        "omega",
        "sweep",
        "encoding",
    ],
)
def test_benchmarks_run(arguments, expected):
    run = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    for words in expected:
        assert words in run.stdout
