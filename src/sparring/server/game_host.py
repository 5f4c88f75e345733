"""`GameHost`: all games of the server. Those in use are in memory; every change is stored."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Event, Lock, Thread
from typing import Any, TypeVar

import numpy as np
from fastapi import WebSocket, WebSocketDisconnect

from sparring.base.clock import Clock
from sparring.base.errors import CannotWrite, NotFound, first_line, raise_if_stopped
from sparring.base.sentences import Sentence
from sparring.games import Game, describe
from sparring.play.game import PendingTurn, PlayedMove, StoredMove
from sparring.players import Decision, Player
from sparring.players.adaptive import OpponentResult, StrengthEstimate, estimate_strength
from sparring.players.behaviour_models import ThinkTime
from sparring.players.player import NO_MOVE
from sparring.players.player_config import LevelTable, PlayerConfig, results_scale, shipped_levels
from sparring.players.policy_player import make_think_time
from sparring.server.messages import ApiMessage, GameView, NewGame, OpponentChoice, StrengthView, text_of
from sparring.server.new_game import plan_game
from sparring.server.opponents import Opponents
from sparring.server.page_game import GameSettings, PageGame, Replays, refusing
from sparring.server.refusal import Refused
from sparring.server.security import OWNER
from sparring.server.store import GameStore

T = TypeVar("T")
_log = logging.getLogger(__name__)

_IN_MEMORY = 300
"""Games that are kept in memory; others are read from the store when they are asked for."""
_FINISHED = 30
"""Finished games among them."""
_UNFINISHED = 500
"""Unfinished games that a visitor may have."""
_ALL_UNFINISHED = 20_000
"""Unfinished games of all visitors."""
_PLAYERS_BYTES = 1 << 30
"""About what all games may hold; beyond it, games that nobody uses leave the memory."""
_SEARCHING_BYTES = 1 << 29
"""About what the searches that run at once may take; further ones wait."""
_LITTLE_BYTES = 1 << 20
"""A search that takes less waits for no other."""
_THREADS, _PLAYER_THREADS = 8, 128
"""Threads for short work, and for players that compute: those that wait for a network share its batches."""
_OPENING_THREADS = 4
"""Threads in which games and networks are opened, so that players that compute do not hold them up."""
_COMPUTATIONS = 8
"""Questions of one visitor that are computed at once: hints, insights, reviews."""
_UNTOUCHED_SECONDS = 24 * 3600.0
"""Age at which an unfinished game is deleted if the person has not moved in it."""
_QUIET_SECONDS = 3.0
"""Time after which networks are timed: the page has loaded then."""
_CLOSING_SECONDS = 1.5
"""Time for which the end of the server waits for computations that were told to stop."""


class SearchRoom:
    """The memory that searches take at once: a search waits until there is room, in the order of arrival."""

    def __init__(self, size: int) -> None:
        self._size, self._used = size, 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def taken(self, need: int) -> AsyncIterator[None]:
        """Takes the memory of a search while the block runs."""
        need = min(need, self._size)
        if need < _LITTLE_BYTES:
            yield
            return
        await self._take(need)
        try:
            yield
        finally:
            self._used -= need
            self._admit()

    async def _take(self, need: int) -> None:
        entry = (need, asyncio.get_running_loop().create_future())
        self._waiting.append(entry)
        self._admit()
        try:
            await entry[1]
        except asyncio.CancelledError:
            if not entry[1].cancelled():  # it had been admitted
                self._used -= need
            elif entry in self._waiting:
                self._waiting.remove(entry)
            self._admit()
            raise

    def _admit(self) -> None:
        while self._waiting and self._used + self._waiting[0][0] <= self._size:
            need, admitted = self._waiting.popleft()
            if not admitted.done():
                self._used += need
                admitted.set_result(None)


class HostedGame:
    """A game in memory, with its lock, its player's task and those who follow it."""

    def __init__(self, game_id: str, visitor: str, game: PageGame) -> None:
        self.id, self.visitor, self.game = game_id, visitor, game
        self.lock = asyncio.Lock()
        self.followers: set[asyncio.Queue[GameView | None]] = set()
        """Queues of views; None ends them, because the game left the memory."""
        self.stored: list[PlayedMove] = list(game.live.moves)
        """The moves that are in the store."""
        self.player_task: asyncio.Task[None] | None = None
        self.flag_task: asyncio.Task[None] | None = None
        self.pauses = Pauses(game.settings.seed)
        self.changed = asyncio.Event()
        """Set when the person changes the game: a player that pauses looks again."""
        self._stop = Event()
        """Ends the decision that is being computed."""
        self._computing = Lock()
        """Held while a player computes."""
        game.live.interrupt_with(self.interrupt)

    def new_stop(self) -> Event:
        """The event that ends the next decision."""
        self._stop = Event()
        return self._stop

    def decide(self, pending: PendingTurn) -> Decision:
        """The player's decision; called in a thread. One that was ended before it began has no move."""
        stop = pending.turn.stop
        with self._computing:
            if stop is not None and stop.is_set():
                return Decision(NO_MOVE)
            decision = self.game.live.decide(pending)
        if decision.resign and not self.game.settings.resigns and decision.move != NO_MOVE:
            return replace(decision, resign=False)
        return decision

    def interrupt(self) -> None:
        """Ends the decision that is being computed, and waits for its end; called in a thread."""
        self._stop.set()
        with self._computing:
            pass

    def end_decision(self) -> None:
        """Tells the player that computes to end. Does not wait."""
        self._stop.set()

    @property
    def in_use(self) -> bool:
        """Whether somebody follows the game, or something computes or changes it."""
        return bool(self.followers or self.player_task) or self.lock.locked()

    @property
    def memory_bytes(self) -> int:
        """About what the game holds."""
        return self.game.memory_bytes


