"""Answer requests that wait at the same time together, in one product."""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class _Waiting(Generic[Asked, Answer]):
    asked: Asked
    key: Hashable
    size: int
    future: "asyncio.Future[Answer]"


class Batcher(Generic[Asked, Answer]):
    """Collect what is asked while the last batch is being answered, and answer it as one batch.

    Nothing waits for company: what is asked while nobody else asks is answered at once.

    Parameters
    ----------
    answer : callable
        Function from a batch to its answers; an exception in place of an answer is raised where it was asked.
    executor : Executor
        Where it runs; one batch at a time.
    most : int
        Size of the largest batch. What is larger by itself is a batch of its own.
    """

    def __init__(
        self, answer: Callable[[Sequence[Asked]], Sequence[Answer | Exception]], executor: Executor, most: int
    ) -> None:
        self._answer = answer
        self._executor = executor
        self._most = most
        self._waiting: deque[_Waiting[Asked, Answer]] = deque()
        self._task: asyncio.Task[None] | None = None

    async def ask(self, asked: Asked, key: Hashable, size: int) -> Answer:
        """Wait for the answer.

        Parameters
        ----------
        asked : object
        key : hashable
            Only what has the same key is answered together.
        size : int
        """
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(asked, key, size, future))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while batch := self._take():
                answers: Sequence[Answer | Exception]
                try:
                    answers = await loop.run_in_executor(self._executor, self._answer, [one.asked for one in batch])
                except Exception as error:
                    answers = [error] * len(batch)
                for one, answer in zip(batch, answers, strict=True):
                    _settle(one.future, answer)
        finally:
            self._task = None

    def _take(self) -> list[_Waiting[Asked, Answer]]:
        """Take the request that waits longest, and the others with its key, up to the largest size."""
        batch: list[_Waiting[Asked, Answer]] = []
        left: deque[_Waiting[Asked, Answer]] = deque()
        size = 0
        for one in self._waiting:
            if one.future.done():  # its client has gone, or its time is up
                continue
            if not batch or (one.key == batch[0].key and size + one.size <= self._most):
                batch.append(one)
                size += one.size
            else:
                left.append(one)
        self._waiting = left
        return batch


def _settle(future: "asyncio.Future[Answer]", answer: Answer | Exception) -> None:
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
