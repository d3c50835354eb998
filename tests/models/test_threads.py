"""A fitted model is shared between threads that ask about different candidates."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from unseen import JFA, load_dataset
from unseen.features import UnitNorm
from unseen.models import Prepared

THREADS, ROUNDS = 20, 150


@pytest.fixture
def frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: Prepared(model, features=UnitNorm())])
def test_threads_do_not_see_the_candidates_of_others(wrap, frequent_switches):
    data = load_dataset("digit-pairs")
    model = wrap(JFA()).fit(data.X_train, data.y_train, classes=data.classes)
    rows = data.X_test_unseen[:5]
    candidates = [data.unseen_classes[at : at + 3] for at in range(THREADS)]
    expected = [model.predict(rows, classes=named) for named in candidates]

    def ask(at: int) -> int:
        answers = (model.predict(rows, classes=candidates[at]) for _ in range(ROUNDS))
        return sum(not np.array_equal(answer, expected[at]) for answer in answers)

    with ThreadPoolExecutor(THREADS) as pool:
        assert sum(pool.map(ask, range(THREADS))) == 0
