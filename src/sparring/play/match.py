"""Games between players: one game to its end, and many games in lockstep.

`play_out` plays a `LiveGame` of two players; an exception, an illegal move and a fallen flag lose the game
(a flag only against a side that can still win), so that there is always a result. `play_together` asks one
participant for its moves in all games in which it has the turn, so that a network evaluates their positions
in one batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from itertools import islice
from typing import Any, Protocol

import numpy as np

from sparring.base.clock import TimeControl
from sparring.games import Game, Move, describe, game_of, load_game
from sparring.play.game import LiveGame, PendingTurn
from sparring.play.result import LENGTH_LIMIT, GameResult
from sparring.players import NO_MOVE, Decision, Player
from sparring.players.engines import EngineFailure, FailureReason

NOT_STARTED = FailureReason.NOT_STARTED.value
"""Reason of games that were not played; ratings leave them out."""
GIVEN_UP = "given up"
"""Reason of a game in lockstep that a participant resigned, or in which it failed."""
MAX_PLIES = 2_000
"""Moves after which a game between two players is drawn by default."""

Adjudicate = Callable[[LiveGame], GameResult | None]
"""(game) -> its result if it is decided before the rules end it."""


def play_game(
    game: str | Game[Any],
    first: Player,
    second: Player,
    *,
    clock: str | TimeControl | None = None,
    seed: int | None = None,
    start: Any = None,
    max_plies: int = MAX_PLIES,
) -> GameResult:
    """Plays a game between two players and returns its result with the record.

    Args:
        game: a game's name, or rules with options.
        first: the player who moves first by the rules: White in chess, Black in Go and shogi.
        clock: a time control such as "5+3" (minutes, and seconds a move); None for no clock. A player that
            thinks as long as a person spends that time without waiting for it.
        seed: seed of both players; the same seed gives the same game where nodes limit the players.
        start: the first state; None for the initial one.
        max_plies: length at which the game is drawn.

    There is always a result: a player that cannot start, fails to choose or makes an illegal move loses.
    Raises BadConfig for an unknown game or clock, and ValueError for a start of another game.
    """
    rules = load_game(game) if isinstance(game, str) else game
    if start is not None and not isinstance(start, describe(rules.spec.name).state_class):
        raise ValueError(f"{type(start).__name__} is not a state of {rules.spec.name}")
    live = LiveGame(
        rules,
        {0: first, 1: second},
        start=start,
        clock=TimeControl.parse(clock) if isinstance(clock, str) else clock,
        seed_of=lambda side, ply: None if seed is None else [seed, side],
        names=(first.name, second.name),
    )
    result = play_out(live, length_limit(max_plies))
    return replace(result, record=live.record(players=(first.name, second.name)))


def length_limit(plies: int) -> Adjudicate:
    """The adjudication of a game as drawn after so many plies."""

    def adjudicate(game: LiveGame) -> GameResult | None:
        played: int = game.states[-1].ply
        return GameResult(0.5, LENGTH_LIMIT, f"{played} plies") if played >= plies else None

    return adjudicate


def play_out(
    game: LiveGame,
    adjudicate: Adjudicate = lambda game: None,
    on_decision: Callable[[int, float], None] = lambda player, seconds: None,
) -> GameResult:
    """Plays a game between two players from its present state to its end.

    `on_decision` receives the player and the processor seconds of each decision.
    """
    if (failed := _start(game)) is not None:
        game.finish(failed)
    game.settle()
    while (pending := game.pending_turn()) is not None:
        if (end := adjudicate(game)) is not None:
            game.finish(end)
            break
        player = pending.player
        began = time.process_time()
        try:
            decision = _decide(game, pending)
        except EngineFailure as failure:
            if failure.reason is FailureReason.TIME:
                game.finish(game.out_of_time(player))
            else:
                game.finish(GameResult.lost_by(player, failure.reason, failure.detail, broke_rules=True))
        else:
            on_decision(player, time.process_time() - began)
            game.accept(pending, decision, decision.seconds)
    assert game.end is not None
    return game.end


def _start(game: LiveGame) -> GameResult | None:
    """Begins the game for both players; one that cannot play forfeits."""
    failures: dict[int, EngineFailure] = {}
    for side in game.players:
        try:
            game.start_player(side)
        except EngineFailure as failure:
            failures[side] = failure
        except Exception as error:
            failures[side] = EngineFailure(FailureReason.NOT_STARTED, str(error))
    if len(failures) == 2:
        return GameResult(None, NOT_STARTED, f"{failures[0].detail}; {failures[1].detail}")
    for side, failed in failures.items():
        return GameResult.lost_by(side, failed.reason, failed.detail, broke_rules=True)
    return None


def _decide(game: LiveGame, pending: PendingTurn) -> Decision:
    """The player's decision. Raises EngineFailure also for its exceptions and illegal moves."""
    try:
        decision = game.decide(pending)
    except EngineFailure:
        raise
    except Exception as error:
        raise EngineFailure(FailureReason.CRASHED, f"{type(error).__name__}: {error}") from error
    if not isinstance(decision, Decision):
        raise EngineFailure(FailureReason.CRASHED, f"choose returned {type(decision).__name__}")
    if not decision.resign and decision.move not in pending.turn.legal_moves:
        raise EngineFailure(FailureReason.ILLEGAL, f"move {decision.move}, ply {game.states[-1].ply}")
    return decision


