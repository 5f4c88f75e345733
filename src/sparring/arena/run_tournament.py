"""Runs a tournament; an interrupted run resumes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparring.arena.engine_process import FailureReason
from sparring.arena.openings import read_openings
from sparring.arena.results import GameResult, ResultStore
from sparring.arena.schedule import pairing_of
from sparring.arena.sprt import SequentialTest, Sprt
from sparring.arena.tournament import Tournament
from sparring.arena.workers import GameTask, Workers


@dataclass(frozen=True)
class TournamentRun:
    """The result of a run."""

    results: list[GameResult]
    test: SequentialTest | None
    """The sequential test, if the tournament has [sprt]."""

    @property
    def failed_to_start(self) -> dict[str, str]:
        """The players that could not be started, with the reason."""
        found: dict[str, str] = {}
        for each in self.results:
            if each.reason == FailureReason.NOT_STARTED:
                losers = {None: (each.first, each.second), 1.0: (each.second,)}.get(
                    each.result, (each.first,)
                )
                for name in losers:
                    found.setdefault(name, each.detail)
        return found


class PentanomialTest:
    """A sequential test over pairs of games that may end in any order.

    Pairs count in the order of their numbers, up to the first incomplete one. The decision therefore depends
    on the games only, not on the order in which they end.
    """

    def __init__(self, sprt: Sprt, name: str) -> None:
        self.test = SequentialTest(sprt)
        self._name = name
        self._pending: dict[int, GameResult] = {}
        self._next = 0

    def add_result(self, result: GameResult) -> None:
        """Adds a game."""
        self._pending[result.number] = result
        while self._next in self._pending and self._next + 1 in self._pending:
            scores = [self._score(self._pending.pop(self._next + game)) for game in (0, 1)]
            if scores[0] is not None and scores[1] is not None:
                self.test.add(scores[0] + scores[1])
            self._next += 2

    def _score(self, result: GameResult) -> float | None:
        if not result.counts or result.result is None:
            return None
        return result.result if result.first == self._name else 1 - result.result


def run_tournament(
    tournament: Tournament,
    folder: Path,
    workers: Workers,
    on_progress: Callable[[Sequence[GameResult]], None] = lambda _: None,
) -> TournamentRun:
    """Plays the missing games. `on_progress` is called with all results after every game. Raises
    BadTournament."""
    game = tournament.load_game()
    openings = read_openings(tournament.openings, game)
    pairs = None if tournament.sprt is None else PentanomialTest(tournament.sprt, tournament.names[0])
    with ResultStore(folder, tournament) as store:
        done = {result.number for result in store.results}
        if pairs is not None:
            for result in store.results:
                pairs.add_result(result)
        on_progress(store.results)

        def tasks() -> Iterator[GameTask]:
            for number in range(tournament.games):
                if pairs is not None and pairs.test.status != "undecided":
                    return
                if number not in done:
                    pairing = pairing_of(tournament, number, len(openings))
                    yield GameTask(pairing, openings[pairing.opening].state(game))

        for result, record in workers.run(tasks()):
            store.add(result, record)
            if pairs is not None:
                pairs.add_result(result)
            on_progress(store.results)
        return TournamentRun(store.results, None if pairs is None else pairs.test)
