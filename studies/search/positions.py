"""Held-out positions of people's games with the expected score of every legal move."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import atomic_write
from sparring.games import load_game
from sparring.measure.samples import GameSelection, Sample, read_sample
from studies.search.move_values import MoveValues

UNDECIDED = 300.0
"""Only positions whose recorded evaluation is within so many centipawns are taken."""


@dataclass(frozen=True)
class ScoredPosition:
    """A position of a game with the value of its moves."""

    state: Any
    """With all earlier positions of the game."""
    game: int
    """Index of the game."""
    played: int
    """Index of the move that was played among the legal moves, ascending."""
    losses: NDArray[np.float64]
    """[moves]: the best expected score minus that of each move."""


def collect_positions(
    records: Sequence[Path],
    number: int,
    values: MoveValues,
    on_progress: Callable[[str], None] = lambda _: None,
) -> list[ScoredPosition]:
    """Undecided positions of the test split, spread evenly over its groups and games."""
    sample = read_sample(GameSelection("chess", tuple(records), positions=4 * number, every=7))
    chosen = _undecided(sample, number)
    found = []
    for row, state in zip(chosen.tolist(), _states(sample, chosen), strict=True):
        facts = sample.metadata[row]
        found.append(ScoredPosition(state, int(facts["game"]), int(facts["played"]), values.losses(state)))
        on_progress(f"Stockfish: position {len(found)} of {number}")
    return found


def write_positions(positions: Sequence[ScoredPosition], path: Path) -> None:
    """Writes a file of JSON lines, compressed by gzip. Raises OSError."""
    lines = []
    for position in positions:
        moves, state = [], position.state
        while state.previous is not None:
            moves.append(state.previous.move_text(state.last_move))
            state = state.previous
        line = {
            "game": position.game,
            "start": state.text(),
            "moves": " ".join(reversed(moves)),
            "played": position.played,
            "losses": [round(loss, 6) for loss in position.losses.tolist()],
        }
        lines.append(json.dumps(line) + "\n")
    atomic_write(path, gzip.compress("".join(lines).encode(), mtime=0))


def read_positions(path: Path) -> list[ScoredPosition]:
    """Reads a file of `write_positions`. Raises OSError or ValueError."""
    game, found = load_game("chess"), []
    for line in gzip.decompress(path.read_bytes()).splitlines():
        facts = json.loads(line)
        state = game.parse(facts["start"])
        for move in facts["moves"].split():
            state = state.play(state.parse_move(move))
        found.append(ScoredPosition(state, facts["game"], facts["played"], np.array(facts["losses"])))
    return found


def _undecided(sample: Sample, number: int) -> NDArray[np.int64]:
    evaluation = sample.metadata["evaluation"]
    rows = np.flatnonzero((np.abs(evaluation) <= UNDECIDED) & (sample.metadata["legal"] > 1))
    return rows[np.linspace(0, len(rows) - 1, number).astype(np.int64)]


def _states(sample: Sample, rows: NDArray[np.int64]) -> Iterator[Any]:
    wanted = set(rows.tolist())
    for begin, batch in sample.batches(0, 1024):
        yield from (each.state for i, each in enumerate(batch, begin) if i in wanted)
