"""The results of a tournament on disk: one line of JSON per game, written before the next game begins.

A game counts once its line is complete. The game's text is written first, and the line holds the offset of
its end. After a kill, the next run truncates an incomplete line and the text after the last complete game.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from sparring.arena.match import NOT_STARTED
from sparring.arena.tournament import BadTournament, Tournament
from sparring.games import describe
from sparring.records import GameRecord
from sparring.records.readers import writer_of
from sparring.storage import (
    BadJournal,
    FolderLock,
    FolderLocked,
    Journal,
    append_or_rollback,
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


class ResultStore:
    """The folder of a tournament, locked for one run. Raises BadTournament or OSError."""

    def __init__(self, folder: Path, tournament: Tournament) -> None:
        self._lock = _locked(folder)
        self._write = writer_of(tournament.game)
        self._games = folder / f"games.{describe(tournament.game).records.suffix}"
        try:
            self._remember(folder / _FACTS, tournament)
            known = _read(folder / RESULTS)
            self.results = [result for result, _ in known]
            self._check(folder, tournament)
            self._journal = Journal(folder / RESULTS, sync=True)
            self._games_end = known[-1][1] if known else 0
            with self._games.open("ab") as games:
                games.truncate(min(self._games_end, games.tell()))
        except BaseException:
            self._lock.release()
            raise

    def add(self, result: GameResult, record: GameRecord | None) -> None:
        """Appends a result and the record of the game. Both are synced to disk when this returns. Raises
        OSError."""
        if record is not None:
            text = self._write(record).rstrip("\n") + "\n\n"
            self._games_end = append_or_rollback(self._games, text.encode(), sync=True)
        self._journal.add({**asdict(result), "games_end": self._games_end})
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
        if facts_known is not None and facts_known.get("fingerprint") != facts["fingerprint"]:
            raise BadTournament(
                f"{path.parent} holds games of another tournament, or of this one before it was changed; "
                "only 'games', 'name' and [sprt] may change. Use another --out"
            )
        atomic_write(path, json.dumps({**facts, "players": tournament.names}) + "\n")

    def _check(self, folder: Path, tournament: Tournament) -> None:
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
        found += [result for result, _ in _read(path)]
    return found


def read_names(folders: Iterable[Path]) -> list[str]:
    """The players' names, in the order of the tournaments, from the folders that have them. A file of results
    has none."""
    names: dict[str, None] = {}
    for folder in folders:
        names.update(dict.fromkeys((_read_facts(folder / _FACTS) or {}).get("players", [])))
    return list(names)


def _read_facts(path: Path) -> dict[str, Any] | None:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):  # the results may be a file on its own
        return None
    except (OSError, ValueError) as error:
        raise BadTournament(f"{path} cannot be read: {error}") from None
    return facts if isinstance(facts, dict) else None


def _read(path: Path) -> list[tuple[GameResult, int]]:
    """The results of a file, each with the offset at which the text of its game ends. Raises BadTournament
    or OSError."""
    try:
        lines = read_journal(path)
    except BadJournal as error:
        raise BadTournament(str(error)) from None
    found = []
    for number, facts in enumerate(lines, 1):
        try:
            if facts["result"] not in (None, 0, 0.5, 1) or not isinstance(facts["number"], int):
                raise ValueError
            found.append(
                (
                    GameResult(**{key: facts[key] for key in GameResult.__annotations__}),
                    int(facts["games_end"]),
                )
            )
        except (ValueError, KeyError, TypeError):
            raise BadTournament(f"{path}, line {number} is no result of a game") from None
    return found
