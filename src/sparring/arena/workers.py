"""Games played side by side: processes on this machine, each at its own table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from sparring.arena.contestants import Contestant, open_player
from sparring.arena.engine_process import kill_all
from sparring.arena.match import play_game, record_of
from sparring.arena.results import GameResult
from sparring.arena.schedule import Pairing, seeds_of
from sparring.arena.tournament import BadTournament, Tournament
from sparring.records import GameRecord
from sparring.workers import LocalWorkerPool, RayUnavailable, RayWorkerPool

GameOutput = tuple[GameResult, GameRecord | None]


@dataclass(frozen=True)
class GameTask:
    """A game to be played."""

    pairing: Pairing
    start: Any
    """The state after the opening."""


class Workers(Protocol):
    """Whatever plays games: here, or on other machines."""

    def run(self, tasks: Iterator[GameTask]) -> Iterator[GameOutput]:
        """The games as they end; a task is taken only when somebody is free for it."""
        ...


class GameRunner:
    """Plays one game after the other; engines stay from game to game."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._game = tournament.load_game()
        self._seats: dict[int, Contestant] = {}

    def work(self, task: GameTask) -> GameOutput:
        """A game and its record."""
        pairing = task.pairing
        names = [self._tournament.entries[player].name for player in (pairing.first, pairing.second)]
        players = (self._seat(pairing.first), self._seat(pairing.second))
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
        return result, record_of(played, self._tournament, pairing.number, names)

    def close(self) -> None:
        """Lets every engine quit."""
        for seat in self._seats.values():
            seat.close()
        self._seats.clear()

    def terminate(self) -> None:
        """Kills every engine."""
        kill_all()

    def _seat(self, player: int) -> Contestant:
        if player not in self._seats:
            self._seats[player] = open_player(self._tournament.entries[player], self._game)
        return self._seats[player]


class LocalWorkers(LocalWorkerPool[GameTask, GameOutput]):
    """Tables in processes on this machine."""

    def __init__(self, tournament: Tournament, concurrency: int) -> None:
        super().__init__(partial(GameRunner, tournament), concurrency, _name)


class RayWorkers(RayWorkerPool[GameTask, GameOutput]):
    """Tables on the machines of a cluster; engines must be installed there."""

    def __init__(self, tournament: Tournament, concurrency: int, address: str) -> None:
        try:
            super().__init__(partial(GameRunner, tournament), concurrency, address)
        except RayUnavailable as error:
            raise BadTournament(str(error)) from None


def _name(task: GameTask) -> str:
    return f"game {task.pairing.number + 1}"
