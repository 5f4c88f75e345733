"""Presets: which games a table keeps, as short TOML files that people read, copy and change."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from sparring import data
from sparring.games import GAMES, describe, resolve
from sparring.records.filters import GameFilter
from sparring.records.record import GameRecord


class BadPreset(Exception):
    """A preset that cannot be used; the message says why."""


@dataclass(frozen=True)
class PositionFilter:
    """Which positions of a kept game are learned from or measured on."""

    skip_plies: int = 0
    least_seconds: float = 0


@dataclass(frozen=True)
class Preset:
    """A named filter."""

    name: str
    game: str
    games: GameFilter
    positions: PositionFilter

    def rejection_reason(self, record: GameRecord) -> str:
        """Why a game is left out, in a word or two; empty when it is kept."""
        return self.games.rejection_reason(record, record.plies(self.game))

    def manifest_entry(self) -> dict[str, Any]:
        """What a table remembers of it."""
        manifest_entry: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return manifest_entry


def preset_names() -> list[str]:
    """The presets that came with Sparring."""
    return data.names("presets")


def load_preset(name: str) -> Preset:
    """A preset by its name or file. Raises BadPreset."""
    path = data.path("presets", name) if name in preset_names() else Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        raise BadPreset(
            f"there is no preset '{name}': neither a file nor one of {', '.join(preset_names())}"
        ) from None
    try:
        entries = tomllib.loads(text)
        game = entries.pop("game")
        if game not in GAMES:
            raise ValueError(f"there are presets for {', '.join(GAMES)}, not for {game!r}")
        games = _make(resolve(describe(game).records.filter), entries.pop("games", {}))
        positions = _make(PositionFilter, entries.pop("positions", {}))
    except (ValueError, KeyError, TypeError) as error:
        raise BadPreset(f"preset {name}: {error}") from None
    if entries:
        raise BadPreset(f"preset {name}: unknown entry '{next(iter(entries))}'")
    return Preset(path.stem, game, games, positions)


def _make(kind: type[Any], entries: dict[str, Any]) -> Any:
    known = {field.name for field in fields(kind)}
    for key, value in entries.items():
        if key not in known:
            raise ValueError(f"unknown entry '{key}'; there are {', '.join(sorted(known))}")
        default = getattr(kind(), key)
        if not _fits(value, default):
            raise ValueError(f"'{key}' has the wrong kind of value: {value!r}")
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in entries.items()})


def _fits(value: Any, default: Any) -> bool:
    """Whether an entry's value is of the kind of its default; whole numbers do for others."""
    if isinstance(value, bool) or isinstance(default, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    return isinstance(value, (list,) if isinstance(default, tuple) else (int, float))
