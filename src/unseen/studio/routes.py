"""Serve the pages of a studio, and answer what they ask."""

import functools
import secrets
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unseen.server.access import Access
from unseen.server.answers import write_json
from unseen.server.app import make_app as make_server_app
from unseen.server.errors import RequestError
from unseen.server.gate import Gate
from unseen.server.requests.body import read_body
from unseen.server.requests.options import read_json
from unseen.server.service import Service
from unseen.server.waiting import TimeLimit, run_in
from unseen.studio.asking import OpenPage, StudioServer
from unseen.studio.session import Studio
from unseen.utils.errors import InputError

# Pages whose rows and models are remembered; an older one has to be opened again.
MOST_PAGES = 16
# The page may not be put into another one, nor kept, nor tell others where it was opened.
_HEADERS = {"X-Frame-Options": "DENY", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
# The fields that each function takes.
_FIELDS = {
    "rows": ("features",),
    "text": ("text",),
    "scores": ("classes", "rows"),
    "refine": ("marks", "classes", "added"),
    "model": ("classes", "refined"),
}


def make_app(studio: Studio, service: Service, access: Access) -> Gate:
    """Return the application of a studio: its page at ``/``, what the page asks, and all that `unseen serve` answers.

    Parameters
    ----------
    studio : Studio
    service : Service
        The model of the studio.
    access : Access
    """
    return make_server_app(service, access, _Routes(studio, service, access).routes(), pages=["/"])


class _Routes:
    def __init__(self, studio: Studio, service: Service, access: Access) -> None:
        self._server = StudioServer(studio, service)
        self._limits = service.limits
        # One thing at a time: what pages ask for is long, and changes what belongs to them.
        self._executor = ThreadPoolExecutor(1, "studio")
        self._pages: OrderedDict[str, OpenPage] = OrderedDict()
        # Written once, with a mark where each page has its own address.
        self._mark = secrets.token_hex(16)
        announced = {"base": f"/studio/{self._mark}", "functions": self._server.functions, "token": access.token}
        self._write = functools.cache(lambda: studio.page(server=announced))

    def routes(self) -> list[Route]:
        functions = {
            "rows": lambda page, asked: {"rows": self._server.add_rows(page, asked.get("features"))},
            "text": lambda page, asked: {"description": self._server.describe(asked.get("text"))},
            "scores": lambda page, asked: {"scores": self._server.score(asked.get("classes"), asked.get("rows"))},
            "refine": lambda page, asked: self._server.refine(page, **{"marks": None} | asked),
            "model": lambda page, asked: self._server.write_model(page, **{"classes": None} | asked),
        }
        offered = [
            Route(f"/studio/{{page}}/{name}", functools.partial(self._answer, name, function), methods=["POST"])
            for name, function in functions.items()
            if name in self._server.functions
        ]
        if "pictures" in self._server.functions:
            offered.append(Route("/studio/{page}/pictures", self._take_picture, methods=["POST"]))
        return [Route("/", self._show, methods=["GET"]), *offered]

    async def _show(self, request: Request) -> Response:
        page = await run_in(self._executor, self._write)
        name = secrets.token_hex(16)
        self._pages[name] = OpenPage()
        while len(self._pages) > MOST_PAGES:
            self._pages.popitem(last=False)
        return Response(page.replace(self._mark, name), media_type="text/html", headers=_HEADERS)

    async def _take_picture(self, request: Request) -> Response:
        page = self._find_page(request)
        if not request.headers.get("content-type", "").startswith("image/"):
            raise RequestError(415, "unsupported_media_type", "this is not a picture: drop a picture file")
        name = unquote(request.headers.get("x-name", "picture"), errors="replace")
        content = await self._read(request)
        async with TimeLimit(self._limits.seconds):
            row = await run_in(self._executor, self._server.add_picture, page, name, content)
        return Response(write_json(row), media_type="application/json")

    async def _answer(
        self, name: str, function: Callable[[OpenPage, dict[str, Any]], Any], request: Request
    ) -> Response:
        page = self._find_page(request)
        asked = read_json(await self._read(request))
        if not isinstance(asked, dict) or not asked.keys() <= set(_FIELDS[name]):
            raise InputError(f"the body is not an object with the fields {', '.join(_FIELDS[name])}: send one")
        async with TimeLimit(self._limits.seconds):
            found = await run_in(self._executor, function, page, asked)
        if isinstance(found, bytes):
            return Response(found, media_type="application/octet-stream")
        return Response(write_json(found), media_type="application/json")

    async def _read(self, request: Request) -> bytes:
        return await read_body(request.stream(), request.headers.get("content-length"), self._limits)

    def _find_page(self, request: Request) -> OpenPage:
        name = request.path_params["page"]
        page = self._pages.get(name)
        if page is None:
            raise RequestError(404, "not_found", "this page is not known any more: load it again")
        self._pages.move_to_end(name)
        return page
