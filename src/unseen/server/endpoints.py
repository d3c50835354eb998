"""Answer requests: read them, think in a thread, and write."""

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unseen.confidence import Answers
from unseen.server.answers import write_answers, write_classes, write_explanation, write_json
from unseen.server.batching import Batcher
from unseen.server.errors import explain_input
from unseen.server.metrics import Metrics
from unseen.server.openapi import describe_server
from unseen.server.requests.asked import Asked, read_asked
from unseen.server.requests.body import read_body
from unseen.server.requests.options import make_options, read_json
from unseen.server.service import Question, Service
from unseen.server.waiting import TimeLimit, run_in
from unseen.utils.errors import InputError

T = TypeVar("T")

# Bodies up to this size are read at once; others in a thread, so that they do not keep the rest waiting.
_SMALL = 2**16
_PREDICT = ("classes", "groups", "only", "top", "abstain")
_EXPLAIN = ("classes", "top", "row", "class")


class Endpoints:
    """The addresses of a server.

    Parameters
    ----------
    service : Service
    metrics : Metrics
    """

    def __init__(self, service: Service, metrics: Metrics) -> None:
        self._service = service
        self._metrics = metrics
        self._scoring = ThreadPoolExecutor(1, "scoring")
        # One for pictures, which keep several cores busy by themselves, and one for the rest.
        self._encoding = ThreadPoolExecutor(1, "encoding")
        self._thinking = ThreadPoolExecutor(1, "thinking")
        self._batcher: Batcher[Question, Answers] = Batcher(self._answer, self._scoring, service.limits.rows)
        self._description = write_json(describe_server(service))

    def routes(self) -> list[Route]:
        """Return the routes of the application."""
        return [
            Route("/predict", self.predict, methods=["POST"]),
            Route("/explain", self.explain, methods=["POST"]),
            Route("/classes", self.show_classes, methods=["GET", "POST"]),
            Route("/healthz", self.tell_health, methods=["GET"]),
            Route("/metrics", self.show_metrics, methods=["GET"]),
            Route("/openapi.json", self.describe, methods=["GET"]),
        ]

    def close(self) -> None:
        """Wait for what runs, and end the threads."""
        for executor in (self._scoring, self._encoding, self._thinking):
            executor.shutdown()

    async def predict(self, request: Request) -> Response:
        """Answer `POST /predict`."""
        asked = await self._read(request, _PREDICT)
        async with self._time_limit():
            found = await self._find_rows(asked)
            question = await self._think(self._weigh(asked), self._service.ask, asked, found.rows)
            key = object() if self._service.together else question.key
            with explain_input("rows"):
                answers = await self._batcher.ask(question, key, len(question.X))
            self._metrics.rows += len(question.X)
            write = functools.partial(write_answers, self._service, question, answers, found.rows.names)
            return _respond(await self._think(len(question.X) * question.top, write, found.unreadable))

    async def explain(self, request: Request) -> Response:
        """Answer `POST /explain`."""
        asked = await self._read(request, _EXPLAIN)
        async with self._time_limit():
            executor = self._encoding if asked.pictures else self._thinking
            found, top = await run_in(executor, self._service.explain, asked)
            return _respond(write_explanation(found, top))

    async def show_classes(self, request: Request) -> Response:
        """Answer `GET /classes`, the candidates by default, and `POST`, how others are understood: nothing is kept."""
        if request.method != "POST":
            return _respond(write_classes(self._service, self._service.candidates.default.table))
        value = read_json(await self._read_body(request))
        with explain_input():
            if not isinstance(value, dict) or "classes" not in value:
                raise InputError("classes is missing: send an object with the field classes")
            options = make_options(value, ("classes",))
        async with self._time_limit():
            found = await run_in(self._thinking, self._service.candidates.find, options.classes)
            return _respond(write_classes(self._service, found.table))

    async def tell_health(self, request: Request) -> Response:
        """Answer `GET /healthz`."""
        return _respond(b'{"status":"ok"}')

    async def show_metrics(self, request: Request) -> Response:
        """Answer `GET /metrics`."""
        return Response(self._metrics.to_text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def describe(self, request: Request) -> Response:
        """Answer `GET /openapi.json`."""
        return _respond(self._description)

    async def _read(self, request: Request, allowed: tuple[str, ...]) -> Asked:
        body = await self._read_body(request)
        kind, query = request.headers.get("content-type", ""), request.query_params.multi_items()
        read = functools.partial(read_asked, kind, body, query, allowed)
        return await self._think(len(body), read, self._service.limits)

    async def _read_body(self, request: Request) -> bytes:
        return await read_body(request.stream(), request.headers.get("content-length"), self._service.limits)

    async def _find_rows(self, asked: Asked) -> Any:
        if asked.pictures:
            self._metrics.pictures += len(asked.pictures)
            return await run_in(self._encoding, self._service.find_rows, asked)
        return await self._think(self._weigh(asked), self._service.find_rows, asked)

    def _weigh(self, asked: Asked) -> int:
        """Return about how many bytes have to be looked at."""
        numbers = len(asked.options.classes or ()) * self._service.candidates.known.width
        if asked.options.groups is not None:
            numbers += sum(map(len, asked.options.groups.members.values()))
        return 8 * (numbers + (0 if asked.rows is None else asked.rows.X.size))

    async def _think(self, size: int, function: Callable[..., T], *arguments: Any) -> T:
        """Run a function here if it is quick, and in a thread otherwise."""
        return function(*arguments) if size <= _SMALL else await run_in(self._thinking, function, *arguments)

    def _answer(self, questions: Any) -> Any:
        self._metrics.count_batch(len(questions))
        return self._service.answer(questions)

    def _time_limit(self) -> TimeLimit:
        return TimeLimit(self._service.limits.seconds)


def _respond(content: bytes) -> Response:
    return Response(content, media_type="application/json")
