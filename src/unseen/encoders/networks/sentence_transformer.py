"""Encode texts with any model of the package sentence-transformers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.encoders.networks.weights import explain_unreachable, hash_weights
from unseen.encoders.protocol import make_fingerprint
from unseen.utils.devices import find_device
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional


class SentenceTransformerEncoder:
    """The text encoder `sentence-transformers:NAME`; see `TextEncoder`.

    Parameters
    ----------
    model : str
        Name of a model of the hub, or a folder.
    weights : Path, optional
        The folder of the model, if it is not in the cache.
    device : str
        Device on which it runs.
    """

    def __init__(self, model: str, weights: Path | None = None, device: str = "cpu") -> None:
        self.name = f"sentence-transformers:{model}"
        package = import_optional("sentence_transformers", "sentences", f"encoder {self.name}")
        if weights is not None and not weights.is_dir():
            raise InputError(f"--weights {weights} is not a folder: give that of a sentence-transformers model")
        where = str(find_device(device, "sentences"))
        with explain_unreachable(self.name, "the folder of the model"):
            # Code that comes with a model is never run: trust_remote_code stays False.
            self._model = package.SentenceTransformer(str(weights or model), device=where)
        self.fingerprint = make_fingerprint("sentence-transformers", hash_weights(self._model))
        self.width = self.encode(["a"]).shape[1]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length 1 per text, of shape (n, `width`)."""
        return np.asarray(
            self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False), dtype=np.float32
        )
