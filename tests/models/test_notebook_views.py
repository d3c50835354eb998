"""The diagrams that notebooks show of estimators, of those around others too."""

from typing import Any

import html5lib
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from unseen.data import ZeroShotDataset
from unseen.evaluation import evaluate
from unseen.features import SimplexCoder, UnitNorm
from unseen.models import ESZSL, JFA, Calibrated, Prepared
from unseen.selection import ClassDisjointSearch
from unseen.transduction import SPZSR

EVIL = "<script>alert('&')</script>"
PREPARED = Prepared(ESZSL(), features=make_pipeline(UnitNorm(), PCA(4)), descriptions=SimplexCoder())
NESTS = [
    (JFA(class_weight={EVIL: 2.0}), ["JFA"]),
    (PREPARED, ["Prepared", "UnitNorm", "PCA", "SimplexCoder", "ESZSL"]),
    (Calibrated(PREPARED), ["Calibrated", "Prepared", "PCA", "ESZSL"]),
    (ClassDisjointSearch(PREPARED, {"model__lam": [1.0, 2.0]}), ["ClassDisjointSearch", "Prepared", "ESZSL"]),
    (SPZSR(Calibrated(ESZSL()), n_runs=2), ["SPZSR", "Calibrated", "ESZSL"]),
]


def parsed(text: str) -> Any:
    return html5lib.HTMLParser(namespaceHTMLElements=False).parseFragment(text, container="div")


def shown(tree: Any) -> str:
    """Return what is read by a person: no styles, no scripts."""
    return " ".join(
        (node.text or "") + " " + (node.tail or "") for node in tree.iter() if node.tag not in ("style", "script")
    )


@pytest.mark.parametrize(("model", "names"), NESTS, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_a_diagram_shows_every_part(model: Any, names: list[str], data: ZeroShotDataset) -> None:
    for estimator in (model, clone(model).fit(data.X_train, data.y_train, classes=data.classes)):
        tree = parsed(estimator._repr_html_())
        for name in names:
            assert name in shown(tree)
        assert not any("alert" in (script.text or "") for script in tree.iter("script"))


def test_the_table_of_a_result_escapes_names(data: ZeroShotDataset) -> None:
    result = evaluate(ESZSL(), data, trials=1, name=EVIL)
    tree = parsed(result._repr_html_())
    assert not list(tree.iter("script"))
    assert EVIL in "".join(tree.itertext())
    assert len(list(tree.iter("tr"))) > 1
