"""Who may talk to the server: its own page and programs of this machine, or whoever has the token.

A page of another site must not drive the server through the person's browser. The Host header must name this
server, which refuses DNS rebinding, and the Origin of a request that changes something must be the server's.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
VISITOR_COOKIE = "sparring_visitor"
TOKEN_COOKIE = "sparring_token"
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
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
    longest: float = 120.0
    """Seconds in which a request must be sent and answered."""


class Guard:
    """ASGI middleware: refuses what `Access` does not allow, and gives each visitor a cookie."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request or a WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if complaint := self._complaint(scope, headers):
            await _refuse(scope, receive, send, *complaint)
            return
        cookies = _cookies(headers)
        if self.access.token is not None:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if scope["type"] == "http" and scope["method"] == "GET" and given and self._is_token(given):
                answer = RedirectResponse(scope["path"], status_code=303)
                answer.set_cookie(TOKEN_COOKIE, given, httponly=True, samesite="strict")
                await answer(scope, receive, send)
                return
            bearer = headers.get("authorization", "").removeprefix("Bearer ")
            if not self._is_token(bearer) and not self._is_token(cookies.get(TOKEN_COOKIE, "")):
                message = "This server needs its token: open the address that it printed."
                await _refuse(scope, receive, send, 401, message)
                return
        visitor = cookies.get(VISITOR_COOKIE, "")
        new = not _is_visitor(visitor)
        scope.setdefault("state", {})["visitor"] = secrets.token_urlsafe(16) if new else visitor
        await self._answer(scope, _limited(receive, self.access.largest_body), _answering(scope, send, new))

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
                message = f"The request took longer than {self.access.longest:g} seconds."
                await JSONResponse({"detail": message}, 503)(scope, receive, send)

    def _complaint(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Status and message of a refusal."""
        host = headers.get("host", "")
        if _host_name(host) not in self.access.hosts:
            return 421, "This server does not have that name."
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE_METHODS
        origin = headers.get("origin")
        if changes and origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return 403, "Requests from pages of other sites are refused."
        if changes and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "Requests from pages of other sites are refused."
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdecimal() or int(length) > self.access.largest_body:
            return 413, _too_large(self.access.largest_body)
        return None

    def _is_token(self, text: str) -> bool:
        assert self.access.token is not None
        return secrets.compare_digest(text.encode(), self.access.token.encode())


def _too_large(largest: int) -> str:
    return f"A request has at most {largest:,} bytes."


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


def _answering(scope: Scope, send: Send, new_visitor: bool) -> Send:
    """Adds the headers of security, and the cookie of a new visitor."""

    async def answering(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            if new_visitor:
                visitor = scope["state"]["visitor"]
                headers.append(
                    "Set-Cookie",
                    f"{VISITOR_COOKIE}={visitor}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000",
                )
        await send(message)

    return answering


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, message: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": message})
        return
    await JSONResponse({"detail": message}, status)(scope, receive, send)


def _host_name(host: str) -> str:
    """The name in a Host header, without port and brackets."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _cookies(headers: Headers) -> dict[str, str]:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except Exception:  # cookies of other programs on this host may be anything
        return {}
    return {name: morsel.value for name, morsel in jar.items()}


def _is_visitor(text: str) -> bool:
    return 16 <= len(text) <= 64 and text.replace("-", "").replace("_", "").isalnum() and text.isascii()
