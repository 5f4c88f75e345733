"""Participants of games in lockstep: our players in batches, engines, and dilution by random moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from sparring.games import Game, Move
from sparring.play.match import LockstepGame, Mover
from sparring.players import NO_MOVE, GameStart, Player, PlayerConfig, Turn
from sparring.players.behaviour_models import ResignationRule
from sparring.players.engines import EngineFailure
from sparring.players.policy_player import lockstep_distributions, make_resignation
from sparring.policies import Policy


class PolicyMover:
    """One of our players: its policy, or its search in lockstep. Each search begins with an empty tree."""

    def __init__(self, config: PlayerConfig, policy: Policy) -> None:
        self._config, self._policy = config, policy
        self._resignations: WeakKeyDictionary[LockstepGame, ResignationRule] = WeakKeyDictionary()

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        """Draws a move in each of the games, or resigns by the rule of its configuration."""
        distributions = lockstep_distributions(self._policy, self._config, [game.state for game in games])
        return [
            NO_MOVE if self._resigns(game, distribution.value) else distribution.draw(game.rng).move
            for game, distribution in zip(games, distributions, strict=True)
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
