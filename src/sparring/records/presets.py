"""Presets: TOML files that select the games of a table and the positions of each game."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from sparring import data
from sparring.config import BadConfig, BadValue, Count, NonNegative, Source, from_table, is_file, read_toml
from sparring.games import GAMES, describe, resolve
from sparring.records.filters import RENAMED, GameFilter
from sparring.records.record import GameRecord


class BadPreset(BadConfig):
    """A preset that cannot be used."""


@dataclass(frozen=True)
class PositionFilter:
    """`[positions]`: the positions of a kept game that are trained on or measured."""

    RENAMED: ClassVar[Mapping[str, str]] = RENAMED

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
            raise BadValue("game", self.game, f"one of {', '.join(GAMES)}")


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
    """Reads a preset by its name or file. Raises BadPreset."""
    path = data.path("presets", name) if name in preset_names() else Path(name)
    if not is_file(path):
        raise BadPreset(f"there is no preset '{name}': neither a file nor one of {', '.join(preset_names())}")
    source = Source(path, BadPreset)
    file = from_table(PresetFile, read_toml(path, BadPreset), source)
    games = from_table(resolve(describe(file.game).records.filter), file.games, source.inside("games"))
    return Preset(path.stem, file.game, games, file.positions)


def default_preset(game: str) -> Preset:
    """The preset of files that were not built into a table: it keeps every game of the file.

    Raises ValueError for an unknown game.
    """
    records = describe(game).records
    if records.everything:
        return load_preset(records.everything)
    return Preset(game, game, resolve(records.filter)(), PositionFilter())


def upgrade_manifest_entry(entry: Any) -> Any:
    """The preset in a table's manifest with the present names of its keys."""
    if not isinstance(entry, dict):
        return entry
    return {
        part: {RENAMED.get(key, key): value for key, value in keys.items()}
        if isinstance(keys, dict)
        else keys
        for part, keys in entry.items()
    }
