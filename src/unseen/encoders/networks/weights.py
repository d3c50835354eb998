"""Read weights of networks without running code in them, and hash them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.utils.errors import InputError, shorten
from unseen.utils.optional import import_optional

if TYPE_CHECKING:
    import torch


def import_torch(purpose: str) -> Any:
    """Import PyTorch, or say how to install it."""
    return import_optional("torch", "images", purpose)


def import_network_package(name: str, encoder: str) -> Any:
    """Import a package of networks that builds on torchvision."""
    try:
        return import_optional(name, "images", f"encoder {encoder}")
    except (RuntimeError, OSError, AttributeError) as error:
        # The compiled part of torchvision works only with one version and build of PyTorch.
        raise InputError(
            f"encoder {encoder} needs {name}, which is installed but does not start ({error}): install "
            "matching versions and builds (CPU or CUDA) of torch and torchvision"
        ) from error


def find_package_folder(package: str) -> Path | None:
    """Find the folder of a package without importing it."""
    spec = find_spec(package)
    places = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(places))) if places else None


def read_weights(path: Path) -> "dict[str, torch.Tensor]":
    """Read the named weights of a network from a safetensors file, or from a file that `torch.save` wrote.

    Only tensors in plain collections are accepted, so no code in the file is run.
    """
    if not path.is_file():
        raise InputError(f"--weights {path} is not a file: give weights as .safetensors or as torch.save writes them")
    torch = import_torch("reading weights")
    try:
        if path.suffix.casefold() == ".safetensors":
            state = import_optional("safetensors.torch", "images", "reading weights").load_file(path)
        else:
            state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # each format has its own errors, and all of them mean this
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"--weights {path} cannot be read without running code in it, or is damaged ({reason}): save only the "
            "state_dict, best as .safetensors"
        ) from error
    for key in ("state_dict", "model"):  # where training scripts put them
        if isinstance(state, Mapping) and isinstance(state.get(key), Mapping):
            state = state[key]
    if not isinstance(state, Mapping) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise InputError(f"--weights {path} does not hold named weights: save the state_dict of the network")
    return {str(name).removeprefix("module."): value for name, value in state.items()}


def fill_weights(module: Any, state: "Mapping[str, torch.Tensor]", what: str) -> None:
    """Load weights into a network; weights that it does not have (such as its former last layer) are ignored."""
    wanted = module.state_dict()
    counted = "num_batches_tracked"  # missing in old files, and not used in inference
    lacking = [key for key in wanted if key not in state and not key.endswith(counted)]
    if lacking:
        raise InputError(f"{what} lacks {shorten(lacking)}: these weights belong to another network")
    other = [key for key, value in wanted.items() if key in state and state[key].shape != value.shape]
    if other:
        key = other[0]
        raise InputError(
            f"{what} has {key!r} of shape {tuple(state[key].shape)} where the network has {tuple(wanted[key].shape)}: "
            "these weights belong to another network"
        )
    module.load_state_dict({key: state[key] for key in wanted if key in state}, strict=False)


def hash_weights(module: Any) -> str:
    """Hash the weights of a network; the hash does not depend on the format of their file."""
    return hash_arrays((key, value.cpu().numpy()) for key, value in sorted(module.state_dict().items()))


def hash_arrays(named: Iterable[tuple[str, Any]]) -> str:
    """Hash arrays with their names."""
    found = hashlib.sha256()
    for name, array in named:
        found.update(f"{name} {array.dtype} {array.shape}\n".encode())
        found.update(array.reshape(-1).view("u1").data)
    return found.hexdigest()


@contextmanager
def explain_unreachable(name: str, given: str = "a file") -> Iterator[None]:
    """Explain what to do if the weights of an encoder cannot be reached; `given` is what --weights takes."""
    try:
        yield
    except Exception as error:  # the hub, the network and the file system raise many kinds
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"the weights of {name} cannot be reached ({reason[:200]}): put them into the cache of huggingface_hub "
            f"(HF_HOME), or name {given} with --weights"
        ) from error
