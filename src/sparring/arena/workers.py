"""Games played side by side: processes on this machine, each at its own table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from sparring.arena.contestants import Contestant, open_contestant
from sparring.arena.match import play_game, record_of
from sparring.arena.process import kill_all
from sparring.arena.results import Result
from sparring.arena.schedule import Pairing, seeds_of
from sparring.arena.tournament import BadTournament, Tournament
from sparring.records import GameRecord
from sparring.workers import LocalCrew, NoRay, RayCrew

Played = tuple[Result, GameRecord | None]


@dataclass(frozen=True)
class Task:
    """A game to be played."""

    pairing: Pairing
    start: Any
    """The state after the opening."""


class Workers(Protocol):
    """Whatever plays games: here, or on other machines."""

    def run(self, tasks: Iterator[Task]) -> Iterator[Played]:
        """The games as they end; a task is taken only when somebody is free for it."""
        ...


class Table:
    """Plays one game after the other; engines stay from game to game."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._game = tournament.load_rules()
        self._seats: dict[int, Contestant] = {}

    def work(self, task: Task) -> Played:
        """A game and its record."""
        pairing = task.pairing
        names = [self._tournament.entries[player].name for player in (pairing.first, pairing.second)]
        seats = (self._seat(pairing.first), self._seat(pairing.second))
        seeds = seeds_of(self._tournament, pairing.number)
        played = play_game(self._game, task.start, seats, seeds, self._tournament)
        verdict = played.verdict
        result = Result(
            number=pairing.number,
            first=names[0],
            second=names[1],
            opening=pairing.opening,
            result=verdict.result,
            reason=str(verdict.reason),
            detail=verdict.detail,
            plies=played.state.ply,
            seconds=round(played.seconds, 3),
        )
        return result, record_of(played, self._tournament, pairing.number, names)

    def close(self) -> None:
        """Lets every engine quit."""
        for seat in self._seats.values():
            seat.close()
        self._seats.clear()

    def abandon(self) -> None:
        """Kills every engine."""
        kill_all()

    def _seat(self, player: int) -> Contestant:
        if player not in self._seats:
            self._seats[player] = open_contestant(self._tournament.entries[player], self._game)
        return self._seats[player]


class LocalWorkers(LocalCrew[Task, Played]):
    """Tables in processes on this machine."""

    def __init__(self, tournament: Tournament, concurrency: int) -> None:
        super().__init__(partial(Table, tournament), concurrency, _name)


class RayWorkers(RayCrew[Task, Played]):
    """Tables on the machines of a cluster; engines must be installed there."""

    def __init__(self, tournament: Tournament, concurrency: int, address: str) -> None:
        try:
            super().__init__(partial(Table, tournament), concurrency, address)
        except NoRay as error:
            raise BadTournament(str(error)) from None


def _name(task: Task) -> str:
    return f"game {task.pairing.number + 1}"
