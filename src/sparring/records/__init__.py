"""Records: games from the files that people have, in one packed table."""

from sparring.records.batches import Batch, Batches
from sparring.records.build import BuildReport, TableWriteError, build, find_sources
from sparring.records.presets import BadPreset, PositionFilter, Preset, load_preset
from sparring.records.record import GameRecord, Termination, UnsupportedFormat
from sparring.records.splits import Split, split_of
from sparring.records.table import BadTable, read_shards, records_of

__all__ = [
    "BadPreset",
    "BadTable",
    "Batch",
    "Batches",
    "BuildReport",
    "GameRecord",
    "PositionFilter",
    "Preset",
    "Split",
    "TableWriteError",
    "Termination",
    "UnsupportedFormat",
    "build",
    "find_sources",
    "load_preset",
    "read_shards",
    "records_of",
    "split_of",
]
