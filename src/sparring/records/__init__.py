"""Records: games from the files that people have, in one packed table."""

from sparring.records.build import Report, build
from sparring.records.presets import BadPreset, Preset, load_preset
from sparring.records.record import Ending, GameRecord
from sparring.records.table import BadTable, read_shards, records_of

__all__ = [
    "BadPreset",
    "BadTable",
    "Ending",
    "GameRecord",
    "Preset",
    "Report",
    "build",
    "load_preset",
    "read_shards",
    "records_of",
]
