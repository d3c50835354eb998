"""Encode pictures and texts as vectors."""

from unseen.encoders.encoding import Log, encode_contents, encode_in_batches
from unseen.encoders.extraction import Extracted, extract
from unseen.encoders.labelled import Labelled, label_pictures
from unseen.encoders.manifest import EncoderRecord, Manifest, read_manifest
from unseen.encoders.networks.preprocessing import Preprocessing
from unseen.encoders.pictures import Pictures, find_pictures, is_picture
from unseen.encoders.protocol import ImageEncoder, TextEncoder
from unseen.encoders.registry import IMAGE_ENCODERS, TEXT_ENCODERS, image_encoder, text_encoder

__all__ = [
    "IMAGE_ENCODERS",
    "TEXT_ENCODERS",
    "EncoderRecord",
    "Extracted",
    "ImageEncoder",
    "Labelled",
    "Log",
    "Manifest",
    "Pictures",
    "Preprocessing",
    "TextEncoder",
    "encode_contents",
    "encode_in_batches",
    "extract",
    "find_pictures",
    "image_encoder",
    "is_picture",
    "label_pictures",
    "read_manifest",
    "text_encoder",
]
