"""Routes of games: playing, watching, saving."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from threading import Event
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Request, Response, WebSocket
from fastapi.responses import PlainTextResponse

from sparring.base.errors import Abandoned
from sparring.base.sentences import Sentence
from sparring.server.catalogue import GameOffer, catalogue
from sparring.server.game_host import GameHost, send_until_left, strength_view
from sparring.server.messages import (
    GameView,
    HintView,
    NewGame,
    PlayMove,
    Points,
    PositionView,
    ScoreView,
    StrengthView,
    TakeBack,
)
from sparring.server.page_game import PageGame, ReplayView
from sparring.server.refusal import REFUSALS, Refused

T = TypeVar("T")

# What every request has: the host of the games, and the visitor.


def of_app(name: str) -> Any:
    """The dependency of a route on a part of the application, by the name under which its state has it."""

    def part(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(part)


def get_visitor(request: Request) -> str:
    """The visitor, by the cookie."""
    visitor: str = request.state.visitor
    return visitor


Host = Annotated[GameHost, of_app("host")]
Visitor = Annotated[str, Depends(get_visitor)]


class Asker:
    """A visitor with a question. Its computation ends when the client closes the connection."""

    def __init__(self, request: Request) -> None:
        self.visitor = get_visitor(request)
        self._request = request
        self._host: GameHost = request.app.state.host

    async def answer(self, question: Callable[[Event], T]) -> T:
        """The answer to a question; its event is set when nobody waits for it. Raises Refused."""
        return await self._awaited(self._host.answer(self.visitor, question))

    async def ask(self, game_id: str, question: Callable[[PageGame, Event], T]) -> T:
        """The answer to a question about a game of the visitor. Raises Refused."""
        return await self._awaited(self._host.ask(self.visitor, game_id, question))

    async def _awaited(self, answer: Coroutine[Any, Any, T]) -> T:
        answering, leaving = asyncio.create_task(answer), asyncio.create_task(self._leave())
        try:
            await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                raise Abandoned(Sentence("Nobody waits for the answer."))
            return await answering
        finally:
            answering.cancel()
            leaving.cancel()

    async def _leave(self) -> None:
        """Returns when the client has closed the connection. The body has been read."""
        while (await self._request.receive())["type"] != "http.disconnect":
            pass


AskingVisitor = Annotated[Asker, Depends(Asker)]

RecordFormat = Annotated[str, Query(alias="format", max_length=8, description="Such as pgn, sgf or kif.")]
WaitSeconds = Annotated[float, Query(ge=0, le=60, description="Seconds to wait for the opponent's answer.")]

# A route that shows a game goes through `PageGame`, whose methods hide what a person must not see in blind
# chess.
router = APIRouter(prefix="/api", tags=["play"], responses=REFUSALS)


@router.get("/catalogue")
async def list_offers(host: Host) -> list[GameOffer]:
    """The games, their options and their opponents."""
    offers = await host.run(catalogue, host.opponents)
    host.time_levels()
    return offers


@router.get("/adaptive/{game}")
async def adaptive_strength(
    game: Annotated[str, Path(max_length=32)], host: Host, visitor: Visitor
) -> StrengthView:
    """The visitor's strength, by the results against opponents whose level adapts."""
    return await host.run(strength_view, host.store, visitor, game)


@router.post("/games", status_code=201)
async def new_game(wanted: NewGame, host: Host, visitor: Visitor) -> GameView:
    """Begins a game."""
    return await host.create(visitor, wanted)


@router.get("/games/{game_id}")
async def get_game(game_id: str, host: Host, visitor: Visitor) -> GameView:
    """A game as the person sees it."""
    return await host.view(await host.find(visitor, game_id))


@router.delete("/games/{game_id}", status_code=204)
async def delete_game(game_id: str, host: Host, visitor: Visitor) -> Response:
    """Deletes a game."""
    await host.delete(visitor, game_id)
    return Response(status_code=204)


