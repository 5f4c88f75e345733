"""Runs a tournament and plays its games; an interrupted run resumes."""

from __future__ import annotations

import datetime
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from sparring.arena.results import ArenaGame, ResultStore
from sparring.arena.tournament import (
    Adjudication,
    OpeningSuite,
    Pairing,
    ParticipantConfig,
    StrengthPlayerConfig,
    Tournament,
    pairing_of,
    seeds_of,
)
from sparring.base.errors import BadConfig, BadFile
from sparring.base.workers import LocalWorkerPool, RayWorkerPool, WorkerPool
from sparring.games import Game, describe
from sparring.measure.ratings import SequentialTest, Sprt
from sparring.play.game import LiveGame
from sparring.play.match import play_out
from sparring.play.result import ADJUDICATED_DRAW, ADJUDICATED_WIN, LENGTH_LIMIT, GameResult
from sparring.players import (
    Decision,
    GameStart,
    Player,
    PlayerConfig,
    Turn,
    make_strength_player,
    open_player,
)
from sparring.players.engine_player import EnginePlayer
from sparring.players.engines import EngineConfig, FailureReason, kill_all
from sparring.records import GameRecord
from sparring.records.readers import format_of, formats, reader_of
from sparring.records.sources import open_chunks

# One game of a tournament: its clock, adjudication and record.


Scores = tuple[list[int | None], list[int | None]]
"""Each player's scores in centipawns from its own point of view, one per move; None if it reports none."""


def play_tournament_game(
    game: Game[Any],
    start: Any,
    players: tuple[Player, Player],
    seeds: tuple[int, int],
    tournament: Tournament,
) -> tuple[LiveGame, float]:
    """Plays a game from `start`, the last state of an opening. Returns the finished game and its seconds."""
    began = time.monotonic()
    live = LiveGame(
        game,
        dict(enumerate(players)),
        start=start,
        clock=tournament.clock,
        seed_of=lambda side, ply: seeds[side],
        names=(players[0].name, players[1].name),
    )
    play_out(live, lambda live: adjudicate(tournament.adjudication, _scores(live), live.states[-1].ply))
    return live, time.monotonic() - began


def match_record(
    live: LiveGame, tournament: Tournament, number: int, names: Sequence[str]
) -> GameRecord | None:
    """The record of a finished game; None if neither player could play."""
    if live.end is None or live.end.first_score is None:
        return None
    return live.record(
        players=(names[0], names[1]),
        started=datetime.date.today(),
        event=tournament.name,
        site=f"game {number + 1}",
    ).row()


def adjudicate(rules: Adjudication, scores: Scores, plies: int) -> GameResult | None:
    """The result by both players' scores or by length; None if the game goes on. A player that reports no
    score is never adjudicated."""

    def within(player: int, moves: int, *, low: int = -(1 << 20), high: int = 1 << 20) -> bool:
        """Whether the player's last `moves` scores all lie in [low, high]."""
        last = scores[player][-moves:]
        return len(last) == moves and all(score is not None and low <= score <= high for score in last)

    if (resign := rules.resign) is not None:
        for loser in (0, 1):
            lost = within(loser, resign.moves, high=-resign.score)
            if lost and within(1 - loser, resign.moves, low=resign.score):
                return GameResult.lost_by(loser, ADJUDICATED_WIN, f"both scores beyond {resign.score}")
    draw = rules.draw
    if draw is not None and plies >= draw.after:
        quiet = (within(player, draw.moves, low=-draw.score, high=draw.score) for player in (0, 1))
        if all(quiet):
            return GameResult(0.5, ADJUDICATED_DRAW, f"both scores within {draw.score}")
    if plies >= rules.plies:
        return GameResult(0.5, LENGTH_LIMIT, f"{plies} plies")
    return None


def _scores(live: LiveGame) -> Scores:
    scores: Scores = ([], [])
    for played in live.moves:
        scores[played.player].append(played.centipawns)
    return scores


# Games played in parallel, by processes on this machine or on a Ray cluster.


GameOutput = tuple[ArenaGame, GameRecord | None]


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
        live, seconds = play_tournament_game(self._game, task.start, players, seeds, self._tournament)
        end = live.end
        assert end is not None
        result = ArenaGame(
            number=pairing.number,
            first=names[0],
            second=names[1],
            opening=pairing.opening,
            result=end.first_score,
            reason=str(end.reason),
            detail=end.detail,
            plies=live.states[-1].ply,
            seconds=round(seconds, 3),
        )
        return result, match_record(live, self._tournament, pairing.number, names)

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


class _UnavailablePlayer(Player):
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
        case PlayerConfig():
            return open_player(config)
        case StrengthPlayerConfig():
            return make_strength_player(game.spec.name, config.strength)


class LocalWorkers(LocalWorkerPool[GameTask, GameOutput]):
    """Processes on this machine."""

    def __init__(self, tournament: Tournament, concurrency: int) -> None:
        super().__init__(partial(GameRunner, tournament), concurrency, _name)


class RayWorkers(RayWorkerPool[GameTask, GameOutput]):
    """Machines of a Ray cluster; engines must be installed there."""

    def __init__(self, tournament: Tournament, concurrency: int, address: str) -> None:
        super().__init__(partial(GameRunner, tournament), concurrency, address, _name)


def _name(task: GameTask) -> str:
    return f"game {task.pairing.number + 1}"


