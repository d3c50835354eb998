"""The peers of `python -m benchmarks peers` are what they say, and are measured on the same terms as our models."""

import ast
import sys
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import peers
from benchmarks.tools.code_lines import count_code_lines, find_modules
from benchmarks.tools.peer_models.exemplar_regression import ExemplarRegression
from benchmarks.tools.peer_models.ridge_pipeline import RidgePipeline
from sklearn.base import BaseEstimator

from unseen import ClassTable, ZeroShotDataset, evaluate, load_dataset, make_zero_shot
from unseen.models import ESZSL, GaussianJFA
from unseen.utils.errors import InputError

PEERS = Path(peers.__file__).parent / "tools" / "peer_models"


def make_exemplars() -> ExemplarRegression:
    return ExemplarRegression(widths=(1.0, 3.0), ridges=(0.1,), shrinkages=(0.3, 1.0))


def make_cnzsl(**settings: Any) -> Any:
    pytest.importorskip("torch")
    from benchmarks.tools.peer_models.cnzsl import CNZSL

    return CNZSL(**{"n_hidden": 32, "n_epochs": 10, "learning_rate": 0.005, "random_state": 0} | settings)


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=24, n_unseen=6, noise=0.5, random_state=0)


@pytest.mark.parametrize("make", [make_exemplars, RidgePipeline, make_cnzsl])
def test_every_peer_is_evaluated_over_class_splits_and_learns(make: Any, data: ZeroShotDataset) -> None:
    found = evaluate(make(), data, class_splits=2)
    assert found.mean("mean per-class accuracy") > 0.5  # chance is 1 / 6


@pytest.mark.parametrize("make", [make_exemplars, RidgePipeline, make_cnzsl])
def test_an_answer_does_not_depend_on_the_order_of_candidates(make: Any, data: ZeroShotDataset) -> None:
    peer = make().fit(data.X_train, data.y_train, classes=data.classes)
    table = data.unseen_table
    turned = table.select(table.labels[::-1])
    answers = [peer.predict(data.X_test_unseen, classes=candidates) for candidates in (table, turned)]
    np.testing.assert_array_equal(*answers)


