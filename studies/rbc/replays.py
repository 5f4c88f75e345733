"""Journals of recorded games that are replayed to a planner."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from sparring.base.errors import JournalMismatch
from sparring.base.provenance import provenance
from sparring.base.storage import Journal
from sparring.measure.reports import write_json
from sparring.rbc.bots import BotConfig
from sparring.rbc.planner import PlannerBot
from sparring.records import GameRecord


class ReplayPlanner(NamedTuple):
    """A planner and the configuration that it was made from."""

    bot: PlannerBot
    config: BotConfig


Entry: TypeAlias = dict[str, Any]
"""A replayed game in the journal."""


def replay_games(
    records: Sequence[GameRecord],
    planner: ReplayPlanner,
    report: Path,
    command: str,
    replay: Callable[[GameRecord, PlannerBot, int], Entry],
    summary: Callable[[Sequence[Entry]], dict[str, Any]],
    on_progress: Callable[[int, int], None],
) -> dict[str, Any]:
    """Replays the games that the journal beside the report does not have; writes the report after each.

    Returns the summary of all games. Raises JournalMismatch as `open_replays`.
    """
    journal = open_replays(report.with_suffix(".jsonl"), planner.config, records)
    games: list[Entry] = journal.entries[: len(records)]
    for number in range(len(games), len(records)):
        entry = {"game": game_digest(records[number]), **replay(records[number], planner.bot, number)}
        journal.add(entry)
        games.append(entry)
        write_json({**provenance(command), **summary(games)}, report)
        on_progress(number + 1, len(records))
    return summary(games)


def open_replays(path: Path, config: BotConfig, records: Sequence[GameRecord]) -> Journal:
    """The journal of replayed games, one entry a game, in the order of the records.

    Raises JournalMismatch if it is of another planner or of other games.
    """
    try:
        journal = Journal(path, header={"bot": asdict(config)})
    except JournalMismatch:
        raise JournalMismatch(f"{path} is of another planner") from None
    if any(
        entry.get("game") != game_digest(record)
        for entry, record in zip(journal.entries, records, strict=False)
    ):
        raise JournalMismatch(f"{path} is of other games")
    return journal


def game_digest(record: GameRecord) -> str:
    """A digest of the players and the moves of a game."""
    names = f"{record.first}\n{record.second}\n".encode()
    return hashlib.sha256(names + record.moves).hexdigest()[:16]
