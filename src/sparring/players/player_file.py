"""Reads players' TOML files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparring.config import BadConfig, Source, from_table, is_file, read_toml
from sparring.players.levels import level_keys
from sparring.players.player_config import BadPlayerConfig, PlayerConfig


def load_player_config(path: Path) -> PlayerConfig:
    """Reads a player's TOML file; the name is that of the file unless given. Raises BadPlayerConfig."""
    table = {"name": path.stem, **read_toml(path, BadPlayerConfig)}
    return parse_player_config(table, Source(path, BadPlayerConfig))


def parse_player_config(table: Mapping[str, Any], source: Source | None = None) -> PlayerConfig:
    """Makes a configuration from a TOML table. A level sets the keys that the table does not have. Files are
    looked for in the folder of the source first.

    Raises the exception of the source, by default BadPlayerConfig.
    """
    source = source or Source(error=BadPlayerConfig)
    config = from_table(PlayerConfig, table, source)
    files: dict[str, Any] = {}
    for key in ("model", "evaluator", "book"):
        name = getattr(config, key)
        if name and is_file(source.folder / name):
            files[key] = str(source.folder / name)
    config = replace(config, **files)
    if config.level is None:
        return config
    try:
        keys = level_keys(config.game, config.level)
    except BadConfig as error:
        raise source.fault(source.key_path(str(error))) from None
    return replace(config, **{key: value for key, value in keys.items() if key not in table})
