"""Read the body of a request into memory, within limits of size and time."""

import asyncio
from collections.abc import AsyncIterator

from unseen.server.errors import RequestError, refuse_more
from unseen.server.limits import Limits


async def read_body(chunks: AsyncIterator[bytes], length: str | None, limits: Limits) -> bytes:
    """Return the body.

    Parameters
    ----------
    chunks : async iterator of bytes
        What comes from the client.
    length : str or None
        The header Content-Length, which refuses a large body before it comes.
    limits : Limits
    """
    if length is not None and length.isdecimal():
        refuse_more(int(length), limits.body, "body", " bytes")
    found, size = [], 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for chunk in chunks:
                size += len(chunk)
                refuse_more(size, limits.body, "body", " bytes")
                found.append(chunk)
    except TimeoutError:
        raise RequestError(
            408,
            "timeout",
            f"the body did not come within {limits.body_seconds:g} seconds: send it faster, or less",
            headers={"Connection": "close"},
        ) from None
    return b"".join(found)
