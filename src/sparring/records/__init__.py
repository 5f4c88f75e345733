"""Records: readers of game files, and the packed table of games."""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach

if TYPE_CHECKING:
    from sparring.records.batches import Batch as Batch
    from sparring.records.batches import Batches as Batches
    from sparring.records.build import BuildReport as BuildReport
    from sparring.records.build import build_table as build_table
    from sparring.records.build import find_sources as find_sources
    from sparring.records.presets import PositionFilter as PositionFilter
    from sparring.records.presets import load_preset as load_preset
    from sparring.records.readers import RecordedGame as RecordedGame
    from sparring.records.readers import open_records as open_records
    from sparring.records.readers import preset_for as preset_for
    from sparring.records.record import GameRecord as GameRecord
    from sparring.records.record import Split as Split
    from sparring.records.record import Termination as Termination
    from sparring.records.record import split_of as split_of
    from sparring.records.table import read_shards as read_shards
    from sparring.records.table import records_of as records_of

__getattr__, __dir__, __all__ = attach(__name__)
