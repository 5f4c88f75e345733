"""Agreement of our network readers with the original programs.

References: Lc0's own code for Lc0 and Maia networks, KataGo's recorded outputs for KataGo networks, the
published graph at batch 1 for Maia-3.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sparring._core import chess_moves
from sparring.base.provenance import provenance
from sparring.chess.pgn import read_pgn
from sparring.measure.reports import write_json
from sparring.records.sources import open_chunks
from studies.networks import katago, lc0, maia3

Games = Sequence[Sequence[str]]
"""Games as UCI moves."""


@dataclass(frozen=True)
class Tolerance:
    """The largest difference that counts as agreement, of the report's entry `key`."""

    key: str
    maximum: float


@dataclass(frozen=True)
class Case:
    """A network's file, its comparison, and the tolerances."""

    path: Path
    measure: Callable[[], dict[str, Any]]
    limits: tuple[Tolerance, ...]


LC0 = (Tolerance("greatest_probability_difference", 0.002), Tolerance("greatest_value_difference", 0.002))
KATAGO = (
    Tolerance("greatest_policy_difference", 0.002),
    Tolerance("greatest_win_rate_difference", 0.005),
    Tolerance("greatest_lead_difference", 0.1),
)


def run(nets: Path, references: Path, games: Path, positions: int, out: Path, command: str) -> dict[str, Any]:
    """Compares every network in `nets` and writes `agreement.json` after each; returns the report.

    `references` is the folder of KataGo's outputs, `games` a PGN file with at least `positions` positions.
    """
    moves = read_games(games, positions)
    report: dict[str, Any] = {
        **provenance(command),
        "games": f"{len(moves)} of {games.name}",
        "networks": {},
    }
    for case in cases(nets, references, moves):
        found = case.measure()
        limits = {limit.key: limit.maximum for limit in case.limits}
        agrees = all(found[key] <= maximum for key, maximum in limits.items())
        report["networks"][case.path.name] = {**found, "limits": limits, "agrees": agrees}
        write_json(report, out / "agreement.json")
    return report


def cases(nets: Path, references: Path, moves: Games) -> Iterator[Case]:
    """The comparisons for the network files in `nets/lc0`, `nets/katago` and `nets/maia3`."""
    for path in sorted((nets / "lc0").glob("*.pb.gz")):
        yield Case(path, partial(lc0.agreement, path, moves), LC0)
    for path in sorted((nets / "katago").glob("*.bin.gz")):
        for reference in sorted(references.glob("katago-*.json")):
            if json.loads(reference.read_text())["net"] == path.name:
                yield Case(path, partial(katago.agreement, path, reference), KATAGO)
    for path in sorted((nets / "maia3").glob("*.onnx")):
        yield Case(path, partial(maia3.agreement, path, moves), LC0)


def read_games(path: Path, positions: int) -> list[list[str]]:
    """The UCI moves of the first games of a PGN file that together have `positions` positions."""
    games: list[list[str]] = []
    for found in read_pgn(open_chunks(path)):
        if sum(map(len, games)) >= positions:
            break
        if found.record is not None and found.record.start is None:
            games.append(chess_moves(None, found.record.moves))
    return games
