"""The page computes what Python computes, in a real browser; skipped where there is none."""

from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from studio_pages import OpenPage, read_shares, settle

from unseen.data import ClassTable, ZeroShotDataset
from unseen.features import KernelMap, Logit, SquareRoot, UnitNorm, Whitening
from unseen.models import ALE, ESZSL, JFA, SJE, BilinearSVM, Blend, Calibrated, GaussianJFA, Prepared
from unseen.studio import Studio, open_studio

MODELS: dict[str, Any] = {
    "jfa": Calibrated(JFA(), random_state=0),
    "jfa without scaling": JFA(scaling=None),
    "bilinear": BilinearSVM(),
    "eszsl": Calibrated(ESZSL(), random_state=0),
    "ale": ALE(random_state=0),
    "sje": SJE(random_state=0),
    "gaussian": Calibrated(GaussianJFA(), random_state=0),
    "gaussian, linear": GaussianJFA(kernel="linear"),
    "blend": Calibrated(Blend([GaussianJFA(), JFA(), ESZSL()], random_state=0), random_state=0),
    "square roots, kernel": Prepared(
        BilinearSVM(), features=make_pipeline(SquareRoot(), PCA(8), UnitNorm()), descriptions=make_pipeline(
            SquareRoot(normalise=False), KernelMap(width=2.0)
        )
    ),
    "logit": Prepared(JFA(), features=Whitening(), descriptions=Logit()),
    "narrow features": Prepared(JFA(), features=PCA(3), descriptions=make_pipeline(StandardScaler(), UnitNorm("l1"))),
    "linear kernel": Prepared(ESZSL(), descriptions=make_pipeline(UnitNorm("max"), KernelMap("linear"))),
}  # fmt: skip


@pytest.fixture(params=MODELS, scope="module")
def fitted(request: pytest.FixtureRequest, shares: ZeroShotDataset) -> Any:
    return MODELS[request.param].fit(shares.X_train, shares.y_train, classes=shares.classes)


def predict(studio: Studio, table: ClassTable) -> np.ndarray:
    return np.asarray(studio.file.model.predict_proba(studio.shown.X.astype(np.float64), classes=table))


def test_shares_are_those_of_python(fitted: Any, shares: ZeroShotDataset, show: OpenPage) -> None:
    studio = open_studio(fitted, shares)
    rng = np.random.default_rng(0)
    with show(studio) as page:
        np.testing.assert_allclose(
            read_shares(page), predict(studio, studio.table.select(studio.candidates)), atol=1e-5
        )
        # All classes, so that seen ones are penalised.
        page.evaluate("studio.change({...studio.document, active: studio.document.classes.map((_, id) => id)})")
        np.testing.assert_allclose(read_shares(page), predict(studio, studio.table), atol=1e-5)
        # One class after another is edited, at random.
        vectors = np.array(studio.table.vectors)
        for id_ in (2, 9):
            vectors[id_] = rng.random(vectors.shape[1])
            page.evaluate(
                "([id, vector]) => { const classes = studio.document.classes.slice();"
                "classes[id] = {...classes[id], vector: Float64Array.from(vector)};"
                "studio.change({...studio.document, classes}); }",
                [id_, vectors[id_].tolist()],
            )
            edited = predict(studio, ClassTable(vectors, studio.table.labels))
            np.testing.assert_allclose(read_shares(page), edited, atol=1e-5)
        settle(page)


def test_slopes_are_those_of_the_scores(fitted: Any, shares: ZeroShotDataset, show: OpenPage) -> None:
    """The gradient that Why and the order of sliders are made of, against differences."""
    with show(open_studio(fitted, shares)) as page:
        slope, differences = page.evaluate(
            """() => {
                const vector = Float64Array.from({length: 8}, (_, j) => 0.2 + 0.07 * j);
                const step = 1e-5;
                const differences = [...vector].map((_, j) => {
                    const [low, high] = [vector.slice(), vector.slice()];
                    low[j] -= step;
                    high[j] += step;
                    return (studio.scorer.compute(high)[3] - studio.scorer.compute(low)[3]) / (2 * step);
                });
                return [[...studio.scorer.slope(vector, 3)], differences];
            }"""
        )
    np.testing.assert_allclose(slope, differences, rtol=1e-4, atol=1e-5 * np.abs(differences).max())


@pytest.mark.parametrize("name", ["jfa", "gaussian", "gaussian, linear"])
def test_what_a_picture_says_is_the_displaced_description(name: str, shares: ZeroShotDataset, show: OpenPage) -> None:
    model = MODELS[name].fit(shares.X_train, shares.y_train, classes=shares.classes)
    studio = open_studio(model, shares)
    core = getattr(model, "model_", model)
    X = studio.shown.X.astype(np.float64)
    with show(studio) as page:
        for row in (0, 7):
            label = studio.candidates[2]
            said = page.evaluate("row => [...studio.displaced(row, studio.document.classes[2].vector)]", row)
            adapted = core.adapt(X[row : row + 1], [label], classes=studio.table).z_s[0]
            np.testing.assert_allclose(said, adapted, atol=1e-5)


def test_reasons_sum_to_the_lead(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        sums, lead, alike = page.evaluate(
            """() => {
                const picture = studio.view.picture;
                const [first, second] = studio.rank(picture).map(id => studio.classOf(id).vector);
                const parts = studio.explain(picture, first, second);
                const lead = studio.scorer.column(first)[picture] - studio.scorer.column(second)[picture];
                return [parts.reduce((sum, part) => sum + part), lead, parts.filter((_, j) => first[j] === second[j])];
            }"""
        )
    assert sums == pytest.approx(lead, rel=1e-6)
    assert set(alike.values() if isinstance(alike, dict) else alike) == {0}


def test_counts_are_those_of_python(studio: Studio, show: OpenPage) -> None:
    table = studio.table.select(studio.candidates)
    chances = predict(studio, table)
    for level in (0.0, 0.25, 0.9):
        given = chances.max(axis=1) >= level
        right = given & (table.labels[chances.argmax(axis=1)] == np.array(studio.shown.truth))
        with show(studio) as page:
            page.evaluate("level => studio.change({...studio.document, level})", level)
            settle(page)
            counts = page.evaluate("studio.counts")
            assert (counts["right"], counts["none"]) == (right.sum(), (~given).sum())
            assert counts["wrong"] == given.sum() - right.sum()


def test_the_interval_is_wilsons(studio: Studio, show: OpenPage) -> None:
    from scipy.stats import binomtest

    with show(studio) as page:
        counts = page.evaluate("studio.counts")
        judged = counts["right"] + counts["wrong"]
        interval = binomtest(counts["right"], judged).proportion_ci(method="wilson")
        assert f"{round(100 * interval.low)}–{round(100 * interval.high)}" in page.inner_text(".detail")
