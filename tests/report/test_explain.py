"""Explanations: what they show, and the picture of it."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.features import KernelMap, SimplexCoder, SquareRoot, Whitening
from unseen.models import ESZSL, JFA, Blend, Calibrated, Prepared
from unseen.report import explain
from unseen.report.figures.explanation import draw
from unseen.utils.errors import InputError
from unseen.utils.figures import check_figure, render_figure


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=10, n_unseen=4, n_features=8, n_attributes=5, n_per_class=8, random_state=0)


@pytest.fixture(scope="module")
def named(data: ZeroShotDataset) -> ClassTable:
    return ClassTable(data.classes.vectors, data.classes.labels, ["hair", "tail", "wings", "size", "speed"])


def test_the_displacement_is_that_of_the_adapted_description(data: ZeroShotDataset, named: ClassTable) -> None:
    model = JFA().fit(data.X_train, data.y_train, classes=named)
    x, label = data.X_test_unseen[3], data.y_test_unseen[3]
    found = explain(model, x, label)
    assert found.kind == "displacement"
    assert found.attributes == named.attributes
    np.testing.assert_allclose(found.adapted, model.adapt(x[None, :], [label]).z_s[0])
    # The average training image moves nothing.
    np.testing.assert_allclose(explain(model, data.X_train.mean(axis=0), label).effect, 0, atol=1e-12)
    # What an image moves does not depend on which class it is held against, up to the length of its description.
    rows = found.rows(top=3)
    assert list(rows[0]) == ["attribute", "described", "adapted", "moved by the image"]
    assert [row["attribute"] for row in rows] == [named.attributes[at] for at in found.strongest(3)]
    strength = np.abs([row["moved by the image"] for row in found.rows()])
    assert (np.diff(strength) <= 0).all()


def test_a_displacement_towards_what_the_image_shows(named: ClassTable, data: ZeroShotDataset) -> None:
    """An image of another class moves the description towards that class, where both differ most."""
    model = JFA(omega=(1000.0, 1.0, 0.0, 0.1)).fit(data.X_train, data.y_train, classes=named)
    agreements = []
    for own, other in zip(data.seen_classes[:-1], data.seen_classes[1:], strict=True):
        x = data.X_train[data.y_train == other].mean(axis=0)
        effect = explain(model, x, own).effect
        between = named.vectors[named.index_of([other])[0]] - named.vectors.mean(axis=0)
        agreements.append(np.corrcoef(effect, between)[0, 1])
    assert np.mean(agreements) > 0.5


def test_a_blend_is_explained_by_the_sum_of_its_parts(data: ZeroShotDataset, named: ClassTable) -> None:
    model = Blend([ESZSL(), JFA()], random_state=0).fit(data.X_train, data.y_train, classes=named)
    x, label = data.X_test_unseen[0], data.unseen_classes[1]
    found = explain(
        Calibrated(Blend([ESZSL(), JFA()], random_state=0)).fit(data.X_train, data.y_train, named), x, label
    )
    assert (found.kind, found.model, found.attributes) == ("contribution", "Blend", named.attributes)
    parts = [factor * part.contributions(x[None, :], [label])[0] for factor, part in model.terms]
    np.testing.assert_allclose(found.effect, sum(parts))
    assert found.effect.sum() == pytest.approx(model.decision_function(x[None, :], [label])[0, 0])


def test_contributions_in_wrappers(data: ZeroShotDataset, named: ClassTable) -> None:
    model = Calibrated(Prepared(ESZSL(), features=PCA(6)), random_state=0)
    model.fit(data.X_train, data.y_train, classes=named)
    x, label = data.X_test_unseen[0], data.unseen_classes[1]
    found = explain(model, x, label)
    assert found.kind == "contribution"
    assert found.adapted is None
    score = model.decision_function(x[None, :], classes=[label])[0, 0]
    assert found.effect.sum() == pytest.approx(score)


def test_codes_are_named_after_the_classes_they_mix(data: ZeroShotDataset) -> None:
    model = Prepared(JFA(), descriptions=SimplexCoder(0.1)).fit(data.X_train, data.y_train, classes=data.classes)
    found = explain(model, data.X_test_unseen[0], data.unseen_classes[0])
    assert found.attributes[0] == f"like {data.seen_classes[0]}"
    assert len(found.attributes) == len(data.seen_classes)
    unnamed = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    assert explain(unnamed, data.X_test_unseen[0], data.unseen_classes[0]).attributes[0] == "attribute 0"


def test_prepared_attributes_keep_their_names(data: ZeroShotDataset, named: ClassTable) -> None:
    x, label = data.X_test_unseen[0], data.unseen_classes[0]
    roots = Prepared(JFA(), descriptions=make_pipeline(SquareRoot(), Whitening()))
    assert explain(roots.fit(data.X_train, data.y_train, classes=named), x, label).attributes == named.attributes
    kernel = Prepared(JFA(), descriptions=make_pipeline(SquareRoot(), KernelMap()))
    found = explain(kernel.fit(data.X_train, data.y_train, classes=named), x, label)
    assert found.attributes == tuple(f"like {seen}" for seen in data.seen_classes)


def test_classes_from_another_table(data: ZeroShotDataset, named: ClassTable) -> None:
    model = JFA().fit(data.X_train, data.y_train, classes=named.select(data.seen_classes))
    label = data.unseen_classes[0]
    assert explain(model, data.X_test_unseen[0], label, classes=data.unseen_table).attributes == named.attributes
    with pytest.raises(InputError, match="label has labels that the class table does not describe"):
        explain(model, data.X_test_unseen[0], label)


def test_the_picture(data: ZeroShotDataset, named: ClassTable) -> None:
    model = JFA().fit(data.X_train, data.y_train, classes=named)
    found = explain(model, data.X_test_unseen[0], data.y_test_unseen[0])
    figure = draw(found, top=4)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == [row["attribute"] for row in found.rows(4)]
    widths = [bar.get_width() for bar in axes.patches]
    np.testing.assert_allclose(widths, [row["moved by the image"] for row in found.rows(4)])
    for kind, beginning in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        assert render_figure(figure, kind).startswith(beginning)
    with pytest.raises(InputError, match=r"has the ending '\.jpg'"):
        check_figure("f.jpg")
