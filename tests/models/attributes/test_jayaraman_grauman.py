"""What Jayaraman & Grauman's model does with candidates and its attributes; its trees are tested on their own."""

from typing import Any

import numpy as np
import pytest

from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import DAP, JayaramanGrauman
from unseen.utils.errors import InputError


def fit(data: ZeroShotDataset, table: ClassTable | None = None, **parameters: Any) -> JayaramanGrauman:
    model = JayaramanGrauman(random_state=0, **parameters)
    return model.fit(data.X_train, data.y_train, classes=table or data.classes)


def test_the_classifiers_are_those_of_dap_and_the_validation_rows_were_held_out(data: ZeroShotDataset) -> None:
    model = fit(data, scaling=None, n_trees=1)
    dap = DAP(scaling=None, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_array_equal(model.weights_, dap.weights_)
    outputs = 1 / (1 + np.exp(-(data.X_train @ model.weights_ + model.offsets_)))
    has = (data.classes.vectors > data.seen_table.vectors.mean())[data.classes.index_of(data.y_train)]
    rows = [int(np.argmin(np.abs(outputs - output).sum(axis=1))) for output in model.outputs_]
    assert len(set(rows)) == 14
    np.testing.assert_allclose(model.outputs_, outputs[rows])
    np.testing.assert_array_equal(model.has_, has[rows])


def test_probabilities_are_the_average_of_the_leaves(data: ZeroShotDataset) -> None:
    model = fit(data, n_trees=10)
    p = model.predict_proba(data.X_test_unseen, classes=data.unseen_classes)
    scores = model.decision_function(data.X_test_unseen, classes=data.unseen_classes)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(scores, np.log(12 * p), atol=1e-9)


def test_classes_with_the_same_signature_share_their_probability(data: ZeroShotDataset) -> None:
    vectors = data.unseen_table.vectors
    twice = ClassTable(np.concatenate([vectors, vectors[:1]]), [*data.unseen_classes, "again"])
    p = fit(data, n_trees=10).predict_proba(data.X_test_unseen, classes=twice)
    np.testing.assert_allclose(p[:, 0], p[:, -1])


def test_more_trees_are_steadier(data: ZeroShotDataset) -> None:
    def measure_spread(n_trees: int) -> float:
        models = [JayaramanGrauman(n_trees=n_trees, random_state=0) for _ in range(3)]
        scores = []
        for seed, model in enumerate(models):
            model.fit(data.X_train, data.y_train, classes=data.classes).seed_ = seed
            scores.append(model.predict_proba(data.X_test_unseen, classes=data.unseen_classes))
        return float(np.std(scores, axis=0).mean())

    assert measure_spread(40) < 0.6 * measure_spread(4)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": 0}, "C must be a finite number above 0, got 0"),
        ({"n_trees": 0}, "n_trees must be a whole number"),
        ({"n_tests": 1.5}, "n_tests must be a whole number"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)
