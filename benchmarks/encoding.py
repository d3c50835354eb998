"""Compare the speed of `unseen extract` with a bare loop over the same batches.

The bare loop opens each picture, prepares it and runs the network, batch by batch, and keeps the features in memory.
`extract` also hashes every picture, stores each batch on disk and writes the dataset.
"""

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from benchmarks.tools.birds import DATA_FOLDER
from benchmarks.tools.ratios import Row, ratio_options, show
from benchmarks.tools.timing import time_best
from unseen.encoders import (
    EncoderRecord,
    ImageEncoder,
    extract,
    find_pictures,
    image_encoder,
    label_pictures,
)

WANTED = 0.9


def main(arguments: list[str]) -> None:
    parser = ratio_options(__name__, __doc__)
    parser.add_argument("--encoder", default="efficientnet-lite0")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--pictures", type=int, default=240)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(arguments)
    n, repeats = (6, 1) if options.small else (options.pictures, options.repeats)
    encoder = image_encoder(options.encoder, device=options.device)
    with TemporaryDirectory() as name:
        folder = Path(name)
        source = put_pictures(folder / "pictures", n, synthetic=options.small)
        rows = measure(encoder, folder, n, options.batch, repeats)
    title = f"{options.encoder} on {options.device}: {n} pictures ({source}), batches of {options.batch}"
    show(rows, title, options.json)


def put_pictures(folder: Path, n: int, synthetic: bool) -> str:
    """Put pictures into a flat folder: photographs of birds if available, otherwise noise."""
    folder.mkdir()
    found = sorted((DATA_FOLDER / "cub_images" / "images").glob("*/*.jpg"))
    if found and not synthetic:
        for at, path in enumerate(itertools.islice(found, n)):
            (folder / f"{at:05d}.jpg").write_bytes(path.read_bytes())
        return "birds"
    random = np.random.default_rng(0)
    for at in range(n):
        Image.fromarray(random.integers(0, 256, (224, 224, 3), dtype=np.uint8)).save(folder / f"{at:05d}.jpg")
    return "noise"


def measure(encoder: ImageEncoder, folder: Path, n: int, batch: int, repeats: int) -> list[Row]:
    pictures = find_pictures(folder / "pictures")
    paths = [pictures.root / path for path in pictures.paths]
    outputs = itertools.count()

    def run_bare_loop() -> None:
        for start in range(0, n, batch):
            opened = [Image.open(path).convert("RGB") for path in paths[start : start + batch]]
            encoder.encode(np.stack([encoder.preprocess(picture) for picture in opened]))

    prepared = [encoder.preprocess(Image.open(path).convert("RGB")) for path in paths]
    batches = [np.stack(prepared[start : start + batch]) for start in range(0, n, batch)]

    def run_network() -> None:
        for pixels in batches:
            encoder.encode(pixels)

    def run_extract() -> None:
        out = folder / f"out{next(outputs)}"
        record = EncoderRecord.of(encoder, None, False)
        extract(folder / "pictures", pictures, label_pictures(folder, pictures), out, encoder, record, batch=batch)

    extracting, looping, encoding = time_best(run_extract, run_bare_loop, run_network, repeats=repeats)
    speed = n / extracting
    return [
        Row("extract", speed, "bare loop: open, prepare, encode", n / looping, at_least=WANTED, unit="pictures/s"),
        Row("extract", speed, "the network alone, pictures in memory", n / encoding, unit="pictures/s"),
    ]
