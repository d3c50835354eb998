"""Run BERT in NumPy, to encode class descriptions without PyTorch."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

Array = NDArray[np.float32]


class Bert:
    """The encoder of Devlin et al. (2019), which gives one vector for each token.

    Parameters
    ----------
    state : mapping
        Weights by the names that Hugging Face gives them.
    heads : int
        Number of attention heads of each layer.
    eps : float
        Epsilon of layer normalisation.
    """

    def __init__(self, state: Mapping[str, Array], heads: int, eps: float) -> None:
        prefix = "bert." if "bert.embeddings.LayerNorm.weight" in state else ""
        self._state = {name.removeprefix(prefix): array for name, array in state.items()}
        self._heads, self._eps = heads, eps
        self._layers = 1 + max(int(name.split(".")[2]) for name in self._state if name.startswith("encoder.layer."))

    def __call__(self, ids: NDArray[Any], mask: NDArray[np.bool_]) -> Array:
        """Return vectors (n, length, width) of token numbers (n, length); `mask` is False at padding."""
        table = "embeddings.{}_embeddings.weight".format
        at = np.arange(ids.shape[1])
        x = self._state[table("word")][ids] + self._state[table("position")][at] + self._state[table("token_type")][0]
        x = self._normalise(x, "embeddings.LayerNorm")
        for layer in range(self._layers):
            x = self._apply_layer(x, mask, f"encoder.layer.{layer}")
        return x

    def _apply_layer(self, x: Array, mask: NDArray[np.bool_], name: str) -> Array:
        attended = self._apply_linear(self._attend(x, mask, f"{name}.attention.self"), f"{name}.attention.output.dense")
        x = self._normalise(x + attended, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._apply_linear(x, f"{name}.intermediate.dense"))
        return self._normalise(x + self._apply_linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attend(self, x: Array, mask: NDArray[np.bool_], name: str) -> Array:
        query, key, value = (
            self._split_heads(self._apply_linear(x, f"{name}.{part}")) for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(-1, -2) / np.float32(np.sqrt(query.shape[-1]))
        scores = np.where(mask[:, None, None, :], scores, np.float32(-np.inf))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return np.asarray((weights @ value).swapaxes(1, 2).reshape(x.shape))

    def _split_heads(self, x: Array) -> Array:
        return x.reshape(*x.shape[:2], self._heads, -1).swapaxes(1, 2)

    def _apply_linear(self, x: Array, name: str) -> Array:
        return np.asarray(x @ self._state[f"{name}.weight"].T + self._state[f"{name}.bias"])

    def _normalise(self, x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(self._eps))
        return np.asarray(centred / spread * self._state[f"{name}.weight"] + self._state[f"{name}.bias"])


def _gelu(x: Array) -> Array:
    return np.asarray(x * np.float32(0.5) * (1 + erf(x * np.float32(np.sqrt(0.5)))))
