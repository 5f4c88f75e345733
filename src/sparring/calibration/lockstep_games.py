"""Games that are played at the same time in one process: networks evaluate positions of all together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from sparring.arena.engine_process import EngineFailure
from sparring.games import Game, Move
from sparring.players import NO_MOVE, GameStart, Player, PlayerConfig, Turn
from sparring.players.behaviour import make_resignation
from sparring.players.lockstep_distributions import lockstep_distributions
from sparring.players.resignation import ResignationRule
from sparring.policies import Policy


class Mover(Protocol):
    """A participant that moves in many games at once."""

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        """A move in each of the games; NO_MOVE gives a game up."""
        ...


@dataclass(eq=False)
class LockstepGame:
    """A game in progress."""

    number: int
    movers: tuple[Mover, Mover]
    """By side."""
    rng: np.random.Generator
    state: Any
    plies: int = 0
    given_up: bool = False
    """Whether the side to move gave up, or failed."""

    @property
    def mover(self) -> Mover:
        """The participant to move."""
        return self.movers[self.state.to_move]

    def ended(self, max_plies: int) -> bool:
        """Whether the game is over."""
        return self.given_up or self.state.outcome is not None or self.plies >= max_plies

    def play(self, move: Move) -> None:
        """Plays a move; NO_MOVE gives the game up."""
        if move == NO_MOVE:
            self.given_up = True
        else:
            self.state = self.state.play(move)
            self.plies += 1

    @property
    def result(self) -> tuple[float, str]:
        """Score of the first side and reason; a game without an outcome is a draw by length."""
        if self.given_up:
            return float(self.state.to_move == 1), "given up"
        outcome = self.state.outcome
        if outcome is None:
            return 0.5, "length limit"
        return (0.5 if outcome.winner is None else float(outcome.winner == 0)), str(outcome.reason)


class PolicyMover:
    """One of our players: its policy, or its search in lockstep. Each search begins with an empty tree."""

    def __init__(self, config: PlayerConfig, policy: Policy) -> None:
        self._config, self._policy = config, policy
        self._resignations: WeakKeyDictionary[LockstepGame, ResignationRule] = WeakKeyDictionary()

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        """Draws a move in each of the games, or resigns by the rule of its configuration."""
        distributions = lockstep_distributions(self._policy, self._config, [game.state for game in games])
        return [
            NO_MOVE if self._resigns(game, each.value) else each.draw(game.rng).move
            for game, each in zip(games, distributions, strict=True)
        ]

    def _resigns(self, game: LockstepGame, value: float | None) -> bool:
        if game not in self._resignations:
            self._resignations[game] = make_resignation(self._config)
        rule = self._resignations[game]
        return rule.decide(game.state.to_move, value, game.state.ply, game.rng)


class EngineMover:
    """A player that takes one position at a time, such as an engine.

    Many threads may ask it: a thread that finds no free player opens another.
    """

    def __init__(self, open_player: Callable[[], Player], game: Game[Any], seed: int = 0) -> None:
        self._open = open_player
        self._start = GameStart(game, seed=seed)
        self._free: list[Player] = []
        self._players: list[Player] = []
        self._lock = Lock()

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        """Asks for a move in each of the games. An engine that fails gives the game up. Raises EngineFailure
        if it cannot be started, or started again."""
        player = self._take()
        try:
            return [self._choose(player, game) for game in games]
        finally:
            with self._lock:
                self._free.append(player)

    def close(self) -> None:
        """Closes the players."""
        while self._players:
            self._players.pop().close()

    def _take(self) -> Player:
        with self._lock:
            if self._free:
                return self._free.pop()
        player = self._open()
        with self._lock:
            self._players.append(player)
        player.new_game(self._start)
        return player

    def _choose(self, player: Player, game: LockstepGame) -> Move:
        try:
            decision = player.choose(Turn.of(game.state))
        except EngineFailure:
            player.new_game(self._start)
            return NO_MOVE
        return NO_MOVE if decision.resign else decision.move


class DilutedMover:
    """A participant a share of whose moves is drawn uniformly from the legal moves."""

    def __init__(self, mover: Mover, random_share: float) -> None:
        self.mover, self._share = mover, random_share

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        """A random move in some of the games, the participant's in the others."""
        random = [game.rng.random() < self._share for game in games]
        chosen = iter(self.mover.choose([game for game, lot in zip(games, random, strict=True) if not lot]))
        return [
            int(game.rng.choice(game.state.legal_moves())) if lot else next(chosen)
            for game, lot in zip(games, random, strict=True)
        ]


def play_together(games: Sequence[LockstepGame], *, max_plies: int) -> Iterator[LockstepGame]:
    """Plays games to their end and yields them as they end. A game of `max_plies` plies is drawn."""
    running = list(games)
    while running:
        movers = {id(game.mover): game.mover for game in running}
        for key, mover in movers.items():
            turns = [game for game in running if id(game.mover) == key]
            for game, move in zip(turns, mover.choose(turns) if turns else [], strict=True):
                game.play(move)
            yield from (game for game in turns if game.ended(max_plies))
            running = [game for game in running if not game.ended(max_plies)]
