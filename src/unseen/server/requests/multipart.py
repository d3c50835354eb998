"""Take a multipart body apart in memory; the parsers of web frameworks write large parts to files."""

from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser

from unseen.server.errors import RequestError

# RFC 2046 allows 70 characters.
_LONGEST_BOUNDARY = 70


@dataclass(frozen=True)
class Part:
    """A part of a multipart body.

    Attributes
    ----------
    name : str
        Name of the field.
    filename : str or None
        Name of the file that the client sends, if it is one.
    content_type : str
        Type of the content.
    content : bytes
    """

    name: str
    filename: str | None
    content_type: str
    content: bytes


def read_content_type(header: str) -> Message:
    """Return a message whose methods tell the type and its parameters.

    >>> read_content_type("multipart/form-data; boundary=x").get_param("boundary")
    'x'
    """
    message = Message()
    message["Content-Type"] = header
    return message


def split_multipart(body: bytes, content_type: str, most: int) -> list[Part]:
    """Return the parts of a body.

    Parameters
    ----------
    body : bytes
    content_type : str
        The header, which has the boundary between the parts.
    most : int
        Number of parts that are taken.
    """
    boundary = read_content_type(content_type).get_param("boundary")
    if not isinstance(boundary, str) or not 0 < len(boundary) <= _LONGEST_BOUNDARY or not boundary.isascii():
        raise _malformed(f"its boundary is {boundary!r}")
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary.encode("ascii"), most + 2)
    if len(pieces) > most + 2:
        raise RequestError(413, "too_large", f"the body has more than {most:,} parts: send fewer at a time")
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise _malformed("its last boundary is missing")
    return [_read_part(piece) for piece in pieces[1:-1]]


def _read_part(piece: bytes) -> Part:
    padding, line, rest = piece.partition(b"\r\n")
    # A part without headers begins with the empty line at once.
    head, blank, content = (b"\r\n" + rest).partition(b"\r\n\r\n")
    if padding.strip() or not line or not blank:
        raise _malformed("a part has no headers")
    headers = BytesHeaderParser().parsebytes(head.removeprefix(b"\r\n"))
    name = headers.get_param("name", header="Content-Disposition")
    if not isinstance(name, str) or not name:
        raise _malformed("a part has no name")
    return Part(name, headers.get_filename(), headers.get_content_type(), content)


def _malformed(reason: str) -> RequestError:
    return RequestError(
        400, "malformed", f"the body is not multipart/form-data ({reason}): let your HTTP library write it"
    )
