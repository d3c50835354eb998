"""Two extractions into one folder do not spoil each other."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from extracting import Pixels, run_extract, stop_after
from picture_files import write_folder

from unseen import load_dataset
from unseen.utils.errors import InputError


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "birds")


def interrupt_with(run: Callable[[], None], after: int = 10) -> Callable[[], None]:
    """Return what runs something in the midst of an extraction."""
    left = [after]

    def count() -> None:
        left[0] -= 1
        if not left[0]:
            run()

    return count


@pytest.mark.parametrize("other", [Pixels(), Pixels("other", 5)])
@pytest.mark.parametrize("force", [False, True])
def test_at_once_the_second_is_refused(other: Pixels, force: bool, birds: Path, tmp_path: Path) -> None:
    refused = []

    def run_second() -> None:
        with pytest.raises(InputError, match=r"--out .*out is in use by another run \(process \d+\): wait"):
            run_extract(birds, tmp_path / "out", other, force=force)
        refused.append(True)

    done = run_extract(birds, tmp_path / "out", on_picture=interrupt_with(run_second))
    assert refused
    assert done.encoded == 32
    run_extract(birds, tmp_path / "alone")
    np.testing.assert_array_equal(load_dataset(tmp_path / "out").X, load_dataset(tmp_path / "alone").X)
    assert not (tmp_path / "out" / ".unseen.lock").exists()


def test_one_after_the_other_keeps_the_work_of_the_first(birds: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "out", Pixels("other", 5)
    with pytest.raises(KeyboardInterrupt):
        run_extract(birds, out, on_picture=stop_after(20))
    with pytest.raises(InputError, match=r"pictures that pixels .* has begun to encode, not other .*--force"):
        run_extract(birds, out, other)
    done = run_extract(birds, out)
    assert 0 < done.encoded <= 14
    assert load_dataset(out).X.shape == (32, 48)
    with pytest.raises(KeyboardInterrupt):
        run_extract(birds, out, other, force=True, on_picture=stop_after(20))
    # What was finished is there until it is replaced.
    assert load_dataset(out).X.shape == (32, 48)
    assert run_extract(birds, out, other, force=True).encoded <= 14
    assert load_dataset(out).X.shape == (32, 75)
