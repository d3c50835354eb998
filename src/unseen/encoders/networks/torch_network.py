"""Encode pictures with a PyTorch network."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.encoders.networks.preprocessing import Preprocessing
from unseen.encoders.networks.weights import hash_weights, import_torch
from unseen.encoders.protocol import make_fingerprint
from unseen.utils.devices import find_device


class TorchImageEncoder:
    """A PyTorch network that gives one row of features per picture; see `ImageEncoder`.

    Parameters
    ----------
    name : str
        Name of the encoder for `image_encoder`.
    network : torch.nn.Module
        The network with its weights.
    preprocessing : Preprocessing
        Preprocessing of pictures in its training.
    device : str
        Device on which it runs.
    features : callable, optional
        Function that turns a batch into features; by default the network itself.
    """

    def __init__(
        self,
        name: str,
        network: Any,
        preprocessing: Preprocessing,
        device: str = "cpu",
        features: Callable[[Any], Any] | None = None,
    ) -> None:
        self._torch = import_torch(f"encoder {name}")
        self._device = find_device(device, "images")
        self._network = network.eval().to(self._device)
        self._features = features or self._network
        self.name = name
        self.preprocess = preprocessing
        self.fingerprint = make_fingerprint(name, hash_weights(network), preprocessing.as_dict())
        self.width = self._probe().shape[1]

    def encode(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the features of a batch of shape (n, 3, height, width), of shape (n, `width`)."""
        torch = self._torch
        with torch.inference_mode():
            found = self._features(torch.from_numpy(batch).to(self._device))
            return np.asarray(found.flatten(1).float().cpu().numpy())

    def _probe(self) -> NDArray[np.float32]:
        side = self.preprocess.size
        return self.encode(np.zeros((1, 3, side, side), dtype=np.float32))
