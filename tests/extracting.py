"""An extraction in Python with an encoder that needs no network, for the tests of what can befall one."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.data.formats.extracted import sign
from unseen.encoders import EncoderRecord, Extracted, Preprocessing, extract, find_pictures, label_pictures


class Pixels:
    """The pixels of a picture as its features."""

    def __init__(self, name: str = "pixels", size: int = 4) -> None:
        self.name, self.width, self.fingerprint = name, 3 * size * size, f"fingerprint of {name}"
        self.preprocess = Preprocessing(size=size)

    def encode(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        return batch.reshape(len(batch), -1)


def run_extract(
    source: Path,
    out: Path,
    encoder: Pixels | None = None,
    *,
    force: bool = False,
    on_picture: Callable[[], None] = lambda: None,
) -> Extracted:
    encoder = encoder or Pixels()
    pictures = find_pictures(source)
    record = EncoderRecord.of(encoder, None, whole=False)
    described = label_pictures(source, pictures)
    return extract(source, pictures, described, out, encoder, record, batch=2, force=force, on_picture=on_picture)


def stop_after(n: int) -> Callable[[], None]:
    """Return what interrupts an extraction after so many pictures."""
    left = [n]

    def count() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    return count


def forge_manifest(out: Path, /, **changes: object) -> None:
    """Change a manifest, with a digest that fits."""
    content = json.loads((out / "manifest.json").read_text())
    del content["digest"]
    (out / "manifest.json").write_text(sign(content | changes))
