"""What a sweep can tell of the paper's observations, and what it cannot."""

from dataclasses import replace

import numpy as np
import pytest

from unseen.sweep import observe, sweep
from unseen.sweep.observations import table


@pytest.fixture(scope="module")
def result(data, tmp_path_factory):
    return sweep(data, tmp_path_factory.mktemp("sweep"), grid=(0.01, 100.0), max_iter=10)


def with_optima(result, is_global):
    free = result.columns["way"] == "free"
    columns = result.columns | {"global_optimum": np.where(free, is_global, True)}
    return replace(result, columns=columns)


@pytest.mark.parametrize(
    ("is_global", "verdicts", "words"),
    [
        (True, ["cannot be told", "cannot be told", None], "best local none (0)"),
        (False, ["cannot be told"] * 3, "best global none (0 settings)"),
    ],
)
def test_nothing_is_claimed_of_nothing(result, is_global, verdicts, words):
    found = observe(with_optima(result, is_global))
    for observation, verdict in zip(found, verdicts, strict=True):
        assert observation.verdict == verdict or (verdict is None and observation.holds is not None)
    assert words in found[0].found
    assert "cannot be told" in table(with_optima(result, is_global)).to_markdown()


def test_both_sides_are_compared(result):
    mixed = with_optima(result, np.arange(len(result)) % 2 == 0)
    assert {type(observation.holds) for observation in observe(mixed)} == {bool}
    assert "cannot be told" not in table(mixed).to_text()
