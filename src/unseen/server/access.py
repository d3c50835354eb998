"""Decide who may ask: the token, and the checks that keep web pages away from a server on this machine."""

import hmac
import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from unseen.server.errors import RequestError
from unseen.utils.errors import InputError

# The environment variable that holds the token, where other users of the machine cannot read it.
TOKEN = "UNSEEN_TOKEN"
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach a server at this host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Access:
    """Who may ask.

    Parameters
    ----------
    host : str
        The host that the server listens at. One that other machines can reach needs a token.
    token : str, optional
        Text that every request has to show, as ``Authorization: Bearer TOKEN``.
    """

    def __init__(self, host: str, token: str | None = None) -> None:
        if not is_loopback(host) and not token:
            raise InputError(
                f"host={host} can be reached from other machines, so it needs a token: set {TOKEN} in the environment "
                "(or --token), or stay at 127.0.0.1"
            )
        if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token and token):
            raise InputError("token is empty or has characters that a header cannot hold: use letters and digits")
        self._token = None if token is None else token.encode("ascii")
        self._names = {*_LOCAL_NAMES, host.casefold()} if is_loopback(host) else None

    def __repr__(self) -> str:
        return f"<Access: {'this machine' if self._names else 'all machines'}, {'a' if self._token else 'no'} token>"

    @property
    def token(self) -> str | None:
        """The token, for a page that has to show it in turn."""
        return None if self._token is None else self._token.decode("ascii")

    def check(self, headers: Mapping[str, str], *, open_to_all: bool = False, shown: str | None = None) -> None:
        """Refuse a request that may not be answered.

        Parameters
        ----------
        headers : mapping of str to str
            Headers of the request, by names in lower case.
        open_to_all : bool, default False
            Whether a token is not needed.
        shown : str, optional
            A token that the address itself shows, because browsers send no header with it.
        """
        self._check_host(headers.get("host", ""))
        _check_origin(headers)
        if self._token is not None and not open_to_all:
            self._check_token(headers.get("authorization", "") if shown is None else f"Bearer {shown}")

    def _check_host(self, host: str) -> None:
        # A page of the web can give its own name the address 127.0.0.1 (DNS rebinding), but not change this header.
        if self._names is not None and _host_name(host) not in self._names:
            raise RequestError(
                421,
                "wrong_host",
                f"Host {host!r} is not this machine: ask for http://127.0.0.1 or http://localhost with the port",
            )

    def _check_token(self, given: str) -> None:
        scheme, _, shown = given.partition(" ")
        right = hmac.compare_digest(shown.strip().encode("utf-8", "surrogateescape"), self._token or b"")
        if scheme.casefold() != "bearer" or not right:
            raise RequestError(
                401,
                "unauthorized",
                "the token is missing or wrong: send it as 'Authorization: Bearer TOKEN'",
                headers={"WWW-Authenticate": "Bearer"},
            )


def _check_origin(headers: Mapping[str, str]) -> None:
    # Browsers send some requests of other pages without asking first, and say so here; programs send neither header.
    origin = headers.get("origin")
    foreign = headers.get("sec-fetch-site") == "cross-site"
    if foreign or (origin is not None and urlsplit(origin).netloc != headers.get("host")):
        raise RequestError(403, "wrong_origin", "the request comes from a page of another site: it is not answered")


def _host_name(host: str) -> str:
    """Return the name in a Host header.

    >>> _host_name("localhost:8000"), _host_name("[::1]:8000")
    ('localhost', '::1')
    """
    try:
        return (urlsplit(f"//{host}").hostname or "").casefold()
    except ValueError:
        return ""
