"""Every model survives its model file, bit for bit."""

from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import again, assert_same
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unseen
from unseen.data import ZeroShotDataset
from unseen.features import KernelMap, Logit, SimplexCoder, SquareRoot, UnitNorm
from unseen.learning import CCCP, SoftMaximum
from unseen.models import ESZSL, JFA, Blend, Calibrated, ConSE, Prepared, StructuralSVM, ZeroShotClassifier
from unseen.similarity import AdaptiveSimilarity, FrobeniusBall
from unseen.utils.errors import InputError


def test_every_model_survives_its_file(fitted: ZeroShotClassifier, data: ZeroShotDataset, tmp_path: Path) -> None:
    loaded = again(fitted, tmp_path)
    assert_same(fitted, loaded, data)
    public = [name for name in vars(fitted) if name.endswith("_") and name not in ("similarity_", "models_")]
    if hasattr(fitted, "similarity_"):
        assert repr(loaded.similarity_) == repr(fitted.similarity_)
        np.testing.assert_array_equal(loaded.similarity_.W, fitted.similarity_.W)
    for name in public:
        np.testing.assert_equal(_open(getattr(loaded, name)), _open(getattr(fitted, name)), err_msg=name)


def _open(value: Any) -> Any:
    """Return a dataclass as nested mappings, which can be compared."""
    return asdict(value) if is_dataclass(value) else value


PREPARED = {
    "unit norm, PCA": Prepared(JFA(), features=make_pipeline(UnitNorm(), PCA(8, random_state=0))),
    "square root, scaler": Prepared(ESZSL(), features=make_pipeline(SquareRoot(), StandardScaler())),
    "square root, kernel": Prepared(JFA(), descriptions=make_pipeline(SquareRoot(), KernelMap(width=2.0))),
    "linear kernel, drawn": Prepared(ESZSL(), descriptions=KernelMap("linear", landmarks=4, random_state=0)),
    "logits of codes": Prepared(ESZSL(), descriptions=make_pipeline(SimplexCoder(0.1), Logit())),
    "SVD, simplex codes": Prepared(ESZSL(), features=TruncatedSVD(8), descriptions=SimplexCoder(0.1)),
    "whitened": Prepared(ESZSL(), features=PCA(8, whiten=True)),
    "calibrated": Calibrated(Prepared(JFA(), features=PCA(8)), random_state=0),
    "blend": Blend([("one", Prepared(ESZSL(), features=PCA(8))), ("two", ConSE())], random_state=0),
    "blend calibrated": Calibrated(Prepared(Blend([ESZSL(), JFA()], weights=[1, 2]), features=PCA(8)), random_state=0),
    "calibrated inside": Prepared(Calibrated(ESZSL(), random_state=0), features=PCA(8)),
    "parts as objects": JFA(
        omega=(100.0, 10.0, 0.0, 1.0), loss=SoftMaximum(0.2), weights=FrobeniusBall(3.0), random_state=3
    ),
    "similarity as object": StructuralSVM(AdaptiveSimilarity(omega=(100.0, 10.0, 0.0, 1.0)), lam=0.5),
    "solver as object": JFA(loss="maximum", solver=CCCP(max_rounds=2)),
}


@pytest.mark.parametrize("model", PREPARED.values(), ids=PREPARED.keys())
def test_preparations_and_wrappers_survive(model, data: ZeroShotDataset, tmp_path: Path) -> None:
    model.fit(data.X_train, data.y_train, classes=data.classes)
    assert_same(model, again(model, tmp_path), data)


def test_names_and_precision_of_features_survive(data: ZeroShotDataset, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(data.X_train.astype(np.float32), columns=[f"f{at}" for at in range(data.X.shape[1])])
    model = ESZSL().fit(frame, data.y_train, classes=data.classes)
    loaded = again(model, tmp_path)
    np.testing.assert_array_equal(loaded.feature_names_in_, model.feature_names_in_)
    other = frame.rename(columns={"f0": "g0"})
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(other)


def test_a_model_fitted_on_tensors_comes_back_for_numpy(data: ZeroShotDataset, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    model = JFA().fit(torch.asarray(data.X_train), data.y_train, classes=data.classes)
    loaded = again(model, tmp_path)
    X = data.X_test_unseen
    expected = model.decision_function(torch.asarray(X), classes=data.unseen_table).numpy()
    np.testing.assert_allclose(loaded.decision_function(X, classes=data.unseen_table), expected, rtol=1e-9, atol=1e-9)
    scores = loaded.decision_function(torch.asarray(X), classes=data.unseen_table)
    np.testing.assert_allclose(scores.numpy(), expected, rtol=1e-9, atol=1e-9)


def test_what_a_file_cannot_hold_is_refused(data: ZeroShotDataset, tmp_path: Path) -> None:
    path = tmp_path / "m.unseen"
    with pytest.raises(InputError, match="not a fitted model"):
        unseen.save(JFA(), path)
    margin = JFA(margin=lambda one, two: float(one != two)).fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match=r"model\.margin is <function"):
        unseen.save(margin, path)
    pipeline = make_pipeline(StandardScaler(), ESZSL()).fit(data.X_train, data.y_train)
    for other in ("a text", pipeline, PCA().fit(data.X_train)):
        with pytest.raises(InputError, match="give a fitted estimator of unseen"):
            unseen.save(other, path)
    assert not list(tmp_path.iterdir())
