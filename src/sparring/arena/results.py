"""The results of a tournament on disk: one line of JSON per game, written before the next game begins.

A game counts once its line is complete. The game's text is written first, and the line holds the offset of
its end. After a kill, the next run truncates an incomplete line and the text after the last complete game.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Annotated

import msgspec

from sparring.arena.match import NOT_STARTED
from sparring.arena.tournament import BadTournament, Tournament
from sparring.games import describe
from sparring.records import GameRecord
from sparring.records.readers import writer_of
from sparring.storage import (
    BadJournal,
    CompanionFile,
    FolderLock,
    FolderLocked,
    Journal,
    atomic_write,
    lock_folder,
    read_journal,
)

RESULTS = "results.jsonl"
_FACTS = "tournament.json"


@dataclass(frozen=True)
class GameResult:
    """The result of a finished game."""

    number: int
    first: str
    """Name of player 0."""
    second: str
    opening: int
    result: float | None
    """Score of player 0: 1, 0.5 or 0; None if neither player could start."""
    reason: str
    detail: str
    plies: int
    seconds: float

    @property
    def counts(self) -> bool:
        """Whether the game counts for ratings. Games in which a player could not start do not."""
        return self.result is not None and self.reason != NOT_STARTED


@dataclass(frozen=True)
class _ResultLine(GameResult):
    """A line of the results file."""

    games_end: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Size of the file of games after this game."""
    games_crc32: int | None = None
    """Checksum of the file of games so far; None in files of older versions."""

    def __post_init__(self) -> None:
        if self.result not in (None, 0, 0.5, 1):
            raise ValueError(f"{self.result} is no result of a game")

    def result_of_game(self) -> GameResult:
        """The result without its place in the file of games."""
        return GameResult(**{each.name: getattr(self, each.name) for each in fields(GameResult)})


class ResultStore:
    """The folder of a tournament, locked for one run. Raises BadTournament or OSError."""

    def __init__(self, folder: Path, tournament: Tournament) -> None:
        self._lock = _locked(folder)
        self._write = writer_of(tournament.game)
        try:
            self._remember(folder / _FACTS, tournament)
            known = _read(folder / RESULTS)
            self.results = [line.result_of_game() for line in known]
            self._check(folder, tournament)
            end, checksum = (known[-1].games_end, known[-1].games_crc32) if known else (0, None)
            games = folder / f"games.{describe(tournament.game).records.suffix}"
            self._games = CompanionFile(games, end, checksum)
            self._journal = Journal(folder / RESULTS, sync=True)
        except BadJournal as error:
            self._lock.release()
            raise BadTournament(str(error)) from None
        except BaseException:
            self._lock.release()
            raise

    def add(self, result: GameResult, record: GameRecord | None) -> None:
        """Appends a result and the record of the game. Both are synced to disk when this returns. Raises
        OSError."""
        if record is not None:
            text = self._write(record).rstrip("\n") + "\n\n"
            self._games.append(text.encode(errors="replace"), sync=True)
        place = {"games_end": self._games.size, "games_crc32": self._games.checksum}
        self._journal.add({**asdict(result), **place})
        self.results.append(result)

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def _remember(self, path: Path, tournament: Tournament) -> None:
        facts = {"fingerprint": tournament.fingerprint(), "name": tournament.name, "game": tournament.game}
        facts_known = _read_facts(path)
        if facts_known is not None and facts_known.fingerprint != facts["fingerprint"]:
            raise BadTournament(
                f"{path.parent} holds games of another tournament, or of this one before it was changed; "
                "only 'games', 'name' and [sprt] may change. Use another --out"
            )
        atomic_write(path, json.dumps({**facts, "players": tournament.names}) + "\n")

    def _check(self, folder: Path, tournament: Tournament) -> None:
        numbers = Counter(result.number for result in self.results)
        if twice := [number for number, count in numbers.items() if count > 1]:
            raise BadTournament(f"{folder / RESULTS} has game {twice[0]} twice; remove one of its lines")
        if len(self.results) > tournament.games:
            raise BadTournament(
                f"{folder} has {len(self.results)} games already, more than {tournament.games}"
            )


def _locked(folder: Path) -> FolderLock:
    try:
        return lock_folder(folder)
    except FolderLocked as error:
        raise BadTournament(str(error)) from None


def read_results(folders: Iterable[Path]) -> list[GameResult]:
    """The games of some tournaments. Raises BadTournament or OSError."""
    found: list[GameResult] = []
    for folder in folders:
        path = folder / RESULTS if folder.is_dir() else folder
        if not path.exists():
            raise BadTournament(f"there are no results in {folder} (no {RESULTS})")
        found += [line.result_of_game() for line in _read(path)]
    return found


def read_names(folders: Iterable[Path]) -> list[str]:
    """The players' names, in the order of the tournaments, from the folders that have them. A file of results
    has none."""
    names: dict[str, None] = {}
    for folder in folders:
        facts = _read_facts(folder / _FACTS)
        names.update(dict.fromkeys([] if facts is None else facts.players))
    return list(names)


class _Facts(msgspec.Struct):
    """What `tournament.json` says about the folder."""

    fingerprint: str = ""
    players: list[str] = []


def _read_facts(path: Path) -> _Facts | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Facts)
    except (FileNotFoundError, NotADirectoryError):  # the results may be a file on its own
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise BadTournament(f"{path} cannot be read: {error}") from None


def _read(path: Path) -> list[_ResultLine]:
    """The results of a file. Raises BadTournament or OSError."""
    try:
        return msgspec.convert(read_journal(path, kind=_ResultLine), list[_ResultLine])
    except BadJournal as error:
        raise BadTournament(f"{error}; remove the line if the rest is right") from None
