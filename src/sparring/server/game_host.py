"""`GameHost`: all games of the server. Those in use are in memory; every change is stored."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from fastapi import WebSocket, WebSocketDisconnect

from sparring.games import describe
from sparring.play.game import PlayedMove, StoredMove
from sparring.players import Player
from sparring.server.adaptive_level import adapted, estimated_strength, strength_view
from sparring.server.messages import ApiMessage, GameSummary, GameView, NewGame
from sparring.server.new_game import plan_game
from sparring.server.opponents import Opponents
from sparring.server.page_game import GameSettings, PageGame, refusing
from sparring.server.refusal import Refused
from sparring.server.replay import Replays
from sparring.server.store import GameStore, game_summary

T = TypeVar("T")

_IN_MEMORY = 300
"""Games that are kept in memory; others are read from the store when they are asked for."""
_FINISHED = 30
"""Finished games among them."""
_UNFINISHED = 500
"""Unfinished games that a visitor may have."""
_ALL_UNFINISHED = 20_000
"""Unfinished games of all visitors."""
_THREADS, _PLAYER_THREADS = 8, 128
"""Threads for short work, and for players that compute: those that wait for a network share its batches."""


class HostedGame:
    """A game in memory, with its lock, its player's task and those who follow it."""

    def __init__(self, game_id: str, visitor: str, game: PageGame) -> None:
        self.id, self.visitor, self.game = game_id, visitor, game
        self.lock = asyncio.Lock()
        self.followers: set[asyncio.Queue[GameView]] = set()
        self.stored: list[PlayedMove] = list(game.live.moves)
        """The moves that are in the store."""
        self.player_task: asyncio.Task[None] | None = None
        self.flag_task: asyncio.Task[None] | None = None