@router.post("/games/{game_id}/moves")
async def play_move(
    game_id: str, played: PlayMove, host: Host, visitor: Visitor, wait: WaitSeconds = 0
) -> GameView:
    """Plays a move; in hidden games also a sense."""
    return await host.change(visitor, game_id, lambda game: game.live.play(played.move, played.ply), wait)


@router.post("/games/{game_id}/undo")
async def take_back(game_id: str, back: TakeBack, host: Host, visitor: Visitor) -> GameView:
    """Takes moves back."""
    return await host.change(visitor, game_id, lambda game: game.live.take_back(back.count))


@router.post("/games/{game_id}/resign")
async def resign(game_id: str, host: Host, visitor: Visitor) -> GameView:
    """Resigns the game."""
    return await host.change(visitor, game_id, lambda game: game.live.resign())


@router.post("/games/{game_id}/draw")
async def draw(game_id: str, host: Host, visitor: Visitor) -> GameView:
    """Claims, accepts or offers a draw."""
    return await host.change(visitor, game_id, lambda game: game.live.propose_draw())


@router.get("/games/{game_id}/hint")
async def hint(
    game_id: str, host: Host, asker: AskingVisitor, rating: Annotated[str | None, Query(max_length=16)] = None
) -> HintView:
    """The best move, and what people of a rating play; without a rating, people like the opponent."""
    return await asker.ask(game_id, lambda game, stop: game.hint(host.opponents, rating, stop))


@router.post("/games/{game_id}/dead")
async def mark_dead(game_id: str, marked: Points, host: Host, visitor: Visitor) -> GameView:
    """Marks stones as dead, or as alive again."""
    return await host.change(visitor, game_id, lambda game: game.live.mark(marked.points))


@router.post("/games/{game_id}/agree")
async def agree(game_id: str, host: Host, visitor: Visitor) -> GameView:
    """Agrees on the dead stones: the game is over."""
    return await host.change(visitor, game_id, lambda game: game.live.agree())


@router.post("/games/{game_id}/resume")
async def resume(game_id: str, host: Host, visitor: Visitor) -> GameView:
    """Plays on instead of counting."""
    return await host.change(visitor, game_id, lambda game: game.live.resume())


@router.get("/games/{game_id}/positions/{ply}")
async def position(game_id: str, ply: int, asker: AskingVisitor) -> PositionView:
    """The board after some moves."""
    return await asker.ask(game_id, lambda game, _: game.position_view(ply))


@router.get("/games/{game_id}/score/{ply}")
async def score(game_id: str, ply: int, asker: AskingVisitor) -> ScoreView:
    """Who is ahead after some moves of a game of Go, and who will own each point."""
    return await asker.ask(game_id, lambda game, _: game.score(ply))


@router.get("/games/{game_id}/replay")
async def replay(
    game_id: str, host: Host, asker: AskingVisitor, since: Annotated[int, Query(ge=0, le=100_000)] = 0
) -> ReplayView:
    """A finished hidden game with both sides' beliefs, from a step on. Ask again until it is done."""
    game_replay = await asker.ask(game_id, lambda game, _: host.replays.of(game_id, game.replay))
    return await host.compute(game_replay.view, since)


@router.get(
    "/games/{game_id}/record",
    responses={200: {"content": {"text/plain": {}}}},
    response_class=PlainTextResponse,
)
async def record(
    game_id: str,
    asker: AskingVisitor,
    suffix: RecordFormat,
) -> PlainTextResponse:
    """The game as a file."""
    text = await asker.ask(game_id, lambda game, _: game.record(suffix))
    name = f'attachment; filename="sparring-{game_id}.{suffix}"'
    return PlainTextResponse(text, headers={"Content-Disposition": name})


@router.websocket("/games/{game_id}/live")
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
        await send_until_left(socket, await host.view(hosted), queue.get)
    finally:
        host.unfollow(hosted, queue)