class GameHost:
    """Creates, finds and plays games. All methods are called from one event loop."""

    def __init__(self, store: GameStore, opponents: Opponents, keep: int | None = None) -> None:
        """`keep`: finished games of all visitors that stay stored; None for all."""
        self.store, self.opponents, self.replays = store, opponents, Replays()
        self._kept_games = keep
        self._games: OrderedDict[str, HostedGame] = OrderedDict()
        self._threads = ThreadPoolExecutor(_THREADS, "sparring-game")
        self._player_threads = ThreadPoolExecutor(_PLAYER_THREADS, "sparring-player")
        self._opening_threads = ThreadPoolExecutor(_OPENING_THREADS, "sparring-opening")
        self._loading = asyncio.Lock()
        self._computations: Counter[str] = Counter()
        self._room = SearchRoom(_SEARCHING_BYTES)
        self._stops: set[Event] = set()
        """Those of the questions that are being computed."""
        self._timing: asyncio.Task[None] | None = None

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a quick function in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def compute(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a function that asks a network or searches, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._player_threads, function, *arguments)

    async def open(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a function that opens a game or a network, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._opening_threads, function, *arguments)

    async def answer(self, visitor: str, question: Callable[[Event], T]) -> T:
        """Computes the answer to a question of a visitor, in a thread. The event that it gets is set when the
        visitor leaves or the server ends. Raises Refused if the visitor has asked too much at once."""
        if self._computations[visitor] >= _COMPUTATIONS:
            raise Refused(Sentence("Wait until your other questions are answered."), 429)
        self._computations[visitor] += 1
        stop = Event()
        self._stops.add(stop)

        def compute() -> T:
            raise_if_stopped(stop)
            return question(stop)

        computing = asyncio.get_running_loop().run_in_executor(self._player_threads, compute)
        computing.add_done_callback(lambda done: self._answered(visitor, stop, done))
        try:
            return await asyncio.shield(computing)
        finally:
            stop.set()

    def _answered(self, visitor: str, stop: Event, done: asyncio.Future[Any]) -> None:
        if not done.cancelled():
            done.exception()  # seen, also if nobody waits for it
        self._stops.discard(stop)
        self._computations[visitor] -= 1
        if not self._computations[visitor]:
            del self._computations[visitor]

    def time_levels(self) -> None:
        """Begins to time the networks of the levels, if some are not timed and nothing times them."""
        if self.opponents.speeds.waiting and (self._timing is None or self._timing.done()):
            self._timing = asyncio.create_task(self._time_levels())

    async def _time_levels(self) -> None:
        await asyncio.sleep(_QUIET_SECONDS)
        stop = Event()
        self._stops.add(stop)
        try:
            await self.open(self.opponents.speeds.time_waiting, stop)
        finally:
            self._stops.discard(stop)

    async def create(self, visitor: str, wanted: NewGame) -> GameView:
        """Begins a game. Raises Refused."""
        if await self.run(self.store.unfinished, visitor) >= _UNFINISHED:
            raise Refused(
                Sentence("You have {count} unfinished games: finish or delete some.", count=_UNFINISHED), 429
            )
        if await self.run(self.store.unfinished) >= _ALL_UNFINISHED:
            await self._discard_untouched()
        if await self.run(self.store.unfinished) >= _ALL_UNFINISHED:
            raise Refused(Sentence("The server has too many unfinished games."), 429)
        game_id = secrets.token_urlsafe(9)
        wanted = await self.run(self._adapted, visitor, wanted)
        settings, texts, warning = await self.open(plan_game, wanted, self.opponents)
        game = await self.open(self._open, settings)
        await self.open(game.live.continue_with, [StoredMove(text) for text in texts])
        hosted = HostedGame(game_id, visitor, game)
        await self.run(self.store.create, game_id, visitor, settings, game.live.moves, game.shown())
        self._keep(hosted)
        self._advance(hosted)
        view = game.view(game_id)
        return view if warning is None else view.model_copy(update={"warning": text_of(warning)})

    async def find(self, visitor: str, game_id: str) -> HostedGame:
        """A game of a visitor. Raises Refused."""
        hosted = self._games.get(game_id)
        if hosted is None:
            async with self._loading:
                hosted = self._games.get(game_id) or await self._load(visitor, game_id)
        if hosted is None or hosted.visitor != visitor:
            raise Refused(Sentence("There is no such game of yours."), 404)
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
            hosted.changed.set()
        self._advance(hosted)
        if wait and hosted.player_task is not None:
            await asyncio.wait([hosted.player_task], timeout=wait)
        return await self.view(hosted)

    async def ask(self, visitor: str, game_id: str, question: Callable[[PageGame, Event], T]) -> T:
        """The answer to a question about a game; the event is that of `answer`. Raises Refused."""
        hosted = await self.find(visitor, game_id)
        async with hosted.lock:
            return await self.answer(visitor, lambda stop: question(hosted.game, stop))

    async def view(self, hosted: HostedGame) -> GameView:
        """The game as the person sees it."""
        async with hosted.lock:
            return await self.run(self._view, hosted)

    def followed(self) -> list[str]:
        """The ids of the games that somebody follows."""
        return [hosted.id for hosted in self._games.values() if hosted.followers]

    async def delete(self, visitor: str, game_id: str) -> None:
        """Deletes a game. Raises Refused."""
        async with self._loading:  # a game that is being read would be in memory afterwards
            if not await self.run(self.store.delete, game_id, visitor):
                raise Refused(Sentence("There is no such game of yours."), 404)
            hosted = self._games.pop(game_id, None)
        if hosted is not None:
            await self._drop(hosted)

    async def tidy(self) -> None:
        """Deletes games that are not kept: finished ones beyond the limit, and old ones without a move of the
        person."""
        await self.discard_finished()
        await self._discard_untouched()

    async def _discard_untouched(self) -> None:
        async with self._loading:
            await self.run(self.store.discard_untouched, _UNTOUCHED_SECONDS, list(self._games))

    async def discard_finished(self) -> None:
        """Deletes the oldest finished games beyond those that are kept. Games in memory stay."""
        if self._kept_games is None:
            return
        async with self._loading:  # a game that is being read is not in memory yet
            await self.run(self.store.discard_finished, self._kept_games, list(self._games))

    def follow(self, hosted: HostedGame) -> asyncio.Queue[GameView | None]:
        """A queue of all views of a game from now on, and of None when it leaves the memory. The clock runs
        while somebody follows."""
        queue: asyncio.Queue[GameView | None] = asyncio.Queue()
        hosted.followers.add(queue)
        if hosted.game.live.phase in ("move", "thinking"):
            hosted.game.live.clock.start()
        self._watch_flag(hosted)
        return queue

    def unfollow(self, hosted: HostedGame, queue: asyncio.Queue[GameView | None]) -> None:
        """Ends `follow`. The clock of a game that nobody follows stands still."""
        hosted.followers.discard(queue)
        if not hosted.followers and hosted.game.phase in ("move", "sense"):
            hosted.game.live.clock.stop()

    async def close(self) -> None:
        """Ends all tasks, and closes all players. A computation that does not stop in time is left behind."""
        if self._timing is not None:
            self._timing.cancel()
        for stop in self._stops:
            stop.set()
        games = list(self._games.values())
        for hosted in games:
            hosted.end_decision()
        closing = asyncio.gather(*map(self._drop, games), return_exceptions=True)
        with suppress(TimeoutError):
            await asyncio.wait_for(closing, _CLOSING_SECONDS)
        pools = (self._player_threads, self._opening_threads, self._threads)
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)

        def wait_for_pools() -> None:
            for pool in pools:
                pool.shutdown(wait=True)

        waiting = Thread(target=wait_for_pools, daemon=True)
        waiting.start()
        waiting.join(_CLOSING_SECONDS)

    # Parts

    def _adapted(self, visitor: str, wanted: NewGame) -> NewGame:
        """The request with the level of an opponent that adapts. Raises Refused."""
        if not wanted.opponent.adapt:
            return wanted
        if wanted.you is None:
            raise Refused(Sentence("The level adapts to a person, who must play."), 422)
        return wanted.model_copy(
            update={"opponent": adapted(wanted.opponent, self.store, visitor, wanted.game)}
        )

    def _view(self, hosted: HostedGame) -> GameView:
        """The view of a game; after one whose level adapts, with the visitor's strength."""
        view, settings = hosted.game.view(hosted.id), hosted.game.settings
        if view.result is None or settings.you is None or not settings.opponents[0].adapt:
            return view
        estimate = strength_view(self.store, hosted.visitor, settings.game)
        return view.model_copy(update={"estimate": estimate})

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
        return kind(settings, players, self.store.database.version())

    async def _load(self, visitor: str, game_id: str) -> HostedGame | None:
        stored = await self.run(self.store.load, game_id)
        if stored is None or visitor not in (stored.visitor, OWNER):
            return None
        try:
            game = await self.open(self._open, stored.settings)
            await self.open(game.live.restore, stored.moves, stored.end, stored.message, stored.dead)
        except (ValueError, TypeError) as error:  # moves that are not legal, or an unknown game
            raise Refused(
                Sentence("This game is damaged and cannot be opened ({reason}).", reason=first_line(error))
            ) from None
        hosted = HostedGame(game_id, visitor, game)
        self._keep(hosted)
        return hosted

    def _keep(self, hosted: HostedGame) -> None:
        """Keeps a game in memory; the ones that were not used for longest leave it."""
        self._games[hosted.id] = hosted
        self._trim(hosted)
        finished = sum(entry.game.live.end is not None for entry in self._games.values())
        for entry in list(self._games.values()):
            over = entry.game.live.end is not None
            if len(self._games) <= _IN_MEMORY and not (over and finished > _FINISHED):
                continue
            if entry is not hosted and not entry.in_use:
                finished -= over
                self._forget(entry)

    def _trim(self, kept: HostedGame | None = None) -> None:
        """Evicts the least recently used games above the memory limit, except `kept`.

        A game that is asked for again goes on from its moves. Search tables, the random numbers of its
        players and the planner's belief begin anew, so that its further moves may differ from those of a game
        that stayed.
        """
        sizes = {hosted.id: hosted.memory_bytes for hosted in self._games.values()}
        excess = sum(sizes.values()) - _PLAYERS_BYTES
        for hosted in list(self._games.values()):
            if excess <= 0:
                return
            if sizes[hosted.id] and hosted is not kept and not hosted.in_use:
                excess -= sizes[hosted.id]
                self._forget(hosted)

    def _forget(self, hosted: HostedGame) -> None:
        """Lets a game that is not in use leave the memory."""
        self._games.pop(hosted.id, None)
        if hosted.flag_task is not None:
            hosted.flag_task.cancel()
        hosted.game.live.close()

    async def _changing(self, hosted: HostedGame, change: Callable[[], object]) -> None:
        """Changes a game and stores it; the caller has its lock. Followers get the new view.

        A change that cannot be stored is undone: the game leaves the memory and is read from the store again.
        Raises Refused.
        """
        if self._games.get(hosted.id) is not hosted:
            raise Refused(Sentence("The game has left the memory: reload it."))
        try:
            view = await self.run(self._change_and_store, hosted, change)
        except (CannotWrite, NotFound) as error:
            await self._release(hosted)
            raise Refused(str(error), 404 if isinstance(error, NotFound) else 503) from None
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
        end, message, dead = game.live.end, game.live.message, game.live.dead_points
        self.store.save(hosted.id, moves, kept, len(hosted.stored), end, message, game.shown(), dead)
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
                    hosted.changed.clear()
                    pending = game.pending_turn(hosted.new_stop())
                if pending is None:
                    return
                if settings.you is None and not hosted.followers:
                    return  # nobody watches
                began = time.monotonic()
                async with self._room.taken(game.players[pending.player].search_bytes):
                    decision = await self.compute(hosted.decide, pending)
                least = self._least_seconds(hosted, pending, decision)
                if (left := least - (time.monotonic() - began)) > 0:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(hosted.changed.wait(), left)
                async with hosted.lock:
                    await self._changing(hosted, partial(game.accept, pending, decision))
        except Refused as refusal:  # the move could not be stored: the followers ask for the game again
            _log.warning("game %s: %s", hosted.id, refusal)
        finally:
            hosted.player_task = None
            self._trim()

    @staticmethod
    def _least_seconds(hosted: HostedGame, pending: PendingTurn, decision: Decision) -> float:
        """Seconds that a turn takes at least: as long as a person thinks, or the pace of a watched game."""
        settings, game = hosted.game.settings, hosted.game.live
        if settings.you is None:
            return settings.pace
        human = settings.opponent_of(pending.player).think_time == "human"
        if settings.clock is not None or not human:
            return decision.seconds or 0.0
        return hosted.pauses.seconds(game.rules, game.states[-1], decision, len(game.moves))

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
        with suppress(Refused):  # it could not be stored: the followers ask for the game again
            async with hosted.lock:
                await self._changing(hosted, hosted.game.live.check_flag)

    async def _drop(self, hosted: HostedGame) -> None:
        """Ends the tasks of a game, which leaves the memory."""
        hosted.end_decision()
        for task in (hosted.player_task, hosted.flag_task):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await self._release(hosted)

    async def _release(self, hosted: HostedGame) -> None:
        """Lets a game leave the memory, also while its player computes. Its followers ask for it again."""
        if self._games.get(hosted.id) is hosted:
            del self._games[hosted.id]
        for queue in hosted.followers:
            queue.put_nowait(None)
        await self.compute(hosted.game.live.close)


