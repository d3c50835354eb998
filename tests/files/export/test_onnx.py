"""ONNX graphs give our own scores under onnxruntime."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.features import STEPS, KernelMap, Logit, SimplexCoder, SquareRoot, UnitNorm, Whitening
from unseen.files.export import export_onnx
from unseen.files.export.onnx_steps import NOT_WRITTEN, WRITTEN
from unseen.models import ALE, DAP, ESZSL, JFA, SJE, BilinearSVM, Blend, Calibrated, DirectJFA, GaussianJFA, Prepared
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
    "gaussian": GaussianJFA(),
    "gaussian, linear, unscaled": GaussianJFA("linear", scaling=None),
    "gaussian, calibrated": Calibrated(Prepared(GaussianJFA(), features=PCA(6)), random_state=0),
    "gaussian in a blend": Blend([GaussianJFA(), BilinearSVM()], weights=[2, 1], random_state=0),
    "unscaled": JFA(scaling=None),
    "unit norm, PCA": Prepared(JFA(), features=make_pipeline(UnitNorm(), PCA(6))),
    "square root, whitened": Prepared(ESZSL(), features=make_pipeline(SquareRoot(), PCA(6, whiten=True))),
    "scaler, SVD": Prepared(ESZSL(), features=make_pipeline(StandardScaler(), UnitNorm("l1"), TruncatedSVD(6))),
    "whitened within classes": Prepared(
        JFA(), features=make_pipeline(UnitNorm(), PCA(6), Whitening(within_classes=True), UnitNorm())
    ),
    "both sides": Prepared(JFA(), features=Whitening(), descriptions=make_pipeline(Whitening(3.0), UnitNorm())),
    "kernels": Prepared(JFA(), descriptions=make_pipeline(KernelMap(width=3.0), KernelMap("linear", landmarks=5))),
    "largest": Prepared(ESZSL(), features=UnitNorm("max")),
    "calibrated": Calibrated(Prepared(JFA(), features=PCA(6)), random_state=0),
    "blend": Blend([ESZSL(), JFA()], weights=[1, 2], random_state=0),
    "prepared parts": Calibrated(
        Prepared(
            Blend([Prepared(ESZSL(), descriptions=Whitening()), Prepared(JFA(), features=PCA(6))]), features=UnitNorm()
        ),
        random_state=0,
    ),
    "calibrated between": Prepared(Calibrated(Prepared(JFA(), features=PCA(6)), random_state=0), features=UnitNorm()),
}


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    sizes = {"n_seen": 12, "n_unseen": 6, "n_features": 9, "n_attributes": 7, "n_per_class": 8}
    return make_zero_shot(**sizes, random_state=0)


def assert_graph_agrees(model, data: ZeroShotDataset, tmp_path: Path) -> None:
    """Fit and export a model, and compare its own answers with those of onnxruntime."""
    model.fit(data.X_train, data.y_train, classes=data.classes)
    export_onnx(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    X = data.X_test_unseen.astype(np.float32)
    X[0] = 0  # a row without a length
    for table in (data.unseen_table, data.classes):
        vectors = table.vectors.astype(np.float32)
        given = {"features": X, "classes": vectors}
        if len(session.get_inputs() + session.get_overridable_initializers()) > 2:
            given["seen"] = np.isin(table.labels, data.seen_classes).astype(np.float32)
        scores, chances = session.run(["scores", "probabilities"], given)
        candidates = type(table)(vectors.astype(np.float64), table.labels)
        expected = model.decision_function(X.astype(np.float64), classes=candidates)
        np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(chances, model.predict_proba(X.astype(np.float64), classes=candidates), atol=1e-5)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_scores_and_probabilities_are_equal(model, data: ZeroShotDataset, tmp_path: Path) -> None:
    assert_graph_agrees(model, data, tmp_path)


def test_seen_classes_keep_their_own_mean_and_penalty_in_the_graph(data: ZeroShotDataset, tmp_path: Path) -> None:
    few = [np.flatnonzero(data.y_test_unseen == label)[0] for label in data.unseen_classes[:2]]
    model = GaussianJFA().fit(data.X_train, data.y_train, classes=data.classes)
    model.partial_fit(data.X_test_unseen[few], data.y_test_unseen[few])
    assert len(set(np.round(model.class_penalties_, 6))) > 1
    export_onnx(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    # Rounded to single precision, which the caller of a graph cannot avoid.
    given = {
        name: values.astype(np.float32) for name, values in (("features", data.X), ("classes", data.classes.vectors))
    }
    [scores] = session.run(["scores"], given)
    expected = model.decision_function(given["features"].astype(np.float64), classes=data.classes)
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


def test_the_graph_runs_in_older_runtimes_too(data: ZeroShotDataset, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    export_onnx(model, tmp_path / "m.onnx")
    # They would fuse it with the product after it, and have no such operation in double precision.
    assert "Transpose" not in {node.op_type for node in onnx.load(tmp_path / "m.onnx").graph.node}


# What a step needs to be one that narrows; the others are taken as they are.
NARROW = {"PCA": {"n_components": 4}, "TruncatedSVD": {"n_components": 4}}


def make_frequencies(data: ZeroShotDataset) -> ZeroShotDataset:
    """Bring features and descriptions to 0..1, as `Logit` wants them."""

    def squash(values: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-values))

    table = ClassTable(squash(data.classes.vectors), data.classes.labels)
    return ZeroShotDataset(squash(data.X), data.y, table, data.train, data.test_seen, data.test_unseen)


@pytest.mark.parametrize("name", STEPS)
def test_every_step_agrees_or_is_named_as_one_that_is_not_written(
    name: str, data: ZeroShotDataset, tmp_path: Path
) -> None:
    kind = STEPS[name]
    data = make_frequencies(data) if kind is Logit else data
    assert (kind in WRITTEN) != (kind in NOT_WRITTEN)
    for side in ("features", "descriptions"):
        model = Prepared(ESZSL(), **{side: STEPS.make(name, NARROW.get(name, {}))})
        if kind in WRITTEN:
            assert_graph_agrees(model, data, tmp_path)
            (tmp_path / "m.onnx").unlink()
            continue
        model.fit(data.X_train, data.y_train, classes=data.classes)
        with pytest.raises(InputError) as caught:
            export_onnx(model, tmp_path / "m.onnx")
        assert str(caught.value).startswith(
            f"{side} are prepared by {name}, which cannot be written as ONNX, because {NOT_WRITTEN[kind]}: "
        )


def test_rows_of_about_no_length_are_left_alone_as_in_python(data: ZeroShotDataset, tmp_path: Path) -> None:
    model = Prepared(ESZSL(), features=UnitNorm()).fit(data.X_train, data.y_train, classes=data.classes)
    export_onnx(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    X = np.full((1, data.X.shape[1]), 1e-17, dtype=np.float32)
    [scores] = session.run(["scores"], {"features": X, "classes": data.unseen_table.vectors.astype(np.float32)})
    expected = model.decision_function(X.astype(np.float64), classes=data.unseen_table)
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-4)


def test_a_class_derived_from_a_step_is_not_taken_for_it(data: ZeroShotDataset, tmp_path: Path) -> None:
    class Doubled(PCA):
        def transform(self, X):
            return 2 * super().transform(X)

    model = Prepared(ESZSL(), features=Doubled(4)).fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match="features are prepared by Doubled, which cannot be written as ONNX"):
        export_onnx(model, tmp_path / "m.onnx")


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
