"""Why this class, as a notebook asks it."""

from pathlib import Path

import numpy as np
import pytest

from unseen.data import FeatureRows, ZeroShotDataset
from unseen.report import explain as explain_row
from unseen.utils.errors import InputError
from unseen.workflows import Fitted, explain, fit
from unseen.workflows.explaining import tabulate_explanation, write_explanation


def test_a_row_by_number_or_name(fitted: Fitted, data: ZeroShotDataset) -> None:
    label = data.unseen_classes[1]
    expected = explain_row(fitted.model, data.X_test_unseen[3], label)
    named = FeatureRows(data.X_test_unseen, [f"p{at}" for at in range(len(data.X_test_unseen))])
    for rows, row in ((data.X_test_unseen, 3), (named, "p3"), (named, "3")):
        found = explain(fitted, rows, row, label.upper())
        assert found.label == label
        np.testing.assert_array_equal(found.effect, expected.effect)


def test_the_best_candidate_by_default(fitted: Fitted, data: ZeroShotDataset) -> None:
    found = explain(fitted, data.X_test_unseen, 5, classes=data.unseen_table)
    assert found.label == fitted.model.predict(data.X_test_unseen[5:6], classes=data.unseen_table)[0]


def test_a_refined_model_answers_in_company(data: ZeroShotDataset) -> None:
    refined = fit(data, "eszsl", refine="pst", calibrate=False)
    labels = refined.model.predict(data.X_test_unseen, classes=data.unseen_table)
    for row in range(0, len(labels), 5):
        assert explain(refined, data.X_test_unseen, row, classes=data.unseen_table).label == labels[row]


def test_as_a_table_and_a_figure(fitted: Fitted, data: ZeroShotDataset, tmp_path: Path) -> None:
    found = explain(fitted, data.X_test_unseen)
    assert len(tabulate_explanation(found, top=4).rows) == 4
    write_explanation(found, tmp_path / "why.svg", top=4)
    assert (tmp_path / "why.svg").read_text().startswith("<?xml")
    with pytest.raises(InputError, match=r"has the ending '\.jpg'"):
        write_explanation(found, tmp_path / "why.jpg")


@pytest.mark.parametrize(("row", "label", "sentence"), [(999, None, "row=999 is not one of"), (0, "lynx", "'lynx'")])
def test_bad_input_gets_a_sentence(fitted: Fitted, data: ZeroShotDataset, row, label, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        explain(fitted, data.X_test_unseen, row, label)
