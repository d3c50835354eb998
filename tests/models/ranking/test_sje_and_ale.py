"""SJE and ALE as estimators; their steps are tested in tests/learning/test_ranking_sgd.py."""

import numpy as np
import pytest

from unseen.data import ZeroShotDataset
from unseen.models import ALE, SJE
from unseen.utils.errors import InputError


@pytest.mark.parametrize("kind", [SJE, ALE])
def test_early_stopping_is_told_about(kind: type[SJE], data: ZeroShotDataset) -> None:
    model = kind(random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    assert 1 <= model.n_iter_ <= len(model.validation_accuracy_) <= 30
    assert model.validation_accuracy_[model.n_iter_ - 1] == max(model.validation_accuracy_)
    assert model.W_.shape == (data.X.shape[1], data.classes.width)


@pytest.mark.parametrize("kind", [SJE, ALE])
def test_all_epochs_are_made_without_held_out_classes(kind: type[SJE], data: ZeroShotDataset) -> None:
    model = kind(max_epochs=3, validation_share=0, random_state=0)
    assert model.fit(data.X_train, data.y_train, classes=data.classes).n_iter_ == 3
    # One-hot descriptions say nothing about classes that are held out.
    model = kind(max_epochs=4, random_state=0).fit(data.X_train, data.y_train)
    assert (model.n_iter_, model.validation_accuracy_) == (4, [])


def test_ale_and_sje_take_different_steps(data: ZeroShotDataset) -> None:
    one, two = (kind(random_state=0).fit(data.X_train, data.y_train, classes=data.classes) for kind in (SJE, ALE))
    assert np.abs(one.W_ - two.W_).max() > 1e-3


def test_settings_are_checked_in_fit(data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="step must be a finite number above 0, got -1"):
        ALE(step=-1).fit(data.X_train, data.y_train)
