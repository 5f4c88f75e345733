"""Messages over a WebSocket until the page leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from fastapi import WebSocket, WebSocketDisconnect

from sparring.server.messages import ApiMessage


async def send_until_left(
    socket: WebSocket, first: ApiMessage, following: Callable[[], Awaitable[ApiMessage]]
) -> None:
    """Sends a message at once, then each message of `following`, until the page leaves.

    What the page sends is ignored.
    """
    leaving = asyncio.create_task(_until_left(socket))
    coming: asyncio.Future[ApiMessage] | None = None
    try:
        await socket.send_text(first.model_dump_json())
        while not leaving.done():
            coming = asyncio.ensure_future(following())
            await asyncio.wait([leaving, coming], return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                await socket.send_text(coming.result().model_dump_json())
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        leaving.cancel()
        if coming is not None:
            coming.cancel()


async def _until_left(socket: WebSocket) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
