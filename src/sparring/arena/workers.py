"""Games played in parallel, by processes on this machine or on a Ray cluster."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from sparring.arena.engine_player import EnginePlayer
from sparring.arena.engine_process import kill_all
from sparring.arena.match import match_record, play_game
from sparring.arena.results import GameResult
from sparring.arena.schedule import Pairing, seeds_of
from sparring.arena.tournament import (
    BadTournament,
    EngineConfig,
    NamedPlayerConfig,
    ParticipantConfig,
    StrengthPlayerConfig,
    Tournament,
)
from sparring.games import Game
from sparring.players import BasePlayer, Decision, GameStart, Player, Turn, make_strength_player, open_player
from sparring.records import GameRecord
from sparring.workers import LocalWorkerPool, RayUnavailable, RayWorkerPool, WorkerPool

GameOutput = tuple[GameResult, GameRecord | None]


@dataclass(frozen=True)
class GameTask:
    """A game to play."""

    pairing: Pairing
    start: Any
    """The state after the opening."""


Workers: TypeAlias = WorkerPool[GameTask, GameOutput]
"""A pool that plays games, here or on other machines."""


class GameRunner:
    """Plays one game after the other. Players are loaded for their first game and kept."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._game = tournament.load_game()
        self._players: dict[int, Player] = {}

    def work(self, task: GameTask) -> GameOutput:
        """Plays a game; returns its result and its record."""
        pairing = task.pairing
        names = [self._tournament.entries[player].name for player in (pairing.first, pairing.second)]
        players = (self._player(pairing.first), self._player(pairing.second))
        seeds = seeds_of(self._tournament, pairing.number)
        played = play_game(self._game, task.start, players, seeds, self._tournament)
        end = played.end
        result = GameResult(
            number=pairing.number,
            first=names[0],
            second=names[1],
            opening=pairing.opening,
            result=end.result,
            reason=str(end.reason),
            detail=end.detail,
            plies=played.state.ply,
            seconds=round(played.seconds, 3),
        )
        return result, match_record(played, self._tournament, pairing.number, names)

    def close(self) -> None:
        """Closes every player."""
        for player in self._players.values():
            player.close()
        self._players.clear()

    def terminate(self) -> None:
        """Kills every engine."""
        kill_all()

    def _player(self, index: int) -> Player:
        if index not in self._players:
            try:
                self._players[index] = open_participant(self._tournament.entries[index], self._game)
            except Exception as error:  # it forfeits this game; the next game tries again
                return _UnavailablePlayer(self._tournament.entries[index].name, error)
        return self._players[index]


class _UnavailablePlayer(BasePlayer):
    """Replaces a player that could not be loaded: it fails at the start of every game."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(name)
        self._error = error

    def new_game(self, start: GameStart) -> None:
        raise self._error

    def choose(self, turn: Turn) -> Decision:
        raise self._error


def open_participant(config: ParticipantConfig, game: Game[Any]) -> Player:
    """The player of a tournament's entry. An engine is started by its first game.

    Raises one of `players.LOAD_ERRORS`.
    """
    match config:
        case EngineConfig():
            return EnginePlayer(config)
        case NamedPlayerConfig():
            return open_player(config.player_config)
        case StrengthPlayerConfig():
            return make_strength_player(game.spec.name, config.strength)


class LocalWorkers(LocalWorkerPool[GameTask, GameOutput]):
    """Processes on this machine."""

    def __init__(self, tournament: Tournament, concurrency: int) -> None:
        super().__init__(partial(GameRunner, tournament), concurrency, _name)


class RayWorkers(RayWorkerPool[GameTask, GameOutput]):
    """Machines of a Ray cluster; engines must be installed there."""

    def __init__(self, tournament: Tournament, concurrency: int, address: str) -> None:
        try:
            super().__init__(partial(GameRunner, tournament), concurrency, address, _name)
        except RayUnavailable as error:
            raise BadTournament(str(error)) from None


def _name(task: GameTask) -> str:
    return f"game {task.pairing.number + 1}"
