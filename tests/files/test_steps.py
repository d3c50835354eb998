"""Every step of preparation survives a model file, and the guides name all of them."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from sklearn.pipeline import make_pipeline

import unseen
from unseen.data import ClassTable, ZeroShotDataset
from unseen.features import STEPS
from unseen.files.export.onnx_steps import NOT_WRITTEN
from unseen.models import ESZSL, Prepared

DOCS = Path(__file__).parents[2] / "docs"
NAME = re.compile(r"`(\w+)(?:\([^`]*\))?`")


@pytest.mark.parametrize("side", ["features", "descriptions"])
@pytest.mark.parametrize("name", STEPS)
def test_every_step_survives_its_file(name: str, side: str, data: ZeroShotDataset, tmp_path: Path) -> None:
    if name == "Logit":
        data = _make_frequencies(data)
    for step in (STEPS.make(name), make_pipeline(STEPS.make(name), "passthrough")):
        model = Prepared(ESZSL(), **{side: step}).fit(data.X_train, data.y_train, classes=data.classes)
        unseen.save(model, tmp_path / "m.unseen", force=True)
        again = unseen.load(tmp_path / "m.unseen")
        for X in (data.X_test_unseen, data.X_test_unseen.astype(np.float32)):
            expected = model.decision_function(X, classes=data.unseen_table)
            np.testing.assert_array_equal(again.decision_function(X, classes=data.unseen_table), expected)
        assert again.n_features_in_ == model.n_features_in_


def _make_frequencies(data: ZeroShotDataset) -> ZeroShotDataset:
    """Return the data with all values between 0 and 1."""
    table = ClassTable(expit(data.classes.vectors), data.classes.labels)
    return replace(data, X=expit(data.X), classes=table)


def test_the_guide_to_preparing_names_every_step() -> None:
    table = (DOCS / "selection.md").read_text().partition("| step |")[2].partition("\n\n")[0]
    named = {name for row in table.splitlines()[2:] for name in NAME.findall(row.split("|")[1])}
    assert named - {"dimension_reduction"} == set(STEPS)


def test_the_guide_to_model_files_names_every_step() -> None:
    text = (DOCS / "model-files.md").read_text()
    listed = re.search(r"the steps of preparation \(([^)]*)\)", text)
    assert listed is not None
    assert set(NAME.findall(listed[1])) == set(STEPS)
    excepted = re.search(r"with all steps of preparation, .*?\bbut (.*?), whose", text, flags=re.DOTALL)
    assert excepted is not None
    assert set(NAME.findall(excepted[1])) == {kind.__name__ for kind in NOT_WRITTEN}
