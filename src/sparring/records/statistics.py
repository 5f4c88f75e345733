"""What is in a table: games and positions by rating, speed and result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from sparring.records.record import MOVE_BYTES
from sparring.records.table import read_manifest, read_shards

_COLUMNS = [
    "moves",
    "result",
    "ending",
    "first_rating",
    "second_rating",
    "first_rank",
    "second_rank",
    "speed",
    "time_control",
    "clocks",
    "evals",
]
_RESULTS = {1.0: "first wins", 0.5: "draw", 0.0: "second wins", None: "unknown"}


@dataclass
class Statistics:
    """Counts of games; `positions` of positions.

    A rating group is where both players are in one hundred; a rank, where both have it.
    """

    game: str
    games: int = 0
    positions: int = 0
    with_clocks: int = 0
    with_evals: int = 0
    groups: Counter[str] = field(default_factory=Counter)
    ranks: Counter[str] = field(default_factory=Counter)
    speeds: Counter[str] = field(default_factory=Counter)
    time_controls: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)


def collect(folder: Path) -> Statistics:
    """Reads a table once. Raises BadTable."""
    found = Statistics(read_manifest(folder)["game"])
    width = MOVE_BYTES[found.game]
    for shard in read_shards(folder, _COLUMNS):
        columns = {name: shard[name].to_pylist() for name in _COLUMNS}
        found.games += shard.num_rows
        found.positions += sum(map(len, columns["moves"])) // width
        found.with_clocks += sum(value is not None for value in columns["clocks"])
        found.with_evals += sum(value is not None for value in columns["evals"])
        found.groups.update(map(_group, columns["first_rating"], columns["second_rating"]))
        found.ranks.update(map(_rank, columns["first_rank"], columns["second_rank"]))
        found.speeds.update(value or "unknown" for value in columns["speed"])
        found.time_controls.update(value or "unknown" for value in columns["time_control"])
        found.results.update(_RESULTS[value] for value in columns["result"])
        found.endings.update(columns["ending"])
    return found


def _group(first: int | None, second: int | None) -> str:
    if first is None or second is None:
        return "unknown"
    return str(first // 100 * 100) if first // 100 == second // 100 else "mixed"


def _rank(first: str | None, second: str | None) -> str:
    if first is None or second is None:
        return "unknown"
    return first if first == second else "mixed"
