"""Wait for threads, but not for ever."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

from unseen.server.errors import RequestError

T = TypeVar("T")


class TimeLimit:
    """Answer 503 if a block takes too long: ``async with TimeLimit(30): ...``."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, *raised: Any) -> None:
        try:
            await self._timeout.__aexit__(*raised)
        except TimeoutError:
            raise RequestError(
                503,
                "too_slow",
                f"the answer was not there within {self._seconds:g} seconds: ask for less, or try again later",
                headers={"Retry-After": "1"},
            ) from None


async def run_in(executor: Executor, function: Callable[..., T], *arguments: Any) -> T:
    """Run a function in a thread, and wait for what it returns."""
    return await asyncio.get_running_loop().run_in_executor(executor, function, *arguments)
