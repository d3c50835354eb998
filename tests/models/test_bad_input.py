"""Bad input to any model is answered by a sentence that names the argument, the value and the remedy."""

import numpy as np
import pytest
from model_parameters import with_scaling
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import ZeroShotClassifier
from unseen.utils.errors import InputError


def test_predicting_before_fit(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    for method in ("predict", "decision_function", "predict_proba"):
        with pytest.raises(NotFittedError, match="fit"):
            getattr(clone(estimator), method)(data.X_test_unseen, classes=data.unseen_table)


def test_labels_without_a_description(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    table = data.classes.without(["class 03"])
    with pytest.raises(InputError, match="y has labels that the class table does not describe: 'class 03'"):
        clone(estimator).fit(data.X_train, data.y_train, classes=table)


def test_no_labels(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="y is None: give one label"):
        clone(estimator).fit(data.X_train, None)


def test_one_seen_class(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    one = data.y_train == "class 00"
    with pytest.raises(InputError, match=r"only one class .*'class 00'.* at least two"):
        clone(estimator).fit(data.X_train[one], data.y_train[one], classes=data.classes)


def test_descriptions_that_repeat_a_label(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(data.classes.vectors)
    frame.insert(0, "label", data.classes.labels)
    twice = pd.concat([frame, frame.iloc[:1]])
    with pytest.raises(InputError, match="'class 00' occurs more than once"):
        clone(estimator).fit(data.X_train, data.y_train, classes=twice)


def test_descriptions_that_are_not_finite(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    mapping = {"okapi": [np.nan, *data.classes.vectors[0, 1:]]}
    with pytest.raises(InputError, match="nan for class 'okapi', attribute 0"):
        fitted.predict(data.X_test_unseen, classes=mapping)


def test_descriptions_of_another_width(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=r"classes has descriptions of width 3, .* fitted on width 10"):
        fitted.predict(data.X_test_unseen, classes={"okapi": [1.0, 2.0, 3.0]})


def test_attributes_in_another_order(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    names = [f"attribute {at}" for at in range(data.classes.width)]
    table = ClassTable(data.classes.vectors, data.classes.labels, names)
    model = clone(estimator).fit(data.X_train, data.y_train, classes=table)
    turned = ClassTable(table.vectors[:, ::-1], table.labels, names[::-1])
    labels = model.predict(data.X_test_unseen, classes=turned)
    np.testing.assert_array_equal(labels, model.predict(data.X_test_unseen, classes=table))


def test_no_candidates(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="classes is empty: name at least one candidate"):
        fitted.predict(data.X_test_unseen, classes=[])
    with pytest.raises(InputError, match="at least one"):
        fitted.predict(data.X_test_unseen, classes={})


def test_candidates_that_are_not_known(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=r"classes has labels .*'clas 07' \(did you mean 'class 07'\?\)"):
        fitted.predict(data.X_test_unseen, classes=["class 01", "clas 07"])


def test_candidates_that_repeat(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="'class 01' occurs more than once"):
        fitted.predict(data.X_test_unseen, classes=["class 01", "class 01"])


@pytest.mark.parametrize("classes", ["class 01", 3, np.zeros((2, 10))], ids=["text", "number", "matrix"])
def test_candidates_of_a_kind_that_names_no_classes(
    classes: object, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    with pytest.raises(InputError, match=r"classes is a .*: give a ClassTable, a data frame, a mapping"):
        fitted.predict(data.X_test_unseen, classes=classes)


def test_labels_alone_describe_nothing_to_fit(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="classes is a list: give a ClassTable"):
        clone(estimator).fit(data.X_train, data.y_train, classes=list(data.classes))


def test_an_unknown_scaling(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="scaling='standard' is not known: choose one of 'auto', None"):
        with_scaling(estimator, "standard").fit(data.X_train, data.y_train)
