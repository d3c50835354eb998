"""A model that is read only to be asked answers exactly as the estimator of the same file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

import unseen
from unseen.data import ClassTable, ZeroShotDataset
from unseen.features import KernelMap, Logit, SimplexCoder, SquareRoot, UnitNorm, Whitening
from unseen.files.kinds import estimators
from unseen.files.scoring.models import MODELS as ASKED
from unseen.files.scoring.reading import is_layer, open_to_ask
from unseen.files.scoring.steps import STEPS
from unseen.learning import SoftMaximum
from unseen.models import (
    ALE,
    ESZSL,
    JFA,
    MODELS,
    SJE,
    BilinearSVM,
    Blend,
    Calibrated,
    ConSE,
    DeViSE,
    DirectJFA,
    GaussianJFA,
    Prepared,
    Qiao,
    StructuralSVM,
)
from unseen.similarity import AdaptiveSimilarity
from unseen.utils.errors import InputError

QUICK = {"max_epochs": 2, "random_state": 0}

MODELS_TO_ASK = {
    "ale": ALE(**QUICK),
    "bilinear": BilinearSVM(),
    "devise": DeViSE(**QUICK),
    "direct-jfa": DirectJFA(omega=(1.0, 1.0, 0.0, 0.0)),
    "eszsl": ESZSL(),
    "gaussian": GaussianJFA(),
    "jfa": JFA(),
    "jfa, not scaled": JFA(scaling=None),
    "jfa, another loss": JFA(loss=SoftMaximum(0.3)),
    "jfa, not soft": BilinearSVM(loss="ranking-sum", solver="stochastic", random_state=0),
    "qiao": Qiao(max_iter=3, random_state=0),
    "sje": SJE(**QUICK),
    "structural": StructuralSVM(AdaptiveSimilarity(omega=(100.0, 10.0, 0.0, 1.0))),
    "unit norm, PCA": Prepared(JFA(), features=make_pipeline(UnitNorm(), PCA(4, random_state=0))),
    "whitened": Prepared(ESZSL(), features=make_pipeline(PCA(4, whiten=True), Whitening(), UnitNorm("l1"))),
    "SVD, standardised": Prepared(ESZSL(), features=make_pipeline(TruncatedSVD(4), StandardScaler(with_std=False))),
    "square roots": Prepared(ESZSL(), features=make_pipeline(SquareRoot(), StandardScaler(), Normalizer("max"))),
    "kernel": Prepared(JFA(), descriptions=make_pipeline(SquareRoot(normalise=False), "passthrough", KernelMap())),
    "linear kernel": Prepared(ESZSL(), descriptions=KernelMap("linear", landmarks=4, random_state=0)),
    "calibrated": Calibrated(Prepared(JFA(), features=PCA(4)), random_state=0),
    "calibrated inside": Prepared(Calibrated(ESZSL(), random_state=0), features=PCA(4)),
    "blend": Blend([ESZSL(), GaussianJFA()], random_state=0),
    "blend, prepared parts": Blend([("one", Prepared(ESZSL(), features=PCA(4))), ("two", JFA())], weights=[1, 2]),
    "as fit chooses": Calibrated(
        Prepared(
            Blend([GaussianJFA(), BilinearSVM(temperature=0.3), ESZSL()], weights=[1, 1, 0], spreads=[2, 1, 1]),
            features=make_pipeline(SquareRoot(), PCA(5), Whitening(), UnitNorm()),
            descriptions=SquareRoot(normalise=False),
        ),
        random_state=0,
    ),
}

OTHERS = {
    "not affine": ConSE(),
    "a step that solves": Prepared(ESZSL(), descriptions=SimplexCoder(0.1)),
    "a part that is not affine": Blend([ESZSL(), ConSE()], random_state=0),
}


@pytest.fixture(scope="module")
def asked(data: ZeroShotDataset, tmp_path_factory: pytest.TempPathFactory):
    """Function that returns a fitted model and what is read of its file, each fitted once."""
    folder, known = tmp_path_factory.mktemp("asked"), {}

    def get(name: str) -> tuple[Any, Any]:
        if name not in known:
            model = (MODELS_TO_ASK | OTHERS)[name].fit(data.X_train, data.y_train, classes=data.classes)
            unseen.save(model, folder / f"{name}.unseen")
            known[name] = unseen.load(folder / f"{name}.unseen"), open_to_ask(folder / f"{name}.unseen").model
        return known[name]

    return get


def list_candidates(data: ZeroShotDataset) -> list[ClassTable]:
    return [data.seen_table, data.unseen_table, data.classes, data.classes.select(data.classes.labels[::-3])]


@pytest.mark.parametrize("name", MODELS_TO_ASK)
def test_answers_are_those_of_the_estimator_bit_for_bit(name: str, asked, data: ZeroShotDataset) -> None:
    model, read = asked(name)
    assert is_layer(read)
    for X in (data.X, data.X.astype(np.float32), data.X.astype(np.float16), (10 * data.X).astype(np.int64)):
        for table in list_candidates(data):
            np.testing.assert_array_equal(read.predict_proba(X, table), model.predict_proba(X, classes=table))
            np.testing.assert_array_equal(read.decision_function(X, table), model.decision_function(X, classes=table))
    np.testing.assert_array_equal(read.classes_, model.classes_)
    assert read.table_ == model.table_
    assert read.n_features_in_ == model.n_features_in_


@pytest.mark.parametrize("name", OTHERS)
def test_what_needs_more_than_products_is_the_estimator_itself(name: str, asked) -> None:
    model, read = asked(name)
    assert type(read) is type(model)


QUESTIONS = st.tuples(
    st.sampled_from(sorted(MODELS_TO_ASK)),
    st.sampled_from([np.float32, np.float64]),
    st.lists(st.integers(0, 11), min_size=1, unique=True),
    st.integers(0, 2**32 - 1),
    st.floats(0.01, 100.0),
)


@given(question=QUESTIONS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_rows_among_any_candidates(question, asked, data: ZeroShotDataset) -> None:
    name, precision, chosen, seed, size = question
    X = (size * np.random.default_rng(seed).standard_normal((3, data.X.shape[1]))).astype(precision)
    table = data.classes.select(data.classes.labels[chosen])
    model, read = asked(name)
    np.testing.assert_array_equal(read.predict_proba(X, table), model.predict_proba(X, classes=table))


def test_every_name_is_one_that_files_have() -> None:
    assert set(ASKED) | set(STEPS) <= set(estimators())


def test_every_model_with_a_quadratic_form_is_among_them() -> None:
    # SAE has one by one of its distances only.
    affine = {kind.__name__ for kind in MODELS.values() if has_quadratic_form(kind)} - {"SAE", "LatEm"}
    assert affine <= set(ASKED)


def has_quadratic_form(kind: type) -> bool:
    return any("_quadratic_form" in vars(base) for base in kind.__mro__ if base.__name__ != "ZeroShotClassifier")


def test_expectations_are_those_of_the_calibration(path: Path, model: Calibrated) -> None:
    read = open_to_ask(path).model
    np.testing.assert_array_equal(read.expected.accuracy, model.curve_.accuracy)
    assert open_to_ask(path).encoder == {"name": "vgg19"}


def test_a_file_of_a_newer_version_is_left_to_the_full_reader(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_layer(open_to_ask(path).model)
    monkeypatch.setattr("unseen.files.scoring.reading.__version__", "0.0.9")
    assert isinstance(open_to_ask(path).model, Calibrated)


def test_values_that_are_not_finite_are_refused(asked, data: ZeroShotDataset) -> None:
    for name in ("jfa", "as fit chooses"):
        with pytest.raises(InputError, match="NaN or infinite"):
            asked(name)[1].predict_proba(np.full((1, data.X.shape[1]), np.nan), data.unseen_table)


def test_logits_of_frequencies(data: ZeroShotDataset, tmp_path: Path) -> None:
    shares = ClassTable(1 / (1 + np.exp(-data.classes.vectors)), data.classes.labels)
    model = Prepared(ESZSL(), descriptions=Logit()).fit(data.X_train, data.y_train, classes=shares)
    unseen.save(model, tmp_path / "m.unseen")
    read = open_to_ask(tmp_path / "m.unseen").model
    assert is_layer(read)
    np.testing.assert_array_equal(read.predict_proba(data.X, shares), model.predict_proba(data.X, classes=shares))
    with pytest.raises(InputError, match="Logit takes frequencies"):
        read.predict_proba(data.X, ClassTable(5 * shares.vectors, shares.labels))