@dataclass(frozen=True)
class TournamentRun:
    """The result of a run."""

    results: list[ArenaGame]
    test: SequentialTest | None
    """The sequential test, if the tournament has [sprt]."""

    @property
    def failed_to_start(self) -> dict[str, str]:
        """The players that could not be started, with the reason."""
        failures: dict[str, str] = {}
        for game in self.results:
            if game.reason == FailureReason.NOT_STARTED:
                for name in game.losers:
                    failures.setdefault(name, game.detail)
        return failures


class PentanomialTest:
    """A sequential test over pairs of games that may end in any order.

    Pairs count in the order of their numbers, up to the first incomplete one. The decision therefore depends
    on the games only, not on the order in which they end.
    """

    def __init__(self, sprt: Sprt, name: str) -> None:
        self.test = SequentialTest(sprt)
        self._name = name
        self._pending: dict[int, ArenaGame] = {}
        self._next = 0

    def add_result(self, result: ArenaGame) -> None:
        """Adds a game."""
        self._pending[result.number] = result
        while self._next in self._pending and self._next + 1 in self._pending:
            scores = [self._score(self._pending.pop(self._next + game)) for game in (0, 1)]
            if scores[0] is not None and scores[1] is not None:
                self.test.add(scores[0] + scores[1])
            self._next += 2

    def _score(self, result: ArenaGame) -> float | None:
        if not result.counts or result.result is None:
            return None
        return result.result if result.first == self._name else 1 - result.result


def run_tournament(
    tournament: Tournament,
    folder: Path,
    workers: Workers,
    on_progress: Callable[[Sequence[ArenaGame]], None] = lambda _: None,
) -> TournamentRun:
    """Plays the missing games. `on_progress` is called with all results after every game. Raises
    BadConfig."""
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


# Openings: the positions in which games begin, from files of games or positions.


_MOST_BYTES = 1 << 28
_MOST = 1_000_000


@dataclass(frozen=True)
class Opening:
    """A position with the moves that lead to it, packed so that a million fit in memory."""

    start: str | None
    """The text of the first position; None for the initial position."""
    moves: bytes
    """Packed moves, as in records."""

    def state(self, game: Game[Any]) -> Any:
        """The position with its history."""
        start = game.initial() if self.start is None else game.parse(self.start)
        width = describe(game.spec.name).packed_move_bytes
        return start.unpack_moves(self.moves, width) if self.moves else start


def read_openings(openings: OpeningSuite | None, game: Game[Any]) -> list[Opening]:
    """Every opening once, in the order of the file; without a file, the initial position. Raises
    BadConfig."""
    if openings is None:
        return [Opening(None, b"")]
    path = openings.file
    try:
        unique = list(dict.fromkeys(_read(path, openings, game)))
    except (OSError, BadFile, zipfile.BadZipFile) as error:
        raise BadConfig(f"openings {path}: {error}") from None
    if not unique:
        raise BadConfig(f"openings {path}: there is none in it")
    return unique


def _read(path: Path, openings: OpeningSuite, game: Game[Any]) -> Iterator[Opening]:
    count = 0
    for name, chunks in _members(path):
        ending = format_of(Path(name))
        positions, games = describe(game.spec.name).openings.suffixes, formats(game.spec.name)
        if ending in (*positions, "txt"):
            entries = _positions(chunks, name, game)
        elif ending in games:
            entries = _games(chunks, name, reader_of(game.spec.name, ending), openings, game)
        else:
            endings = [*positions, *games]
            raise BadFile(f"{name} holds no {game.spec.name}; such files end in {', '.join(endings)} or txt")
        for opening in entries:
            count += 1
            if count > _MOST:
                raise BadConfig(f"openings {path}: more than {_MOST:,}")
            if game.outcome(opening.state(game)) is None:
                yield opening


def _members(path: Path) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The files inside an archive, with their content."""
    if path.suffix.lower() != ".zip":
        yield path.name, open_chunks(path)
        return
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.is_dir() and not PurePosixPath(member.filename).name.startswith((".", "_")):
                if member.file_size > _MOST_BYTES:
                    raise BadConfig(f"openings {path}: {member.filename} is too large")
                yield member.filename, [archive.read(member)]


def _games(
    chunks: Iterable[bytes],
    name: str,
    reader: Callable[[Iterable[bytes], int], Iterable[Any]],
    openings: OpeningSuite,
    game: Game[Any],
) -> Iterator[Opening]:
    width, plies, every = describe(game.spec.name).packed_move_bytes, openings.plies, openings.every
    for parsed in reader(chunks, 0):
        if parsed.record is None:
            raise BadConfig(f"openings {name}, {parsed.where}: {parsed.error}")
        start, moves = parsed.record.start, parsed.record.moves
        longest = min(plies, len(moves) // width)
        for length in range(every, longest + 1, every) if every else (longest,):
            yield Opening(start, moves[: length * width])


def _positions(chunks: Iterable[bytes], name: str, game: Game[Any]) -> Iterator[Opening]:
    text = b"".join(chunks).decode("utf-8", "replace")
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                yield _position(line.strip(), game)
            except ValueError as error:
                raise BadConfig(f"openings {name}, line {number}: {error}") from None


def _position(line: str, game: Game[Any]) -> Opening:
    """Parses a position: EPD, FEN, SFEN, or `startpos moves ...`."""
    place, _, moves = line.partition("moves ")
    place = place.strip().removeprefix("position ").removeprefix("sfen ").removeprefix("fen ").strip()
    usual = place == "startpos"
    description = describe(game.spec.name)
    normalise = description.openings.normalise
    start = game.initial() if usual else game.parse(place if normalise is None else normalise(place))
    state = start
    for move in moves.split():
        state = game.play(state, game.parse_move(state, move))
    return Opening(None if usual else game.text(start), state.pack_moves(description.packed_move_bytes))
