import numpy as np
import pytest
from sklearn.pipeline import Pipeline

from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.features import list_description_choices
from unseen.models import ESZSL, Prepared
from unseen.selection import ClassDisjointSearch

SHARES = np.random.default_rng(0).random((6, 4))


def name_steps(choice):
    """Name a choice by its steps."""
    steps = [step for _, step in choice.steps] if isinstance(choice, Pipeline) else [choice]
    return " ".join(type(step).__name__ for step in steps)


@pytest.mark.parametrize("vectors", [SHARES, 100 * SHARES, SHARES.tolist(), 0.3 * SHARES])
def test_frequencies_may_be_taken_by_their_roots_and_logits(vectors):
    first, *others = list_description_choices(vectors)
    assert first is None
    assert [name_steps(choice) for choice in others] == [
        "SquareRoot",
        "Logit",
        "SquareRoot KernelMap",
        "Logit KernelMap",
    ]
    for choice in others:
        assert np.isfinite(choice.fit_transform(vectors)).all()


@pytest.mark.parametrize(
    "vectors",
    [SHARES - 0.5, 200 * SHARES, 7 * SHARES, (SHARES > 0.5).astype(float)],
    ids=["signed", "large", "a scale to 7", "yes and no"],
)
def test_others_may_be_taken_through_a_kernel(vectors):
    assert [name_steps(choice) for choice in list_description_choices(vectors)] == ["NoneType", "KernelMap"]


def test_very_many_classes_are_compared_with_some_of_them():
    _, kernel = list_description_choices(np.random.default_rng(0).normal(size=(1001, 3)))
    assert kernel.landmarks == 500


def test_a_search_finds_what_makes_descriptions_straight():
    # Features that depend on the logits of frequencies, which are bent near 0 and 1.
    made = make_zero_shot(n_seen=30, n_unseen=5, noise=1.0, random_state=0)
    shares = ClassTable(1 / (1 + np.exp(-3 * made.classes.vectors)), made.classes.labels)
    data = ZeroShotDataset(made.X, made.y, shares, made.train, made.test_seen, made.test_unseen)
    grid = {"descriptions": list_description_choices(data.seen_table.vectors)}
    search = ClassDisjointSearch(Prepared(ESZSL()), grid, random_state=0)
    search.fit(data.X_train, data.y_train, classes=data.seen_table)
    assert "Logit" in name_steps(search.best_params_["descriptions"])
    assert search.best_score_ > search.cv_results_["mean_test_score"][0]
