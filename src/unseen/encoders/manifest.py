"""`manifest.json`: which pictures a folder of features was made of, and by which encoder."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unseen.data.formats.extracted import MANIFEST, read_signed, sign
from unseen.data.formats.folder import CLASSES, LABELS, UNSEEN
from unseen.encoders.protocol import ImageEncoder
from unseen.utils.errors import InputError, shorten

FEATURES, PICTURES, UNREADABLE = "features.npy", "pictures.txt", "unreadable.txt"
# All that `unseen extract` writes beside the manifest.
FILES = (FEATURES, LABELS, CLASSES, UNSEEN, PICTURES, UNREADABLE)


@dataclass(frozen=True)
class EncoderRecord:
    """What is needed to make the same encoder again, and to tell whether it is the same.

    Attributes
    ----------
    name, whole : str and bool
        As `image_encoder` takes them.
    weights : str or None
        The file that the weights were read from, where one was named.
    width, fingerprint : int and str
        Of the encoder.
    """

    name: str
    fingerprint: str
    width: int
    weights: str | None = None
    whole: bool = False

    @classmethod
    def of(cls, encoder: ImageEncoder, weights: Path | None, whole: bool) -> "EncoderRecord":
        """Describe an encoder."""
        place = None if weights is None else str(weights.resolve())
        return cls(encoder.name, encoder.fingerprint, encoder.width, place, whole)

    @classmethod
    def from_dict(cls, values: Any, where: str) -> "EncoderRecord":
        """Read what `as_dict` wrote."""
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

    def as_dict(self) -> dict[str, Any]:
        """Return it in plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Manifest:
    """What a folder of features was made of.

    Attributes
    ----------
    folder, root : str
        Of the pictures, as it was named, and where their paths begin.
    encoder : EncoderRecord
        What encoded them.
    pictures : dict of str to str
        Path of each row's picture and its SHA-256, in the order of the rows.
    unreadable : dict of str to str
        Path of each picture that has no row, and why.
    files : dict of str to str
        Name and SHA-256 of each file that was written, features and all, but for the manifest itself.
    """

    folder: str
    root: str
    encoder: EncoderRecord
    pictures: dict[str, str]
    unreadable: dict[str, str]
    files: dict[str, str]

    def as_text(self) -> str:
        """Return it as JSON, with a digest of itself."""
        return sign(asdict(self))


def read_manifest(folder: Path) -> Manifest | None:
    """Read the manifest of a folder; None where it has none."""
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
    if other:  # which might lie anywhere
        raise InputError(f"{path} names {shorten(other)}, which `unseen extract` does not write: extract elsewhere")
    return manifest


def _as_texts(values: Any) -> dict[str, str]:
    found = dict(values)
    if not all(isinstance(text, str) for pair in found.items() for text in pair):
        raise TypeError("values of wrong types")
    return found