# Messages over a WebSocket until the page leaves.


_TRY_AGAIN = 1013
"""Close code of WebSocket: the page connects again."""


async def send_until_left(
    socket: WebSocket, first: ApiMessage, following: Callable[[], Awaitable[ApiMessage | None]]
) -> None:
    """Sends a message at once, then each message of `following`, until the page leaves or a message is None.

    What the page sends is ignored.
    """
    leaving = asyncio.create_task(_until_left(socket))
    coming: asyncio.Future[ApiMessage | None] | None = None
    try:
        await socket.send_text(first.model_dump_json())
        while not leaving.done():
            coming = asyncio.ensure_future(following())
            await asyncio.wait([leaving, coming], return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                if (message := coming.result()) is None:
                    await socket.close(_TRY_AGAIN)
                    return
                await socket.send_text(message.model_dump_json())
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


# The level of opponents that follow a visitor's results: estimated from the stored games.


_STEP = 10
"""Levels are multiples of it."""


def _estimated_strength(store: GameStore, visitor: str, game: str) -> StrengthEstimate:
    table = _levels(game)
    results = [
        OpponentResult(choice.level, score)
        for choice, score in store.adaptive_results(visitor, game)
        if choice.level is not None
    ]
    first = results[0].level if results else table.default_level
    return estimate_strength(results, float(first))  # as in the terminal, the first level is the prior


def adapted(choice: OpponentChoice, store: GameStore, visitor: str, game: str) -> OpponentChoice:
    """The choice with the level of the visitor's next game. A level that is given holds for the first game.

    Raises Refused.
    """
    low, high = _levels(game).range
    estimate = _estimated_strength(store, visitor, game)
    if estimate.games == 0 and choice.level is not None:
        return choice
    level = min(max(round(estimate.mean / _STEP) * _STEP, low), high)
    return choice.model_copy(update={"level": level, "scale": results_scale(game, choice.scale)})


def strength_view(store: GameStore, visitor: str, game: str) -> StrengthView:
    """A visitor's strength by all finished games against adaptive opponents of a game. Raises Refused."""
    estimate = _estimated_strength(store, visitor, game)
    return StrengthView(
        rating=round(estimate.mean, 1),
        interval=(round(estimate.low, 1), round(estimate.high, 1)),
        games=estimate.games,
    )


def _levels(game: str) -> LevelTable:
    table = shipped_levels(game, results_scale(game))
    if table is None:
        raise Refused(Sentence("There are no levels in {game}.", game=game), 422)
    return table


# How long an opponent pauses before its move in a game without a clock, as people do.


SHORTEST_PAUSE, LONGEST_PAUSE = 0.5, 4.0
"""Seconds of a pause."""
_PAUSE_CLOCK = Clock(180.0, 2.0)
"""People pause as they would with this clock: quickly."""
_USUAL_PAUSE, _PAUSE_SPREAD = 1.2, 0.5
"""Median in seconds, and deviation of its logarithm, where the model of people's times has no policy."""
_PAUSE_STREAM = 11
"""Part of the seed of pauses, so that players draw from other random numbers."""


class Pauses:
    """The pauses of a game, which are drawn from its seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._think_time: ThinkTime | None = None

    def seconds(self, rules: Game[Any], state: Any, decision: Decision, ply: int) -> float:
        """Seconds from the beginning of a turn to its move. A sense of a hidden game has no pause."""
        if rules.spec.hidden and rules.move_text(state, decision.move).startswith("sense"):
            return 0.0
        rng = np.random.default_rng([self._seed, ply, _PAUSE_STREAM])
        prediction = decision.prediction
        if prediction is None:
            drawn = float(np.exp(rng.normal(math.log(_USUAL_PAUSE), _PAUSE_SPREAD)))
        else:
            if self._think_time is None:
                self._think_time = make_think_time(PlayerConfig(rules.spec.name, think_time="human"))
            assert self._think_time is not None
            shares = dict(zip(prediction.moves, prediction.probabilities, strict=True))
            chosen = float(shares.get(decision.move, 0.0))
            drawn = self._think_time.seconds(_PAUSE_CLOCK, None, prediction, chosen, ply, None, rng)
        return min(max(drawn, SHORTEST_PAUSE), LONGEST_PAUSE)
