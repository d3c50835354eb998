"""Encode pictures with a network in an ONNX file."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.encoders.networks.preprocessing import Preprocessing
from unseen.encoders.protocol import make_fingerprint
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional
from unseen.utils.storage.digests import digest_file

# Size of pictures for a network that accepts any size.
_SIZE = 224
_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}


class OnnxImageEncoder:
    """Encode pictures (n, 3, height, width) as the first output of an ONNX network; see `ImageEncoder`.

    Pictures are scaled as for ImageNet, unless a JSON file beside the network (`model.json` for `model.onnx`) has other
    settings of `Preprocessing`.
    """

    def __init__(self, path: Path, device: str = "cpu", whole: bool = False) -> None:
        if not path.is_file():
            raise InputError(f"{path} is not a file: give the path of an ONNX file")
        self.name = str(path.resolve())
        self._session = _open_session(path, device)
        self._input, self._batch, size = _read_input(self._session, path)
        beside = path.with_suffix(".json")
        seen = Preprocessing.read(beside, size) if beside.is_file() else Preprocessing(size=size)
        self.preprocess = seen.without_crop() if whole else seen
        self.fingerprint = make_fingerprint("onnx", digest_file(path), self.preprocess.as_dict())
        self.width = self._probe(path)

    def encode(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the features of a batch of shape (n, 3, height, width), of shape (n, `width`)."""
        if self._batch is None:
            return self._run(batch)
        # The network has a fixed batch size, so the last batch is padded with black pictures.
        filled = np.zeros((-(-len(batch) // self._batch) * self._batch, *batch.shape[1:]), dtype=np.float32)
        filled[: len(batch)] = batch
        parts = np.split(filled, len(filled) // self._batch)
        return np.concatenate([self._run(part) for part in parts])[: len(batch)]

    def _run(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        found = np.asarray(self._session.run(None, {self._input: batch})[0], dtype=np.float32)
        return found.reshape(len(found), -1)

    def _probe(self, path: Path) -> int:
        side = self.preprocess.size
        try:
            return int(self.encode(np.zeros((2, 3, side, side), dtype=np.float32)).shape[1])
        except Exception as error:  # errors of onnxruntime have no common class
            raise InputError(
                f"{path} does not encode pictures of {side} x {side} ({str(error).strip()[:200]}): give a network with "
                "one float32 input of shape (n, 3, height, width)"
            ) from error


def _open_session(path: Path, device: str) -> Any:
    runtime = import_optional("onnxruntime", "images", f"encoder {path}")
    provider = _PROVIDERS.get(device.partition(":")[0])
    if provider not in runtime.get_available_providers():
        raise InputError(
            f"--device {device} cannot be used by this onnxruntime: choose cpu, or install its GPU package"
        )
    try:
        return runtime.InferenceSession(str(path), providers=[provider])
    except Exception as error:  # errors of onnxruntime have no common class
        raise InputError(
            f"{path} cannot be run as an ONNX network ({str(error).strip()[:200]}): give another file"
        ) from error


def _read_input(session: Any, path: Path) -> tuple[str, int | None, int]:
    """Return the name of the input, its batch size if fixed, and the side of its pictures."""
    inputs = session.get_inputs()
    shape = inputs[0].shape if inputs else []
    wrong = len(inputs) != 1 or len(shape) != 4 or shape[1] != 3 or inputs[0].type != "tensor(float)"
    if wrong or (isinstance(shape[2], int) and isinstance(shape[3], int) and shape[2] != shape[3]):
        given = "; ".join(f"{entry.name}: {entry.type} {entry.shape}" for entry in inputs)
        raise InputError(f"{path} takes {given}: give a network with one float32 input of shape (n, 3, side, side)")
    size = next((side for side in shape[2:] if isinstance(side, int)), _SIZE)
    return inputs[0].name, shape[0] if isinstance(shape[0], int) else None, size
