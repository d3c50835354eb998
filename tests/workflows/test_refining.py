"""A model refined by some labelled rows."""

import numpy as np
import pytest

import unseen
from unseen.data import ClassTable, TrainingRows, ZeroShotDataset, make_zero_shot
from unseen.files import read_model_file, to_bytes
from unseen.models import JFA, Calibrated, GaussianJFA
from unseen.utils.errors import InputError
from unseen.workflows import fit, open_model, refine
from unseen.workflows.texts import find_text_encoder


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=8, n_unseen=4, n_features=10, n_attributes=6, n_per_class=10, random_state=0)


def test_closed_form_is_what_partial_fit_does(data: ZeroShotDataset) -> None:
    X, y = data.X_test_unseen[::7], data.y_test_unseen[::7]
    model = Calibrated(GaussianJFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    before = model.predict_proba(data.X_test_unseen, classes=data.classes)
    found = refine(model, X, y)
    assert found.closed_form
    assert "in closed form" in found.said
    np.testing.assert_array_equal(before, model.predict_proba(data.X_test_unseen, classes=data.classes))
    model.partial_fit(X, y)
    expected = model.predict_proba(data.X_test_unseen, classes=data.classes)
    np.testing.assert_array_equal(found.file.model.predict_proba(data.X_test_unseen, classes=data.classes), expected)


def test_other_models_are_fitted_again(data: ZeroShotDataset) -> None:
    X, y = data.X_test_unseen[::7], data.y_test_unseen[::7]
    fitted = fit(data, "jfa", calibrate=False)
    with pytest.raises(InputError, match="JFA cannot go on learning, and the rows that it was fitted on are not here"):
        refine(fitted, X, y)
    training = TrainingRows(data.X_train, data.y_train, data.classes, "synthetic")
    new = {"new": np.ones(6)}
    found = refine(fitted, X, y, new, training=training)
    assert not found.closed_form
    assert "Fitted again, on 80 training rows" in found.said
    table = ClassTable(np.vstack([data.classes.vectors, np.ones(6)]), [*data.classes.labels, "new"])
    expected = JFA(random_state=0).fit(np.vstack([data.X_train, X]), np.concatenate([data.y_train, y]), classes=table)
    rows = data.X_test_seen
    np.testing.assert_array_equal(found.file.model.predict(rows, classes=table), expected.predict(rows, classes=table))


def test_classes_of_a_few_marks_are_not_penalised(data: ZeroShotDataset) -> None:
    model = Calibrated(JFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    model.seen_penalty_ = 5.0
    training = TrainingRows(data.X_train, data.y_train, data.classes, "synthetic")
    X, y = data.X_test_unseen[:1], data.y_test_unseen[:1]
    found = refine(model, X, y, training=training)
    assert found.file.model.seen_penalty_ is None
    assert "no longer penalised" in found.said
    assert model.seen_penalty_ == 5.0
    plain = found.file.model.model_.decision_function(X, classes=data.unseen_table)
    np.testing.assert_array_equal(found.file.model.decision_function(X, classes=data.unseen_table), plain)
    # Marks of classes that were seen before change nothing about it.
    again = refine(model, data.X_test_seen[:1], data.y_test_seen[:1], training=training)
    assert again.file.model.seen_penalty_ is not None


def test_labels_that_are_not_described_are_refused(data: ZeroShotDataset) -> None:
    model = GaussianJFA().fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match="y has labels that the class table does not describe: 'okapi'"):
        refine(model, data.X_test_unseen[:1], ["okapi"])
    with pytest.raises(InputError, match="y has 0 labels for 0 rows"):
        refine(model, data.X_test_unseen[:0], [])


def test_a_model_as_bytes_is_a_model_file(data: ZeroShotDataset, tmp_path) -> None:
    file = open_model(fit(data, "gaussian", calibrate=False))
    unseen.save(file.model, tmp_path / "saved.unseen")
    (tmp_path / "bytes.unseen").write_bytes(to_bytes(file))
    saved, packed = (read_model_file(tmp_path / name) for name in ("saved.unseen", "bytes.unseen"))
    assert (tmp_path / "saved.unseen").stat().st_size == (tmp_path / "bytes.unseen").stat().st_size
    X = data.X_test_unseen
    np.testing.assert_array_equal(saved.model.decision_function(X), packed.model.decision_function(X))


class LettersEncoder:
    name, width, fingerprint = "letters", 3, "0123456789abcdef"

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=np.float32)


def test_the_text_encoder_of_a_table_is_found_by_its_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unseen.workflows.texts.text_encoder", lambda name, **_: LettersEncoder())
    names = [f"letters 01234567 {at}" for at in range(3)]
    assert isinstance(find_text_encoder(ClassTable(np.eye(3), list("xyz"), names)), LettersEncoder)
    assert find_text_encoder(ClassTable(np.eye(3), list("xyz"))) is None
    assert find_text_encoder(ClassTable(np.eye(3), list("xyz"), ["red", "green", "blue"])) is None
    with pytest.raises(InputError, match="described with 89abcdef: its weights changed"):
        find_text_encoder(ClassTable(np.eye(3), list("xyz"), [f"letters 89abcdef {at}" for at in range(3)]))
