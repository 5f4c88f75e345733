"""Journals of recorded games that are replayed to a planner."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from sparring.players.rbc import BotConfig
from sparring.players.rbc.planner import PlannerBot
from sparring.records import GameRecord
from sparring.storage import Journal, JournalMismatch


class ReplayPlanner(NamedTuple):
    """A planner and the configuration that it was made from."""

    bot: PlannerBot
    config: BotConfig


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