class Mover(Protocol):
    """A participant that moves in many games at once."""

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        """A move in each of the games; NO_MOVE gives a game up."""


class LockstepGame:
    """A game whose moves come from participants of many games."""

    def __init__(
        self, number: int, movers: tuple[Mover, Mover], rng: np.random.Generator, state: Any
    ) -> None:
        """`movers` are the participants by side, `state` is the first state."""
        self.number, self.movers, self.rng = number, movers, rng
        self.live = LiveGame(game_of(state), {}, start=state)

    @property
    def state(self) -> Any:
        """The present state."""
        return self.live.states[-1]

    @property
    def plies(self) -> int:
        """Moves that were played."""
        return len(self.live.moves)

    @property
    def mover(self) -> Mover:
        """The participant to move."""
        return self.movers[self.state.to_move]

    def ended(self, max_plies: int) -> bool:
        """Whether the game is over, or has `max_plies` plies."""
        return self.live.end is not None or self.plies >= max_plies

    @property
    def result(self) -> GameResult:
        """The result; a game that is not over is a draw by length."""
        return self.live.end or GameResult(0.5, LENGTH_LIMIT)

    def play(self, move: Move) -> None:
        """Plays a move; NO_MOVE gives the game up."""
        if move == NO_MOVE:
            self.live.finish(GameResult.lost_by(self.state.to_move, GIVEN_UP))
        else:
            self.live.make(move)


def play_together(
    games: Iterable[LockstepGame],
    *,
    max_plies: int,
    together: int | None = None,
    threads: Callable[[Mover], Executor | None] = lambda mover: None,
) -> Iterator[LockstepGame]:
    """Plays games to their end and yields them as they end.

    Args:
        max_plies: length at which a game is drawn.
        together: most games at a time; another one is taken when one has ended. None for all.
        threads: (participant) -> threads in which it is asked for a move in one game at a time, while the
            others move; None for a participant that is asked in all its games at once.
    """
    waiting, ready = iter(games), list[LockstepGame]()
    thinking: dict[Future[list[Move]], LockstepGame] = {}
    while True:
        ready += islice(waiting, None if together is None else together - len(ready) - len(thinking))
        if not ready and not thinking:
            return
        moved = False
        for key, mover in {id(game.mover): game.mover for game in ready}.items():
            turns = [game for game in ready if id(game.mover) == key]
            if turns and (executor := threads(mover)) is not None:
                thinking |= {executor.submit(mover.choose, [game]): game for game in turns}
                ready = [game for game in ready if id(game.mover) != key]
                continue
            for game, move in zip(turns, mover.choose(turns) if turns else [], strict=True):
                game.play(move)
                moved = True
            yield from (game for game in turns if game.ended(max_plies))
            ready = [game for game in ready if not game.ended(max_plies)]
        finished = [future for future in thinking if future.done()]
        if not moved and not finished:
            finished = list(wait(thinking, return_when=FIRST_COMPLETED).done)
        for future in finished:
            game = thinking.pop(future)
            game.play(future.result()[0])
            if game.ended(max_plies):
                yield game
            else:
                ready.append(game)