@pytest.mark.parametrize("file", sorted(PEERS.glob("*.py")), ids=lambda file: file.stem)
def test_no_peer_uses_our_library(file: Path) -> None:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    imported = [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    assert not any(str(name).startswith("unseen") for name in imported)


def test_exemplar_regression_is_the_nearest_predicted_mean_under_the_shrunk_covariance(data: ZeroShotDataset) -> None:
    X, y, seen = data.X_train, data.y_train, data.seen_table
    peer = ExemplarRegression(widths=(2.0,), ridges=(0.1,), shrinkages=(0.3,)).fit(X, y, classes=seen)

    def scale(vectors: Any) -> Any:
        centred = vectors - seen.vectors.mean(axis=0)
        return centred / np.linalg.norm(centred, axis=1, keepdims=True)

    def squared(one: Any, two: Any) -> Any:
        return ((one[:, None] - two[None]) ** 2).sum(axis=2)

    psi, psi_new = scale(seen.vectors), scale(data.unseen_table.vectors)
    means = np.array([X[y == label].mean(axis=0) for label in seen.labels])
    width = 2 * 2.0 * squared(psi, psi).mean()
    kernel, kernel_new = (np.exp(-squared(rows, psi) / width) for rows in (psi, psi_new))
    predicted = kernel_new @ np.linalg.solve(kernel + 0.1 * np.eye(len(psi)), means)
    within = np.cov(X - means[seen.index_of(y)], rowvar=False)
    within += 0.3 * np.diag(within).mean() * np.eye(len(within))
    away = data.X_test_unseen[:, None] - predicted[None]
    distances = np.einsum("nmi,ij,nmj->nm", away, np.linalg.inv(within), away)
    answers = peer.predict(data.X_test_unseen, classes=data.unseen_table)
    np.testing.assert_array_equal(answers, data.unseen_table.labels[distances.argmin(axis=1)])


def test_classes_are_normalised_in_training_and_embedded_one_by_one_afterwards(data: ZeroShotDataset) -> None:
    torch = pytest.importorskip("torch")
    from benchmarks.tools.peer_models.cnzsl import ClassNormalisation

    units = torch.randn(50, 3, generator=torch.Generator().manual_seed(0)) * 4 + 2
    by_deviation, by_variance = (ClassNormalisation(3, kind)(units) for kind in ("deviation", "variance"))
    torch.testing.assert_close(by_deviation.std(dim=0), torch.ones(3), rtol=1e-3, atol=0)
    torch.testing.assert_close(by_variance.std(dim=0), 1 / units.std(dim=0), rtol=1e-3, atol=0)
    peer = make_cnzsl(n_epochs=1).fit(data.X_train, data.y_train, classes=data.seen_table)
    table = data.unseen_table
    alone = peer.decision_function(data.X_test_unseen, classes=table.select(table.labels[:1]))
    np.testing.assert_allclose(
        alone, peer.decision_function(data.X_test_unseen, classes=table)[:, :1], rtol=1e-4, atol=1e-4
    )


def test_cnzsl_ends_in_a_relu_only_where_no_feature_is_negative(data: ZeroShotDataset) -> None:
    peer = make_cnzsl(n_epochs=1)
    signed, positive = (
        peer.fit(X, data.y_train, classes=data.seen_table).network_[-1] for X in (data.X_train, np.abs(data.X_train))
    )
    assert [type(layer).__name__ for layer in (signed, positive)] == ["Identity", "ReLU"]


def test_splits_are_those_of_evaluate(data: ZeroShotDataset) -> None:
    models: dict[str, BaseEstimator] = {"ESZSL": ESZSL(), "ridge": RidgePipeline()}
    results = peers.measure(data, models, "standard", 2, 7)
    expected = evaluate(ESZSL(), data, class_splits=2, random_state=7)
    assert results[0].seeds == results[1].seeds == expected.seeds
    for ours, theirs in zip(results[0].candidates, expected.candidates, strict=True):
        np.testing.assert_array_equal(ours.labels, theirs.labels)
    table = peers.make_tables(results, models)[-1]
    assert table.columns[-3:] == ("training (s)", "testing (s)", "lines of code")
    assert {row[0] for row in table.rows} == set(models)


def test_only_what_is_made_for_them_gets_features_as_they_come(data: ZeroShotDataset) -> None:
    class Recorder(RidgePipeline):
        def fit(self, X: Any, y: Any, classes: Any) -> Any:
            lengths.append(np.linalg.norm(X, axis=1))
            return super().fit(X, y, classes)

    lengths: list[Any] = []
    peers.measure(data, {"prepared": Recorder(), peers.AS_GIVEN: Recorder()}, "standard", 2, 0)
    np.testing.assert_allclose(lengths[0], 1, rtol=1e-5)
    assert np.ptp(lengths[1]) > 0.1


def test_features_are_prepared_on_the_seen_rows_alone() -> None:
    data = load_dataset("digit-pairs", n_train=3)
    spoilt = replace(data, X=data.X.copy())
    spoilt.X[spoilt.test_unseen] += 3.0
    np.testing.assert_array_equal(*(peers.prepare(which).X_train for which in (data, spoilt)))


def test_descriptions_that_are_frequencies_become_roots() -> None:
    data = make_zero_shot(n_seen=6, n_unseen=3, random_state=0)
    rates = np.random.default_rng(0).uniform(size=data.classes.vectors.shape)
    frequencies = replace(data, classes=ClassTable(rates, data.classes.labels))
    np.testing.assert_allclose(peers.prepare(frequencies).classes.vectors, np.sqrt(rates))
    np.testing.assert_array_equal(peers.prepare(data).classes.vectors, data.classes.vectors)


def test_missing_data_get_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(peers, "DATA_FOLDER", tmp_path)
    with pytest.raises(InputError, match=r"dataset='flo' needs .*FLO82_resnet50\.npz: set UNSEEN_DATA"):
        peers.load_data("flo", "standard")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--splits", "1"], "splits must be a whole number of at least 2"),
        (["--against", "Blnd"], "against='Blnd'"),
        (["--only", "JFA"], "name at least two methods"),
        (["--only", "JFA", "Blnd"], "only='Blnd'"),
        (["--metric", "accuracy"], "metric='accuracy'"),
    ],
)
def test_options_are_checked_before_the_work_begins(
    options: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "measure", None)
    with pytest.raises(InputError, match=sentence):
        peers.main(["--small", *options])


def test_lines_are_those_of_all_modules_of_the_project() -> None:
    names = {module.__name__.rpartition(".")[2] for module in find_modules(RidgePipeline())}
    assert names == {"ridge_pipeline", "peer"}
    assert {"gaussian_jfa", "gaussian_classes", "class_table"} <= {
        module.__name__.rpartition(".")[2] for module in find_modules(GaussianJFA())
    }


def test_comments_docstrings_and_line_breaks_are_not_lines_of_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = '''"""What it is."""

from sklearn.base import BaseEstimator


class Counted(BaseEstimator):
    """What it does."""

    # Why.
    def fit(
        self,
        X,
    ):
        """Learn."""
        return self
'''
    file = tmp_path / "counted.py"
    file.write_text(source)
    spec = spec_from_file_location("counted", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "counted", module)
    spec.loader.exec_module(module)
    assert count_code_lines(module.Counted()) == 4
