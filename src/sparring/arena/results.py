"""Results on the disk: a line of JSON a game, written before the next is begun.

A game is in the tournament when its line is whole. The text of the game comes first and the line then says
where it ends, so that what a kill left half done is cut away by the next run.
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
    """A game that is over."""

    number: int
    first: str
    """Who was player 0."""
    second: str
    opening: int
    result: float | None
    """For player 0; None where nobody could play."""
    reason: str
    detail: str
    plies: int
    seconds: float

    @property
    def counts(self) -> bool:
        """Whether it says something of strength: somebody who could not be started was not beaten."""
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
        """Keeps a game; once this returns, nothing short of the disk's end loses it."""
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
                f"{folder} has {len(self.results)} games already, and {tournament.games} are asked for"
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
    """The players' names in the tournaments' order, as far as their folders tell."""
    names: dict[str, None] = {}
    for folder in folders:
        names.update(dict.fromkeys((_read_facts(folder / _FACTS) or {}).get("players", [])))
    return list(names)


def _read_facts(path: Path) -> dict[str, Any] | None:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise BadTournament(f"{path} cannot be read: {error}") from None
    return facts if isinstance(facts, dict) else None


def _read(path: Path) -> list[tuple[GameResult, int]]:
    """The results of a file, and where the text of each one's game ends. Raises BadTournament or OSError."""
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
