"""Presets: TOML files that select the games of a table and the positions of each game."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sparring import data
from sparring.base.config import Count, NonNegative, Source, bad_value, from_table, is_file, read_toml
from sparring.base.errors import BadConfig
from sparring.games import GAMES
from sparring.records.record import GameRecord, record_formats

# Filters of recorded games: `[games]` of a preset. Some games have their own filter class.


class GameFilter(Protocol):
    """A frozen dataclass whose fields are the keys of a preset's [games]."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving out a game of `plies` plies, in a word or two; empty if it is kept."""
        ...


@dataclass(frozen=True)
class BasicFilter:
    """The default filter: by termination and length."""

    endings: tuple[str, ...] = ()
    """Terminations to keep, such as "normal", "time" or "rules infraction"; empty for all."""
    min_plies: Count = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
        if self.endings and record.ending not in self.endings:
            return f"ending: {record.ending}"
        return "too short" if plies < self.min_plies else ""


@dataclass(frozen=True)
class PositionFilter:
    """`[positions]`: the positions of a kept game that are trained on or measured."""

    skip_plies: Count = 0
    """Plies at the start of a game that are left out."""
    min_clock: NonNegative = 0
    """Moves made with fewer seconds left are left out, where clocks are recorded."""


@dataclass(frozen=True)
class PresetFile:
    """A preset: the keys of its TOML file."""

    game: str
    """Name of the game."""
    games: Mapping[str, Any] = field(default_factory=dict)
    """`[games]`: the filter of the game."""
    positions: PositionFilter = PositionFilter()
    """`[positions]`."""

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise bad_value("game", self.game, f"one of {', '.join(GAMES)}")


@dataclass(frozen=True)
class Preset:
    """A named filter."""

    name: str
    game: str
    games: GameFilter
    positions: PositionFilter

    def rejection_reason(self, record: GameRecord) -> str:
        """The reason for leaving a game out, in a word or two; empty if it is kept."""
        return self.games.rejection_reason(record, record.plies(self.game))

    def manifest_entry(self) -> dict[str, Any]:
        """The preset as plain values for the table's manifest."""
        manifest_entry: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return manifest_entry


def preset_names() -> list[str]:
    """Names of the shipped presets."""
    return data.names("presets")


def load_preset(name: str) -> Preset:
    """Reads a preset by its name or file. Raises BadConfig."""
    path = data.path("presets", name) if name in preset_names() else Path(name)
    if not is_file(path):
        raise BadConfig(f"there is no preset '{name}': neither a file nor one of {', '.join(preset_names())}")
    source = Source(path)
    file = from_table(PresetFile, read_toml(path), source)
    games = from_table(game_filter(file.game), file.games, source.inside("games"))
    return Preset(path.stem, file.game, games, file.positions)


def presets_of(game: str) -> list[Preset]:
    """The shipped presets of a game."""
    tables = ((name, read_toml(data.path("presets", name))) for name in preset_names())
    return [load_preset(name) for name, table in tables if table.get("game") == game]


def default_preset(game: str) -> Preset:
    """The preset of files that were not built into a table: it keeps every game of the file.

    Raises BadConfig for an unknown game.
    """
    if everything := record_formats(game).everything:
        return load_preset(everything)
    return Preset(game, game, game_filter(game)(), PositionFilter())


def game_filter(game: str) -> type[Any]:
    """The dataclass of the table [games] in a game's presets."""
    return record_formats(game).filter or BasicFilter
