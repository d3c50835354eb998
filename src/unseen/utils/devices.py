"""Send arrays to a device of PyTorch, such as a GPU; the one place where data get there."""

from typing import Any

import numpy as np
from array_api_compat import device as array_device

from unseen.utils.arrays import Array, is_foreign, is_on_cpu
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional


def find_device(device: str, extra: str = "torch") -> Any:
    """Return a device of PyTorch, or refuse one that cannot be used here.

    Parameters
    ----------
    device : str
        Such as "cuda", "cuda:1" or "cpu".
    extra : str, default "torch"
        The extra of `unseen` that installs PyTorch.
    """
    torch = import_optional("torch", extra, f"device={device!r}")
    try:
        found = torch.device(device)
        torch.empty(1, device=found)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"device={device!r} cannot be used ({reason}): choose cpu, or cuda where there is one"
        ) from error
    return found


def send(array: Any, device: str | None) -> Array:
    """Return an array as a tensor of PyTorch on a device, or as it is if no device is named.

    Half precision becomes single, and whole numbers become double, which every model learns from.

    Parameters
    ----------
    array : ndarray, memory map or tensor
    device : str or None
        As for `find_device`.
    """
    if device is None:
        return array
    found = find_device(device)
    import torch

    if is_foreign(array):
        tensor = array if isinstance(array, torch.Tensor) else torch.from_dlpack(array)
    else:
        # A copy, because memory maps and arrays that were sent to a worker process are read-only.
        tensor = torch.from_numpy(np.array(array, dtype=_widen(np.asarray(array).dtype)))
    try:
        return tensor.to(found)
    except torch.cuda.OutOfMemoryError as error:
        size = tensor.nbytes / 2**30
        raise InputError(
            f"device={device!r} has no room for {size:.1f} GiB of features: reduce them, give fewer rows, or leave "
            "out the device"
        ) from error


def refuse_processes(X: Any, n_jobs: int | None, *, cluster: bool = False) -> None:
    """Refuse to start processes, or to use a Dask cluster, for rows that are on a device of this machine."""
    if is_on_cpu(X) or (n_jobs in (None, 1) and not cluster):
        return
    if cluster:
        raise InputError(f"X is on {array_device(X)}, which a Dask cluster cannot reach: use one of them")
    raise InputError(
        f"n_jobs={n_jobs} starts processes, and X is on {array_device(X)}, which one process keeps busy: leave "
        "n_jobs out (--jobs on the command line)"
    )


def _widen(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.kind == "f":
        return np.promote_types(dtype, np.float32) if dtype.itemsize < 8 else np.dtype(np.float64)
    return dtype if dtype.kind == "O" else np.dtype(np.float64)
