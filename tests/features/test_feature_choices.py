"""Tests of the preparations of features that are proposed."""

import numpy as np
import pytest
from sklearn.base import clone

from unseen.features import SquareRoot, list_feature_choices
from unseen.features.feature_choices import COMPONENTS, WIDE


def list_steps(choice: object) -> list[object]:
    return [step for _, step in getattr(choice, "steps", [])] or ([] if choice is None else [choice])


def has_root(choice: object) -> bool:
    return any(isinstance(step, SquareRoot) for step in list_steps(choice))


def test_the_plainest_comes_first_and_roots_only_without_negative_values() -> None:
    positive = np.random.default_rng(0).random((20, 4))
    assert list_feature_choices(positive)[0] is None
    assert any(map(has_root, list_feature_choices(positive)))
    assert not any(map(has_root, list_feature_choices(positive - 0.5, thorough=True)))


@pytest.mark.parametrize("thorough", [False, True])
def test_wide_features_are_reduced_to_what_there_are_rows_for(thorough: bool) -> None:
    wide = np.random.default_rng(0).random((50, WIDE + 1))
    choices = list_feature_choices(wide, 30, thorough=thorough, random_state=0)
    for choice in choices:
        assert clone(choice).fit_transform(wide).shape == (50, 30)
    assert len({repr(choice) for choice in choices}) == len(choices)
    assert list_feature_choices(wide)[0].n_components == COMPONENTS