class GameHost:
    """Creates, finds and plays games. All methods are called from one event loop."""

    def __init__(self, store: GameStore, opponents: Opponents, keep: int | None = None) -> None:
        """`keep`: finished games of all visitors that stay stored; None for all."""
        self.store, self.opponents, self.replays = store, opponents, Replays()
        self._kept_games = keep
        self._games: OrderedDict[str, HostedGame] = OrderedDict()
        self._threads = ThreadPoolExecutor(_THREADS, "sparring-game")
        self._player_threads = ThreadPoolExecutor(_PLAYER_THREADS, "sparring-player")
        self._loading = asyncio.Lock()

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a quick function in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def compute(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a function that asks a network or searches, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._player_threads, function, *arguments)

    async def create(self, visitor: str, wanted: NewGame) -> GameView:
        """Begins a game. Raises Refused."""
        if await self.run(self.store.unfinished, visitor) >= _UNFINISHED:
            raise Refused(f"You have {_UNFINISHED} unfinished games: finish or delete some.", 429)
        if await self.run(self.store.unfinished) >= _ALL_UNFINISHED:
            raise Refused("The server has too many unfinished games.", 429)
        game_id = secrets.token_urlsafe(9)
        wanted = await self.run(self._adapted, visitor, wanted)
        settings, texts = await self.compute(plan_game, wanted, self.opponents)
        game = await self.compute(self._open, settings)
        await self.compute(game.live.continue_with, [StoredMove(text) for text in texts])
        hosted = HostedGame(game_id, visitor, game)
        await self.run(self.store.create, game_id, visitor, settings, game.live.moves, game.shown())
        self._keep(hosted)
        self._advance(hosted)
        return game.view(game_id)

    async def find(self, visitor: str, game_id: str) -> HostedGame:
        """A game of a visitor. Raises Refused."""
        hosted = self._games.get(game_id)
        if hosted is None:
            async with self._loading:
                hosted = self._games.get(game_id) or await self._load(visitor, game_id)
        if hosted is None or hosted.visitor != visitor:
            raise Refused("There is no such game of yours.", 404)
        self._games.move_to_end(game_id)
        self._advance(hosted)
        return hosted

    async def change(
        self, visitor: str, game_id: str, command: Callable[[PageGame], None], wait: float = 0.0
    ) -> GameView:
        """Carries out a person's command. The answer is sent once the change is stored.

        `wait`: seconds to wait for the player's answer, if it has the turn then. Raises Refused.
        """
        hosted = await self.find(visitor, game_id)
        async with hosted.lock:
            await self._changing(hosted, partial(command, hosted.game))
        self._advance(hosted)
        if wait and hosted.player_task is not None:
            await asyncio.wait([hosted.player_task], timeout=wait)
        return await self.view(hosted)

    async def ask(self, visitor: str, game_id: str, question: Callable[[PageGame], T]) -> T:
        """The answer to a question about a game. Raises Refused."""
        hosted = await self.find(visitor, game_id)
        async with hosted.lock:
            return await self.compute(question, hosted.game)

    async def view(self, hosted: HostedGame) -> GameView:
        """The game as the person sees it."""
        async with hosted.lock:
            return await self.run(self._view, hosted)

    async def recent(self, visitor: str, count: int) -> list[GameSummary]:
        """A visitor's games, the latest first."""
        return await self.run(lambda: [game_summary(game) for game in self.store.recent(visitor, count)])

    async def delete(self, visitor: str, game_id: str) -> None:
        """Deletes a game. Raises Refused."""
        hosted = await self.find(visitor, game_id)
        await self._drop(hosted)
        await self.run(self.store.delete, game_id)

    async def discard_finished(self) -> None:
        """Deletes the oldest finished games beyond those that are kept. Games in memory stay."""
        if self._kept_games is None:
            return
        async with self._loading:  # a game that is being read is not in memory yet
            await self.run(self.store.discard_finished, self._kept_games, list(self._games))

    def follow(self, hosted: HostedGame) -> asyncio.Queue[GameView]:
        """A queue of all views of a game from now on. The clock runs while somebody follows."""
        queue: asyncio.Queue[GameView] = asyncio.Queue()
        hosted.followers.add(queue)
        if hosted.game.live.phase in ("move", "thinking"):
            hosted.game.live.clock.start()
        self._watch_flag(hosted)
        return queue

    def unfollow(self, hosted: HostedGame, queue: asyncio.Queue[GameView]) -> None:
        """Ends `follow`. The clock of a game that nobody follows stands still."""
        hosted.followers.discard(queue)
        if not hosted.followers and hosted.game.phase in ("move", "sense"):
            hosted.game.live.clock.stop()

    async def close(self) -> None:
        """Ends all tasks, and closes all players."""
        for hosted in list(self._games.values()):
            await self._drop(hosted)
        self._player_threads.shutdown(wait=True, cancel_futures=True)
        self._threads.shutdown(wait=True, cancel_futures=True)

    # Parts

    def _adapted(self, visitor: str, wanted: NewGame) -> NewGame:
        """The request with the level of an opponent that adapts. Raises Refused."""
        if not wanted.opponent.adapt:
            return wanted
        if wanted.you is None:
            raise Refused("The level adapts to a person, who must play.", 422)
        return wanted.model_copy(
            update={"opponent": adapted(wanted.opponent, self.store, visitor, wanted.game)}
        )

    def _view(self, hosted: HostedGame) -> GameView:
        """The view of a game; after one whose level adapts, with the visitor's strength."""
        view, settings = hosted.game.view(hosted.id), hosted.game.settings
        if view.result is None or settings.you is None or not settings.opponents[0].adapt:
            return view
        estimate = estimated_strength(self.store, hosted.visitor, settings.game)
        return view.model_copy(update={"estimate": strength_view(estimate)})

    def _open(self, settings: GameSettings) -> PageGame:
        """A game whose players are not started yet."""
        rules = settings.rules()
        players: dict[int, Player] = {
            side: self.opponents.make(rules, settings.opponent_of(side))
            for side in (0, 1)
            if side != settings.you
        }
        own = describe(settings.game).page_game
        kind: type[PageGame] = PageGame if own is None else own()
        return kind(settings, players)

    async def _load(self, visitor: str, game_id: str) -> HostedGame | None:
        stored = await self.run(self.store.load, game_id)
        if stored is None or stored.visitor != visitor:
            return None
        game = await self.compute(self._open, stored.settings)
        await self.compute(game.live.restore, stored.moves, stored.end, stored.message)
        hosted = HostedGame(game_id, stored.visitor, game)
        self._keep(hosted)
        return hosted

    def _keep(self, hosted: HostedGame) -> None:
        """Keeps a game in memory; the ones that were not used for longest leave it."""
        self._games[hosted.id] = hosted
        finished = sum(entry.game.live.end is not None for entry in self._games.values())
        for entry in list(self._games.values()):
            over = entry.game.live.end is not None
            if len(self._games) <= _IN_MEMORY and not (over and finished > _FINISHED):
                continue
            if (
                entry is not hosted
                and not entry.followers
                and not entry.player_task
                and not entry.lock.locked()
            ):
                finished -= over
                self._forget(entry)

    def _forget(self, hosted: HostedGame) -> None:
        self._games.pop(hosted.id, None)
        if hosted.flag_task is not None:
            hosted.flag_task.cancel()
        hosted.game.live.close()

    async def _changing(self, hosted: HostedGame, change: Callable[[], object]) -> None:
        """Changes a game and stores it; the caller has its lock. Followers get the new view."""
        view = await self.run(self._change_and_store, hosted, change)
        if not hosted.followers and hosted.game.phase in ("move", "sense"):
            hosted.game.live.clock.stop()  # it runs while somebody follows
        if view is not None:
            for queue in hosted.followers:
                queue.put_nowait(view)
        self._watch_flag(hosted)
        if hosted.game.live.end is not None:
            await self.discard_finished()

    def _change_and_store(self, hosted: HostedGame, change: Callable[[], object]) -> GameView | None:
        """The new view, if the game changed and somebody follows it."""
        game = hosted.game
        before = game.live.changes
        with refusing():
            change()
        if game.live.changes == before:
            return None
        moves, kept = list(game.live.moves), 0
        for old, new in zip(hosted.stored, moves, strict=False):
            if old is not new:
                break
            kept += 1
        self.store.save(hosted.id, moves, kept, game.live.end, game.live.message, game.shown())
        hosted.stored = moves
        return self._view(hosted) if hosted.followers else None

    def _advance(self, hosted: HostedGame) -> None:
        """Starts the task in which the players take their turns, if one has the turn."""
        running = hosted.player_task is not None and not hosted.player_task.done()
        if not running and hosted.game.phase == "thinking":
            hosted.player_task = asyncio.create_task(self._take_turns(hosted))

    async def _take_turns(self, hosted: HostedGame) -> None:
        game, settings = hosted.game.live, hosted.game.settings
        try:
            while True:
                async with hosted.lock:
                    pending = game.pending_turn()
                if pending is None:
                    return
                if settings.you is None and not hosted.followers:
                    return  # nobody watches
                began = time.monotonic()
                decision = await self.compute(game.decide, pending)
                least = settings.pace if settings.you is None else decision.seconds or 0.0
                if (left := least - (time.monotonic() - began)) > 0:  # as long as a person thinks
                    await asyncio.sleep(left)
                async with hosted.lock:
                    await self._changing(hosted, partial(game.accept, pending, decision))
        finally:
            hosted.player_task = None

    def _watch_flag(self, hosted: HostedGame) -> None:
        """Ends the game in time when a flag falls."""
        game = hosted.game.live
        seconds = None if game.end is not None else game.clock.until_flag(game.states[-1].to_move)
        if hosted.flag_task is not None:
            hosted.flag_task.cancel()
            hosted.flag_task = None
        if seconds is not None:
            hosted.flag_task = asyncio.create_task(self._fall(hosted, seconds))

    async def _fall(self, hosted: HostedGame, seconds: float) -> None:
        await asyncio.sleep(seconds + 0.01)
        hosted.flag_task = None
        async with hosted.lock:
            await self._changing(hosted, hosted.game.live.check_flag)

    async def _drop(self, hosted: HostedGame) -> None:
        self._games.pop(hosted.id, None)
        for task in (hosted.player_task, hosted.flag_task):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await self.run(hosted.game.live.close)


# Messages over a WebSocket until the page leaves.


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
