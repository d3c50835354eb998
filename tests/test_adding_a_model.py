"""The page about adding a model holds what it promises, run from outside the package as a reader would."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMAND = "from unseen.cli import app; app(prog_name='unseen')"

# What the page does not show for brevity: the graph and the file agree with the model, in a process of their own.
CHECK = """
import numpy as np, onnxruntime, unseen
from procrustes import Procrustes

data = unseen.load_dataset("digit-pairs")
model = unseen.load("turned.unseen")
assert type(model.model_.model_) is Procrustes
table = data.unseen_table
X = data.X_test_unseen.astype(np.float32)
session = onnxruntime.InferenceSession("turned.onnx", providers=["CPUExecutionProvider"])
[scores] = session.run(["scores"], {"features": X, "classes": table.vectors.astype(np.float32)})
np.testing.assert_allclose(scores, model.decision_function(X.astype(float), classes=table), rtol=1e-4, atol=1e-4)
assert np.mean(model.predict(X, classes=table) == data.y_test_unseen) > 0.8
"""


def test_the_page_runs_from_outside(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    text = (ROOT / "docs" / "adding-a-model.md").read_text()
    blocks = re.findall(r"^```(\w+).*?\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert [kind for kind, _ in blocks] == ["python", "python", "sh", "yaml"]
    module, program, commands, experiment = (block for _, block in blocks)
    (tmp_path / "procrustes.py").write_text(module)
    (tmp_path / "mine.yaml").write_text(experiment)

    def python(program: str, *arguments: str) -> None:
        folders = os.pathsep.join([str(ROOT / "src"), str(tmp_path)])
        command = [sys.executable, "-c", program, *arguments]
        environment = os.environ | {"PYTHONPATH": folders}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)

    python(program)
    python(CHECK)
    for line in commands.splitlines():
        name, *arguments = shlex.split(line)
        assert name == "unseen"
        python(COMMAND, *arguments)
