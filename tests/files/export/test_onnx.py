"""ONNX graphs give our own scores under onnxruntime."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.features import SimplexCoder, SquareRoot, UnitNorm
from unseen.files.export import export_onnx
from unseen.models import ALE, DAP, ESZSL, JFA, SJE, BilinearSVM, Calibrated, DirectJFA, Prepared
from unseen.transduction import PST
from unseen.utils.errors import InputError

onnxruntime = pytest.importorskip("onnxruntime")

MODELS = {
    "JFA": JFA(),
    "DirectJFA": DirectJFA(omega=(1.0, 1.0, 0.0, 0.0)),
    "BilinearSVM": BilinearSVM(),
    "ESZSL": ESZSL(),
    "ALE": ALE(random_state=0),
    "SJE": SJE(random_state=0),
    "unscaled": JFA(scaling=None),
    "unit norm, PCA": Prepared(JFA(), features=make_pipeline(UnitNorm(), PCA(6))),
    "square root, whitened": Prepared(ESZSL(), features=make_pipeline(SquareRoot(), PCA(6, whiten=True))),
    "scaler, SVD": Prepared(ESZSL(), features=make_pipeline(StandardScaler(), UnitNorm("l1"), TruncatedSVD(6))),
    "largest": Prepared(ESZSL(), features=UnitNorm("max")),
    "calibrated": Calibrated(Prepared(JFA(), features=PCA(6)), random_state=0),
    "calibrated between": Prepared(Calibrated(Prepared(JFA(), features=PCA(6)), random_state=0), features=UnitNorm()),
}


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 12, "n_unseen": 6, "n_features": 9, "n_attributes": 7, "n_per_class": 8}
    return make_zero_shot(**sizes, random_state=0)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_scores_and_probabilities_are_equal(model, data: ZeroShotDataset, tmp_path: Path) -> None:
    model.fit(data.X_train, data.y_train, classes=data.classes)
    export_onnx(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    X = data.X_test_unseen.astype(np.float32)
    X[0] = 0  # a row without a length
    for table in (data.unseen_table, data.classes):
        vectors = table.vectors.astype(np.float32)
        scores, chances = session.run(["scores", "probabilities"], {"features": X, "classes": vectors})
        candidates = type(table)(vectors.astype(np.float64), table.labels)
        expected = model.decision_function(X.astype(np.float64), classes=candidates)
        np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(chances, model.predict_proba(X.astype(np.float64), classes=candidates), atol=1e-5)


def test_what_cannot_be_written_is_refused(data: ZeroShotDataset, tmp_path: Path) -> None:
    fitted = [
        (DAP(random_state=0), "DAP cannot be written as ONNX"),
        (Prepared(JFA(), descriptions=SimplexCoder(0.1)), "prepared by SimplexCoder"),
        (PST(JFA()), r"answers whole batches.*export the model inside it"),
    ]
    for model, sentence in fitted:
        model.fit(data.X_train, data.y_train, classes=data.classes)
        with pytest.raises(InputError, match=sentence):
            export_onnx(model, tmp_path / "m.onnx")
    (tmp_path / "there.onnx").write_text("precious")
    with pytest.raises(InputError, match="exists already"):
        export_onnx(ESZSL().fit(data.X_train, data.y_train, classes=data.classes), tmp_path / "there.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["there.onnx"]
