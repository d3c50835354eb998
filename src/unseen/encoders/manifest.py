"""Read and write `manifest.json`, which records the pictures and the encoder of a folder of features."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unseen.data.formats.extracted import MANIFEST, read_signed, sign
from unseen.data.formats.folder import CLASSES, LABELS, UNSEEN
from unseen.encoders.protocol import ImageEncoder
from unseen.utils.errors import InputError, shorten

FEATURES, PICTURES, UNREADABLE = "features.npy", "pictures.txt", "unreadable.txt"
# All files that `unseen extract` writes beside the manifest.
FILES = (FEATURES, LABELS, CLASSES, UNSEEN, PICTURES, UNREADABLE)


@dataclass(frozen=True)
class EncoderRecord:
    """What is needed to make an encoder again, and to check that it is the same.

    Attributes
    ----------
    name, whole : str and bool
        Arguments of `image_encoder`.
    weights : str or None
        The file that the weights were read from, if one was named.
    width, fingerprint : int and str
        Number of features and fingerprint of the encoder.
    """

    name: str
    fingerprint: str
    width: int
    weights: str | None = None
    whole: bool = False

    @classmethod
    def of(cls, encoder: ImageEncoder, weights: Path | None, whole: bool) -> "EncoderRecord":
        """Make the record of an encoder."""
        place = None if weights is None else str(weights.resolve())
        return cls(encoder.name, encoder.fingerprint, encoder.width, place, whole)

    @classmethod
    def from_dict(cls, values: Any, where: str) -> "EncoderRecord":
        """Make a record from the result of `as_dict`."""
        try:
            found = cls(**values)
            kinds = (
                (found.name, str),
                (found.fingerprint, str),
                (found.width, int),
                (found.weights, str | None),
                (found.whole, bool),
            )
            if not all(isinstance(value, kind) for value, kind in kinds):
                raise TypeError("values of wrong types")
        except TypeError as error:
            raise InputError(f"{where} does not describe an encoder ({error}): make it again") from error
        return found

    @property
    def file(self) -> Path | None:
        """The file on this machine that the weights were read from; None for those in a cache or a package."""
        is_path = self.weights is None and self.name.casefold().endswith(".onnx")
        place = self.name if is_path else self.weights
        return None if place is None else Path(place)

    def as_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Manifest:
    """The pictures, the encoder and the files of a folder of features.

    Attributes
    ----------
    folder, root : str
        The folder of pictures as the user named it, and the folder that the paths are relative to.
    encoder : EncoderRecord
        The record of the encoder.
    pictures : dict of str to str
        Path and SHA-256 of the picture of each row, in the order of the rows.
    unreadable : dict of str to str
        Path of each picture that has no row, and the reason.
    files : dict of str to str
        Name and SHA-256 of each file that was written, except the manifest itself.
    """

    folder: str
    root: str
    encoder: EncoderRecord
    pictures: dict[str, str]
    unreadable: dict[str, str]
    files: dict[str, str]

    def as_text(self) -> str:
        """Return the manifest as JSON, with a digest of its content."""
        return sign(asdict(self))


def read_manifest(folder: Path) -> Manifest | None:
    """Read the manifest of a folder; return None if it has none."""
    path = folder / MANIFEST
    found = read_signed(path)
    if found is None:
        return None
    try:
        encoder = EncoderRecord.from_dict(found["encoder"], str(path))
        maps = [_as_texts(found[key]) for key in ("pictures", "unreadable", "files")]
        manifest = Manifest(str(found["folder"]), str(found["root"]), encoder, *maps)
    except InputError:
        raise
    except (ValueError, LookupError, TypeError) as error:
        raise InputError(f"{path} is damaged ({type(error).__name__}: {error}): extract again with --force") from error
    other = [name for name in manifest.files if name not in FILES]
    if other:  # such names might lead anywhere
        raise InputError(f"{path} names {shorten(other)}, which `unseen extract` does not write: extract elsewhere")
    return manifest


def _as_texts(values: Any) -> dict[str, str]:
    found = dict(values)
    if not all(isinstance(text, str) for pair in found.items() for text in pair):
        raise TypeError("values of wrong types")
    return found
