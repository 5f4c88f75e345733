"""The web application: the HTTP API, its WebSockets, and the files of the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles

import sparring
from sparring.server.catalogue import GameOffer, catalogue
from sparring.server.game_host import GameHost
from sparring.server.game_store import GameStore
from sparring.server.messages import (
    GameSummary,
    GameView,
    HintView,
    NewGame,
    PlayMove,
    Points,
    PositionView,
    Refusal,
    TakeBack,
)
from sparring.server.opponents import Opponents
from sparring.server.refusal import Refused
from sparring.server.security import Access, Guard

_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": text}
    for status, text in {
        404: "There is no such game of this visitor.",
        409: "Not possible now. Nothing changed.",
        422: "A value that cannot be used. Nothing changed.",
        429: "Too many games.",
    }.items()
}
RecordFormat = Annotated[str, Query(alias="format", max_length=8, description="Such as pgn, sgf or kif.")]
WaitSeconds = Annotated[float, Query(ge=0, le=60, description="Seconds to wait for the opponent's answer.")]


def create_app(store: Path | str, access: Access, page: Path | None, threads: int = 1) -> FastAPI:
    """The application.

    Args:
        store: the SQLite file of games.
        page: folder of the built page; None serves the API alone.
        threads: threads of each network.

    Raises BadStore.
    """
    opponents = Opponents(threads)
    games = GameStore(store)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.host = GameHost(games, opponents)
        try:
            yield
        finally:
            await app.state.host.close()

    app = FastAPI(
        title="Sparring",
        version=sparring.__version__,
        summary="Play and study games against human-like opponents.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.add_middleware(Guard, access=access)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    _add_routes(app, opponents)
    if page is not None:
        app.mount("/", StaticFiles(directory=page, html=True), name="page")
    return app


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


def _add_routes(app: FastAPI, opponents: Opponents) -> None:
    @lru_cache(maxsize=1)
    def offers() -> list[GameOffer]:
        return catalogue(opponents)

    @app.get("/api/catalogue", tags=["play"])
    async def list_offers(host: Host) -> list[GameOffer]:
        """The games, their options and their opponents."""
        return await host.run(offers)

    @app.get("/api/games", tags=["play"])
    async def list_games(
        host: Host, visitor: Visitor, count: Annotated[int, Query(ge=1, le=200)] = 50
    ) -> list[GameSummary]:
        """The visitor's games, the latest first."""
        return await host.recent(visitor, count)

    @app.post("/api/games", status_code=201, tags=["play"], responses=_REFUSALS)
    async def new_game(wanted: NewGame, host: Host, visitor: Visitor) -> GameView:
        """Begins a game."""
        return await host.create(visitor, wanted)

    @app.get("/api/games/{game_id}", tags=["play"], responses=_REFUSALS)
    async def get_game(game_id: str, host: Host, visitor: Visitor) -> GameView:
        """A game as the person sees it."""
        return await host.view(await host.find(visitor, game_id))

    @app.delete("/api/games/{game_id}", status_code=204, tags=["play"], responses=_REFUSALS)
    async def delete_game(game_id: str, host: Host, visitor: Visitor) -> Response:
        """Deletes a game."""
        await host.delete(visitor, game_id)
        return Response(status_code=204)

    @app.post("/api/games/{game_id}/moves", tags=["play"], responses=_REFUSALS)
    async def play_move(
        game_id: str, played: PlayMove, host: Host, visitor: Visitor, wait: WaitSeconds = 0
    ) -> GameView:
        """Plays a move; in hidden games also a sense."""
        return await host.change(visitor, game_id, lambda game: game.play(played.move, played.ply), wait)

    @app.post("/api/games/{game_id}/undo", tags=["play"], responses=_REFUSALS)
    async def take_back(game_id: str, back: TakeBack, host: Host, visitor: Visitor) -> GameView:
        """Takes moves back."""
        return await host.change(visitor, game_id, lambda game: game.take_back(back.count))

    @app.post("/api/games/{game_id}/resign", tags=["play"], responses=_REFUSALS)
    async def resign(game_id: str, host: Host, visitor: Visitor) -> GameView:
        """Resigns the game."""
        return await host.change(visitor, game_id, lambda game: game.resign())

    @app.post("/api/games/{game_id}/draw", tags=["play"], responses=_REFUSALS)
    async def draw(game_id: str, host: Host, visitor: Visitor) -> GameView:
        """Claims, accepts or offers a draw."""
        return await host.change(visitor, game_id, lambda game: game.propose_draw())

    @app.get("/api/games/{game_id}/hint", tags=["play"], responses=_REFUSALS)
    async def hint(game_id: str, host: Host, visitor: Visitor) -> HintView:
        """The likeliest move of a player like the opponent."""
        return await host.ask(visitor, game_id, lambda game: game.hint())

    @app.post("/api/games/{game_id}/dead", tags=["play"], responses=_REFUSALS)
    async def mark_dead(game_id: str, marked: Points, host: Host, visitor: Visitor) -> GameView:
        """Marks stones as dead, or as alive again."""
        return await host.change(visitor, game_id, lambda game: game.mark(marked.points))

    @app.post("/api/games/{game_id}/agree", tags=["play"], responses=_REFUSALS)
    async def agree(game_id: str, host: Host, visitor: Visitor) -> GameView:
        """Agrees on the dead stones: the game is over."""
        return await host.change(visitor, game_id, lambda game: game.agree())

    @app.post("/api/games/{game_id}/resume", tags=["play"], responses=_REFUSALS)
    async def resume(game_id: str, host: Host, visitor: Visitor) -> GameView:
        """Plays on instead of counting."""
        return await host.change(visitor, game_id, lambda game: game.resume())

    @app.get("/api/games/{game_id}/positions/{ply}", tags=["play"], responses=_REFUSALS)
    async def position(game_id: str, ply: int, host: Host, visitor: Visitor) -> PositionView:
        """The board after some moves."""
        return await host.ask(visitor, game_id, lambda game: game.position_view(ply))

    @app.get(
        "/api/games/{game_id}/record",
        tags=["play"],
        responses={**_REFUSALS, 200: {"content": {"text/plain": {}}}},
        response_class=PlainTextResponse,
    )
    async def record(
        game_id: str,
        host: Host,
        visitor: Visitor,
        suffix: RecordFormat,
    ) -> PlainTextResponse:
        """The game as a file."""
        text = await host.ask(visitor, game_id, lambda game: game.record(suffix))
        name = f'attachment; filename="sparring-{game_id}.{suffix}"'
        return PlainTextResponse(text, headers={"Content-Disposition": name})

    @app.websocket("/api/games/{game_id}/live")
    async def live(socket: WebSocket, game_id: str) -> None:
        """Sends the game at once, and again after every change. The clock runs while somebody follows."""
        host: GameHost = socket.app.state.host
        await socket.accept()
        try:
            hosted = await host.find(socket.state.visitor, game_id)
        except Refused as refusal:
            await socket.close(1008, str(refusal))
            return
        queue = host.follow(hosted)
        try:
            await host.find(socket.state.visitor, game_id)  # a watched game goes on
            await socket.send_text((await host.view(hosted)).model_dump_json())
            leaving = asyncio.create_task(_until_left(socket))
            while not leaving.done():
                coming = asyncio.create_task(queue.get())
                await asyncio.wait([leaving, coming], return_when=asyncio.FIRST_COMPLETED)
                if coming.done():
                    await socket.send_text(coming.result().model_dump_json())
                else:
                    coming.cancel()
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            host.unfollow(hosted, queue)


async def _until_left(socket: WebSocket) -> None:
    """Reads and ignores what the page sends, until it leaves."""
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return


async def _refused(request: Request, error: Exception) -> JSONResponse:
    status = error.status if isinstance(error, Refused) else 500
    return JSONResponse({"detail": str(error)}, status)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    """One sentence for a request that does not fit its message."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return JSONResponse({"detail": f"{where[:100]}: {first['msg']}"}, 422)
