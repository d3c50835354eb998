"""Models on a device: nothing of the size of the data leaves it, and results are those of NumPy.

A device of array-api-strict takes the place of a GPU: it refuses to mix its arrays with others, and NumPy cannot read
them. Where there is a GPU, it is used too.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from leaving import put_on_device, watch_leaving
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from unseen.data import ZeroShotDataset
from unseen.features import KernelMap, Logit, SimplexCoder, SquareRoot, UnitNorm, Whitening
from unseen.files import load, save
from unseen.models import ESZSL, JFA, BilinearSVM, Blend, Calibrated, GaussianJFA, Prepared, ZeroShotClassifier
from unseen.selection import ClassDisjointSearch
from unseen.utils.arrays import is_on_cpu, to_numpy
from unseen.utils.errors import InputError

torch = pytest.importorskip("torch")
pytest.importorskip("array_api_strict")

# Learn with scikit-learn's machines or loops of NumPy, which they say.
ON_THE_PROCESSOR = {
    *("Bucher", "ConSE", "COSTA", "DAP", "Farhadi", "IAP", "JayaramanGrauman", "SDL", "SSE", "WangJi"),
}

CHAINS: dict[str, Any] = {
    "calibrated": Calibrated(JFA(), random_state=0),
    "blend": Blend([ESZSL(), GaussianJFA(), BilinearSVM()], random_state=0),
    "roots, whitening, codes": Prepared(
        ESZSL(), features=make_pipeline(SquareRoot(), PCA(8), Whitening(), UnitNorm()), descriptions=SimplexCoder()
    ),
    "kernel map": Prepared(JFA(), features=UnitNorm(), descriptions=KernelMap()),
    "search": ClassDisjointSearch(Prepared(JFA(), features=PCA(8)), {"model__lam": [0.3, 1.0]}, random_state=0),
    "auto": JFA("auto", random_state=0),
    "as the default fit makes it": Calibrated(
        Prepared(Blend([GaussianJFA(), BilinearSVM()], random_state=0), features=make_pipeline(PCA(8), UnitNorm())),
        random_state=0,
    ),
}


def put_on_cuda(X: Any) -> Any:
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    return torch.asarray(X, device="cuda")


@pytest.fixture(params=[put_on_device, torch.asarray, put_on_cuda], ids=["strict", "torch", "cuda"])
def put(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return request.param


@pytest.mark.parametrize("name", CHAINS)
def test_nothing_leaves_and_results_are_those_of_numpy(
    name: str, put: Callable[[Any], Any], data: ZeroShotDataset
) -> None:
    expected = clone(CHAINS[name]).fit(data.X_train, data.y_train, classes=data.classes)
    X, X_test = put(data.X_train), put(data.X_test_unseen)
    with watch_leaving() as left, warnings.catch_warnings():
        warnings.simplefilter("error")
        model = clone(CHAINS[name]).fit(X, data.y_train, classes=data.classes)
        scores = model.decision_function(X_test, classes=data.classes)
        chances = model.predict_proba(X_test, classes=data.unseen_classes)
        labels = model.predict(X_test, classes=data.classes)
    assert not left
    assert scores.device == chances.device == X.device
    _assert_close(scores, expected.decision_function(data.X_test_unseen, classes=data.classes))
    _assert_close(chances, expected.predict_proba(data.X_test_unseen, classes=data.unseen_classes))
    np.testing.assert_array_equal(labels, expected.predict(data.X_test_unseen, classes=data.classes))


def _assert_close(made: Any, expected: Any) -> None:
    np.testing.assert_allclose(to_numpy(made), expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_every_model_stays_or_says_that_it_works_on_the_processor(
    estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    name = type(estimator).__name__
    with watch_leaving() as left, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = clone(estimator).fit(put_on_device(data.X_train), data.y_train, classes=data.classes)
        scores = model.decision_function(put_on_device(data.X_test_unseen), classes=data.unseen_classes)
    said = [str(one.message) for one in told if "on the processor" in str(one.message)]
    assert bool(left) == bool(said) == (name in ON_THE_PROCESSOR)
    assert all(sentence.startswith(name) for sentence in said)
    assert not is_on_cpu(scores)
    _assert_close(scores, fitted.decision_function(data.X_test_unseen, classes=data.unseen_classes))


def test_a_model_fitted_on_numpy_answers_on_the_device(
    fitted: ZeroShotClassifier, data: ZeroShotDataset, put: Callable[[Any], Any]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that answer on the processor
        labels = fitted.predict(put(data.X_test_unseen), classes=data.unseen_classes)
    np.testing.assert_array_equal(labels, fitted.predict(data.X_test_unseen, classes=data.unseen_classes))


def test_a_file_of_a_model_fitted_on_a_device_loads_anywhere(
    tmp_path: Any, data: ZeroShotDataset, put: Callable[[Any], Any]
) -> None:
    model = clone(CHAINS["as the default fit makes it"]).fit(put(data.X_train), data.y_train, classes=data.classes)
    save(model, tmp_path / "m.unseen")
    loaded = load(tmp_path / "m.unseen")
    X, candidates = data.X_test_unseen, data.unseen_classes
    expected = to_numpy(model.decision_function(put(X), classes=candidates))
    _assert_close(loaded.decision_function(X, classes=candidates), expected)
    _assert_close(loaded.decision_function(put(X), classes=candidates), expected)


def test_a_step_for_numpy_alone_is_refused(data: ZeroShotDataset) -> None:
    model = Prepared(ESZSL(), features=Logit())
    with pytest.raises(InputError, match="features has the step Logit, which takes NumPy arrays only"):
        model.fit(put_on_device(data.X_train), data.y_train, classes=data.classes)


def test_a_search_on_a_device_starts_no_processes(data: ZeroShotDataset) -> None:
    search = ClassDisjointSearch(ESZSL(), {"gamma": [1.0, 10.0]}, n_jobs=2)
    with pytest.raises(InputError, match="n_jobs=2 starts processes, and X is on"):
        search.fit(put_on_device(data.X_train), data.y_train, classes=data.classes)


def test_folds_of_different_sizes_are_tried_at_once(data: ZeroShotDataset) -> None:
    """10 classes make folds of 2 and 3, which a device fills up to the same size."""
    here = GaussianJFA(thorough=True).fit(data.X_train, data.y_train, classes=data.classes)
    there = GaussianJFA(thorough=True).fit(put_on_device(data.X_train), data.y_train, classes=data.classes)
    assert there.choice_.shape == here.choice_.shape
    assert there.choice_.accuracy == pytest.approx(here.choice_.accuracy)
    assert there.seen_penalty_ == pytest.approx(here.seen_penalty_)
