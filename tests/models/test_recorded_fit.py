"""Points of a grid share what comes before learning, from one call to the next."""

from typing import Any

import numpy as np
import pytest

from unseen.data import ZeroShotDataset
from unseen.models import JFA, BilinearSVM
from unseen.models.recorded_fit import RecordedFit
from unseen.selection.grid import clone_at_point, open_grid


@pytest.mark.parametrize("model", [BilinearSVM(), JFA()])
def test_calls_share_the_last_preparation(model: Any, data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded, record = [], RecordedFit.of
    monkeypatch.setattr(RecordedFit, "of", lambda *given: recorded.append(given) or record(*given))
    fit_points = open_grid(model, data.X_train, data.y_train, data.classes)
    calls = [[{"lam": 1.0}, {"lam": 3.0}], [{"lam": 10.0}], [{"scaling": None}], [{"lam": 1.0}]]
    for points, n_recorded in zip(calls, [1, 1, 2, 3], strict=True):
        for point, fitted in zip(points, fit_points(points), strict=True):
            alone = clone_at_point(model, point).fit(data.X_train, data.y_train, classes=data.classes)
            np.testing.assert_array_equal(fitted.similarity_.W, alone.similarity_.W)
        assert len(recorded) == n_recorded


def test_omega_is_chosen_anew_at_each_point(data: ZeroShotDataset) -> None:
    fit_points = open_grid(JFA("auto", random_state=0), data.X_train, data.y_train, data.classes)
    [fitted] = fit_points([{"lam": 3.0}])
    alone = JFA("auto", lam=3.0, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    assert fitted.selection_.best_params == alone.selection_.best_params
    np.testing.assert_array_equal(fitted.similarity_.W, alone.similarity_.W)
