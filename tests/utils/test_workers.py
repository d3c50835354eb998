"""How many processes are started, whatever is asked for."""

from typing import Any

import pytest

from unseen.data import make_zero_shot
from unseen.models import ESZSL
from unseen.transduction import SPZSR
from unseen.utils.errors import InputError
from unseen.utils.workers import count_cores, limit_jobs

DATA = make_zero_shot(n_seen=6, n_unseen=3, n_features=5, n_attributes=4, n_per_class=4, random_state=0)


@pytest.mark.parametrize("asked", [1, 3, 10**6, 10**30])
def test_no_more_than_tasks_and_cores(asked: int) -> None:
    assert limit_jobs(asked, 2) == min(asked, 2, count_cores())


@pytest.mark.parametrize("asked", [0, 1.5, "all", True, -(10**30)])
def test_what_is_not_a_number_of_processes(asked: Any) -> None:
    with pytest.raises(InputError, match="n_jobs"):
        limit_jobs(asked, 2)


class TestAnEstimatorWithProcesses:
    def test_it_starts_no_more(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []
        monkeypatch.setattr("unseen.transduction.spzsr.Parallel", lambda n_jobs, **_: asked.append(n_jobs) or list)
        monkeypatch.setattr("unseen.transduction.spzsr.delayed", lambda function: function)
        SPZSR(ESZSL(), n_jobs=100_000).fit(DATA.X_train, DATA.y_train, classes=DATA.classes).predict(DATA.X_test_unseen)
        assert asked
        assert max(asked) <= count_cores()

    def test_it_refuses_what_is_not_a_number(self) -> None:
        with pytest.raises(InputError, match="n_jobs must be a whole number"):
            SPZSR(ESZSL(), n_jobs="many").fit(DATA.X_train, DATA.y_train, classes=DATA.classes)
