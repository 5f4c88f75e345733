"""What every request has: the host of the games, and the visitor."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from sparring.server.game_host import GameHost


def get_host(request: Request) -> GameHost:
    """The host of the application."""
    host: GameHost = request.app.state.host
    return host


def get_visitor(request: Request) -> str:
    """The visitor, by the cookie."""
    visitor: str = request.state.visitor
    return visitor


Host = Annotated[GameHost, Depends(get_host)]
Visitor = Annotated[str, Depends(get_visitor)]
