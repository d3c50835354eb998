import numpy as np
import pytest

from unseen.data import make_zero_shot
from unseen.evaluation import evaluate
from unseen.evaluation.protocol import evaluate_fitted
from unseen.models import ESZSL, Calibrated, Prepared
from unseen.selection import ClassDisjointSearch
from unseen.transduction import SPZSR
from unseen.utils.errors import InputError

DATA = make_zero_shot(n_seen=10, n_unseen=5, n_per_class=20, n_test_per_class=15, noise=1.0, random_state=0)


def test_the_whole_batch_is_asked_about_at_once():
    result = evaluate(SPZSR(ESZSL(), n_runs=3), DATA, "transductive", trials=2)
    model = SPZSR(ESZSL(), n_runs=3, random_state=result.trials[0].seed)
    model.fit(DATA.X_train, DATA.y_train, classes=DATA.seen_table)
    expected = np.mean(model.predict(DATA.X_test_unseen, DATA.unseen_table) == DATA.y_test_unseen)
    assert result.values("per-image accuracy")[0] == pytest.approx(expected)
    assert result.over_classes("precision").mean == pytest.approx(100 * result.mean("mean class precision"))


def test_results_say_that_they_are_transductive_and_what_was_used():
    result = evaluate(SPZSR(ESZSL(), n_runs=2), DATA, "transductive", trials=2)
    assert result.name == "ESZSL + SPZSR"
    assert "transductive setting" in repr(result)
    text = result.to_text()
    assert "transductive" in text
    assert "features of the whole test batch were used, never its labels" in " ".join(text.split())
    assert result.to_dict()["used"] == result.used
    standard = evaluate(ESZSL(), DATA)
    assert "transductive" not in standard.to_text().lower()


def test_labels_of_the_batch_do_not_matter():
    result = evaluate(SPZSR(ESZSL(), n_runs=2), DATA, "transductive", trials=1)
    y = DATA.y.copy()
    y[DATA.test_unseen] = np.random.default_rng(0).permutation(y[DATA.test_unseen])
    shuffled = type(DATA)(DATA.X, y, DATA.classes, DATA.train, DATA.test_seen, DATA.test_unseen)
    again = evaluate(SPZSR(ESZSL(), n_runs=2), shuffled, "transductive", trials=1)
    assert result.trials[0].predictions == again.trials[0].predictions


def test_generalized_batch_mixes_seen_and_unseen_rows():
    result = evaluate(SPZSR(ESZSL(), n_runs=3), DATA, "transductive-generalized", trials=1)
    assert len(result.candidates.labels) == 15
    u, s, h = (result.mean(name) for name in ("u", "s", "H"))
    assert h == pytest.approx(2 * u * s / (u + s))
    assert result.confusion.sum() == len(DATA.test_seen) + len(DATA.test_unseen)


def test_a_search_over_a_refinement_is_transductive_too():
    search = ClassDisjointSearch(SPZSR(ESZSL(), n_runs=2), {"pull": [1.0, 10.0]}, random_state=0)
    result = evaluate(search, DATA, "transductive", trials=1)
    assert result.name == "ESZSL + SPZSR"
    assert set(result.trials[0].parameters) == {"pull"}


@pytest.mark.parametrize("setting", ["transductive", "transductive-generalized"])
def test_models_that_answer_row_by_row_are_refused(setting):
    with pytest.raises(InputError, match=r"answers each row by itself.*wrap it, e.g. unseen.transduction.SPZSR"):
        evaluate(Prepared(ESZSL()), DATA, setting)


@pytest.mark.parametrize(
    ("setting", "instead"),
    [("standard", "transductive"), ("generalized", "transductive-generalized"), ("retrieval", "transductive")],
)
@pytest.mark.parametrize("wrap", [lambda model: model, Prepared, Calibrated], ids=["alone", "prepared", "calibrated"])
def test_refinements_are_refused_where_rows_are_asked_about_by_themselves(setting, instead, wrap):
    model = wrap(SPZSR(ESZSL(), n_runs=2))
    sentence = f"answers whole batches, but setting='{setting}' .*choose setting='{instead}'"
    with pytest.raises(InputError, match=sentence):
        evaluate(model, DATA, setting)
    with pytest.raises(InputError, match=sentence):
        evaluate_fitted(model.fit(DATA.X_train, DATA.y_train, classes=DATA.seen_table), DATA, setting)


def test_generalized_needs_test_rows_of_seen_classes():
    without = type(DATA)(DATA.X, DATA.y, DATA.classes, DATA.train, [], DATA.test_unseen)
    with pytest.raises(InputError, match=r"no rows test_seen, which setting='transductive-generalized' needs.*'transd"):
        evaluate(SPZSR(ESZSL()), without, "transductive-generalized")
