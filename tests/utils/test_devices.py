"""Devices of PyTorch: what is sent there, and what is refused in one sentence."""

import sys
import warnings

import numpy as np
import pytest
from leaving import put_on_device

from unseen.utils.arrays import is_on_cpu, to_cpu, to_numpy
from unseen.utils.devices import find_device, refuse_processes, send
from unseen.utils.errors import InputError
from unseen.utils.optional import suggest_install


def test_a_device_that_is_missing_is_one_sentence() -> None:
    torch = pytest.importorskip("torch")
    missing = "no-such-device" if torch.cuda.is_available() else "cuda"
    with pytest.raises(InputError, match=rf"device='{missing}' cannot be used \(.*\): choose cpu, or cuda") as refused:
        send(np.zeros((2, 2)), missing)
    assert "\n" not in str(refused.value)


def test_without_pytorch_the_sentence_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError) as refused:
        find_device("cuda")
    assert str(refused.value) == f"device='cuda' needs the package torch: {suggest_install('torch')}"


def test_without_a_device_nothing_is_sent() -> None:
    X = np.zeros((2, 2))
    assert send(X, None) is X


@pytest.mark.parametrize(
    ("given", "sent"), [("float16", "float32"), ("float32", "float32"), ("float64", "float64"), ("uint8", "float64")]
)
def test_what_is_sent_is_in_a_precision_to_learn_in(given: str, sent: str) -> None:
    torch = pytest.importorskip("torch")
    X = np.arange(6, dtype=given).reshape(3, 2)
    X.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tensor = send(X, "cpu")
    assert isinstance(tensor, torch.Tensor)
    assert tensor.dtype == getattr(torch, sent)
    np.testing.assert_array_equal(tensor.numpy(), X)
    tensor += 1  # a copy of its own
    assert X[0, 0] == 0


def test_a_tensor_is_sent_as_it_is() -> None:
    torch = pytest.importorskip("torch")
    X = torch.zeros((2, 2))
    assert send(X, "cpu") is X


def test_work_for_the_processor_is_announced() -> None:
    pytest.importorskip("array_api_strict")
    X = put_on_device(np.ones((3, 2)))
    assert not is_on_cpu(X)
    with pytest.warns(UserWarning, match="^DAP learns on the processor: 3 x 2 numbers are copied from .*device1"):
        np.testing.assert_array_equal(to_cpu(X, "DAP learns"), np.ones((3, 2)))
    np.testing.assert_array_equal(to_numpy(X), np.ones((3, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_cpu(np.ones(3), "DAP learns")


def test_processes_are_refused_for_rows_on_a_device() -> None:
    pytest.importorskip("array_api_strict")
    for n_jobs in (None, 1):
        refuse_processes(put_on_device(np.ones((3, 2))), n_jobs)
    refuse_processes(np.ones((3, 2)), 2)
    with pytest.raises(InputError, match=r"n_jobs=2 starts processes, and X is on .*: leave n_jobs out"):
        refuse_processes(put_on_device(np.ones((3, 2))), 2)
