"""Sparse features: refused by every model with a way out, and taken by every wrapper around a preparation."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from unseen.data import ZeroShotDataset
from unseen.models import ESZSL, Calibrated, Prepared, ZeroShotClassifier
from unseen.selection import ClassDisjointSearch
from unseen.transduction import PST, SMS, SPZSR, TMVHLP, UDA
from unseen.utils.errors import InputError

CONTAINERS = [sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.csc_array]
REDUCED = Prepared(ESZSL(), features=TruncatedSVD(8, random_state=0))
TAKING = {
    "prepared": REDUCED,
    "calibrated": Calibrated(REDUCED, random_state=0),
    "search": ClassDisjointSearch(REDUCED, {"model__lam": [0.1, 1.0]}, random_state=0),
    "pipeline": make_pipeline(TruncatedSVD(8, random_state=0), ESZSL()),
    "PST": PST(REDUCED),
    "SMS": SMS(REDUCED),
    "SPZSR": SPZSR(REDUCED, n_runs=2),
    "TMVHLP": TMVHLP(REDUCED),
    "UDA": UDA(REDUCED),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_model_names_the_remedy(
    container: Any, estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    sentence = rf"X is a sparse {container.__name__}, and .*: make it dense with X\.toarray\(\), or .*TruncatedSVD"
    with pytest.raises(InputError, match=sentence):
        clone(estimator).fit(container(data.X_train), data.y_train, classes=data.classes)
    for method in ("predict", "decision_function", "predict_proba"):
        with pytest.raises(InputError, match=sentence):
            getattr(fitted, method)(container(data.X_test_unseen), classes=data.unseen_classes)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("model", TAKING.values(), ids=TAKING.keys())
def test_a_preparation_takes_what_its_transformer_takes(model: Any, container: Any, data: ZeroShotDataset) -> None:
    name = "eszsl__classes" if hasattr(model, "steps") else "classes"
    fitted, expected = (
        clone(model).fit(X, data.y_train, **{name: data.classes}) for X in (container(data.X_train), data.X_train)
    )
    predicted = fitted.predict(container(data.X_test_unseen), classes=data.unseen_classes)
    wanted = expected.predict(data.X_test_unseen, classes=data.unseen_classes)
    assert np.mean(predicted == wanted) > 0.97
    assert fitted.score(container(data.X_test_unseen), data.y_test_unseen) > 0.5


def test_a_preparation_that_stays_sparse_is_refused(data: ZeroShotDataset) -> None:
    model = Prepared(ESZSL(), features=MaxAbsScaler())
    with pytest.raises(InputError, match="X is a sparse csr_array, and ESZSL needs dense features"):
        model.fit(sparse.csr_array(data.X_train), data.y_train, classes=data.classes)
