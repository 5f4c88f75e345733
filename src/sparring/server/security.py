"""Who may talk to the server: its own page and programs of this machine, or whoever has the token.

A page of another site must not drive the server through the person's browser. The Host header must name this
server, which refuses DNS rebinding, and the Origin of a request that changes something must be the server's.
Pages of other sites may not ask the API anything, as far as the browser says where a request comes from.

Without a token the games belong to the folder: there is one visitor, its owner. With one, each browser has a
cookie that says who it is. It gets the cookie with the page; the API is for those who have one.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import parse_qs

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from sparring.base.sentences import Sentence
from sparring.server.messages import Text, text_of

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
VISITOR_COOKIE = "sparring_visitor"
TOKEN_COOKIE = "sparring_token"
OWNER = "owner"
"""The visitor of a server without a token: whoever has the folder. No cookie can say so: it is too short."""
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_HEADER_SECONDS = 20.0
"""Time in which a connection must send the headers of a request."""
_HOST = re.compile(r"(?:(?P<name>[^][/@:?#\s\\]+)|\[(?P<ipv6>[0-9a-fA-F:.]+)\])(?::\d{1,5})?")
_POLICY_VIOLATION = 1008
"""Close code of WebSocket."""


@dataclass(frozen=True)
class Access:
    """The rules of access."""

    hosts: Collection[str] = LOCAL_HOSTS
    """Names in the Host header, without port."""
    token: str | None = None
    """Secret that every request must have; None if none is needed."""
    largest_body: int = 1 << 20
    """Bytes of a request's body."""
    largest_file: int = 1 << 25
    """Bytes of a body with a file of games, from which a person is made."""
    longest: float = 120.0
    """Seconds in which a request must be sent and answered."""


class TimedProtocol(H11Protocol):
    """HTTP of uvicorn that closes connections whose next request does not come in time. uvicorn itself waits
    without end for the first byte of a connection and for half a header."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(_HEADER_SECONDS, self._expire)

    def data_received(self, data: bytes) -> None:
        """Waits for the rest of the headers, or no longer."""
        super().data_received(data)
        if self._waits:
            self._deadline = self._deadline or self.loop.call_later(_HEADER_SECONDS, self._expire)
        else:
            self._end_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends waiting."""
        self._end_waiting()
        super().connection_lost(exc)

    @property
    def _waits(self) -> bool:
        """Whether no request is being answered, and no WebSocket has taken the connection over."""
        idle = self.cycle is None or self.cycle.response_complete
        return idle and self.transport.get_protocol() is self

    def _end_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        self._deadline = None
        if self._waits:
            self.transport.close()


class Guard:
    """ASGI middleware: refuses what `Access` does not allow, and says who asks: the owner, or a visitor
    with a cookie."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request or a WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        plain_send, send = send, _answering(send)
        if complaint := self._complaint(scope, headers):
            await _refuse(scope, receive, send, *complaint)
            return
        cookies = _cookies(headers)
        if self.access.token is not None:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if scope["type"] == "http" and scope["method"] == "GET" and given and self._is_token(given):
                answer = RedirectResponse("/", status_code=303)
                answer.set_cookie(TOKEN_COOKIE, given, httponly=True, samesite="strict")
                await answer(scope, receive, send)
                return
            bearer = headers.get("authorization", "").removeprefix("Bearer ")
            tokens = [bearer, *(value for name, value in cookies if name == TOKEN_COOKIE)]
            if not any(map(self._is_token, tokens)):
                message = Sentence("This server needs its token: open the address that it printed.")
                await _refuse(scope, receive, send, 401, message)
                return
        visitor, answering = OWNER, send
        if self.access.token is not None:
            own = (value for name, value in cookies if name == VISITOR_COOKIE and _is_visitor(value))
            visitor = next(own, "")
            if not visitor and scope["type"] == "http" and scope["path"] == "/":
                visitor = secrets.token_urlsafe(16)
                answering = _answering(plain_send, new_visitor=visitor)
            elif not visitor and scope["path"].startswith("/api/"):
                message = Sentence("Open the page first: it gives the cookie by which your games are yours.")
                await _refuse(scope, receive, send, 401, message)
                return
        scope.setdefault("state", {})["visitor"] = visitor
        await self._answer(scope, _limited(receive, self._largest(scope)), answering)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Calls the application. A request that takes too long is refused, unless its answer has begun."""
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            async with asyncio.timeout(self.access.longest):
                await self.app(scope, receive, watched)
        except TimeoutError:
            if not begun:
                message = Sentence(
                    "The request took longer than {seconds} seconds.", seconds=float(self.access.longest)
                )
                await refusal_response(text_of(message), 503)(scope, receive, send)

    def _complaint(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Status and message of a refusal."""
        host = headers.get("host", "")
        if _host_name(host) not in self.access.hosts:
            return 421, Sentence("This server does not have that name.")
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE_METHODS
        origin = headers.get("origin")
        own_origins = (f"http://{host}".lower(), f"https://{host}".lower())
        if changes and origin is not None and origin.lower() not in own_origins:
            return 403, Sentence("Requests from pages of other sites are refused.")
        private = changes or scope["path"].startswith("/api/")
        if private and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, Sentence("Requests from pages of other sites are refused.")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdecimal() or int(length) > self._largest(scope):
            return 413, _too_large(self._largest(scope))
        return None

    def _largest(self, scope: Scope) -> int:
        """Bytes that the body of a request may have."""
        takes_files = scope["path"] in ("/api/persons", "/api/persons/names")
        return self.access.largest_file if takes_files else self.access.largest_body

    def _is_token(self, text: str) -> bool:
        assert self.access.token is not None
        return secrets.compare_digest(text.encode(), self.access.token.encode())


def _too_large(largest: int) -> str:
    return Sentence("A request has at most {bytes} bytes.", bytes=f"{largest:,}")


def _limited(receive: Receive, largest: int) -> Receive:
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > largest:
                raise HTTPException(413, _too_large(largest))
        return message

    return limited


def _answering(send: Send, new_visitor: str | None = None) -> Send:
    """Adds the headers of security, and the cookie of a new visitor."""

    async def answering(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            if new_visitor is not None:
                headers.append(
                    "Set-Cookie",
                    f"{VISITOR_COOKIE}={new_visitor}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000",
                )
        await send(message)

    return answering


def refusal_response(message: Text, status: int) -> JSONResponse:
    """The answer to a request that is refused. The message may quote any text of the request."""
    return JSONResponse({"detail": message.text, "text": message.model_dump()}, status)


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, message: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": message})
        return
    await refusal_response(text_of(message), status)(scope, receive, send)


def _host_name(host: str) -> str:
    """The name in a Host header, without port and brackets; empty if the header is malformed."""
    match = _HOST.fullmatch(host)
    return "" if match is None else (match["name"] or match["ipv6"]).lower()


def _cookies(headers: Headers) -> list[tuple[str, str]]:
    """Names and values as browsers send them. Programs on other ports of this host share the cookies: theirs
    may have any form."""
    pairs = (part.partition("=") for line in headers.getlist("cookie") for part in line.split(";"))
    return [(name.strip(), value.strip()) for name, equals, value in pairs if equals]


def _is_visitor(text: str) -> bool:
    return 16 <= len(text) <= 64 and text.replace("-", "").replace("_", "").isalnum() and text.isascii()
