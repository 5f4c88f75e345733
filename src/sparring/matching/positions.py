"""Samples: positions of people's games with metadata."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe
from sparring.matching.games import GameSelection, NoGames, PlayedGame, select
from sparring.matching.phases import game_phase
from sparring.networks import Position
from sparring.records.recorded_game import RecordedGame

METADATA_DTYPE = np.dtype(
    [
        ("game", np.int32),  # index of the game
        ("ply", np.int32),
        ("mover", np.int8),
        ("phase", np.int8),
        ("legal", np.int16),  # number of legal moves
        ("played", np.int16),  # index of the move played among them
        ("rating", np.float32),  # of the mover; NaN where unknown, here and below
        ("clock", np.float32),  # the mover's seconds before the move
        ("evaluation", np.float32),  # centipawns for the mover before the move
        ("swing", np.float32),  # change of the evaluation by the move
    ]
)
_NO_EVAL = -32768
_MOST_CENTIPAWNS = 1000
"""Evaluations are clipped to this: larger ones say little about a person's move."""


@dataclass(frozen=True)
class Sample:
    """Positions in which people moved. Metadata are in memory; positions are made on demand."""

    game: str
    games: tuple[PlayedGame, ...]
    metadata: NDArray[np.void]
    """[positions] of `METADATA_DTYPE`, game after game."""

    def __len__(self) -> int:
        return len(self.metadata)

    @property
    def groups(self) -> list[str]:
        """The names of the groups in order."""
        return list(dict.fromkeys(played.group for played in self.games))

    @property
    def group_of_game(self) -> NDArray[np.int64]:
        """[games]: index of each game's group."""
        place = {name: i for i, name in enumerate(self.groups)}
        return np.array([place[played.group] for played in self.games])

    def batches(self, begin: int, size: int) -> Iterator[tuple[int, list[Position]]]:
        """Yields (index of the first, positions): the positions from `begin` on, `size` at a time."""
        begins = np.searchsorted(self.metadata["game"], np.arange(len(self.games)))
        first = int(np.searchsorted(begins, begin, side="right")) - 1
        waiting: list[Position] = []
        for number in range(first, len(self.games)):
            skipped = begin - int(begins[first]) if number == first else 0
            waiting += extract_positions(self.game, self.games[number], number)[0][skipped:]
            while len(waiting) >= size:
                yield begin, waiting[:size]
                begin, waiting = begin + size, waiting[size:]
        if waiting:
            yield begin, waiting

    def digest(self) -> str:
        """A hash of the games, groups and measured positions."""
        hashed = hashlib.sha256(self.metadata.tobytes() + describe(self.game).numbering_tag)
        for played in self.games:
            hashed.update(played.identity.to_bytes(8, "little") + played.group.encode())
        return hashed.hexdigest()


def read_sample(selection: GameSelection) -> Sample:
    """The sample of a selection. Raises NoGames, BadTable, UnsupportedFormat or OSError."""
    games = select(selection)
    parts = [extract_positions(selection.game, played, number)[1] for number, played in enumerate(games)]
    metadata = np.concatenate(parts)
    if not len(metadata):
        raise NoGames(
            f"none of the positions of {len(games):,} games counts: games are too short or clocks too low"
        )
    # Games without measured positions must not take part in resampling.
    kept, renumbered = np.unique(metadata["game"], return_inverse=True)
    metadata["game"] = renumbered
    return Sample(selection.game, tuple(games[i] for i in kept), metadata)


def extract_positions(game: str, played: PlayedGame, number: int) -> tuple[list[Position], NDArray[np.void]]:
    """The measured positions of a game, and their metadata [positions] of `METADATA_DTYPE`.

    Positions in which the rules had ended the game are left out. Raises BadTable.
    """
    record = played.record
    states = RecordedGame(game, record).states
    clocks = None if record.clocks is None else np.frombuffer(record.clocks, np.int32)
    evals = None if record.evals is None else np.frombuffer(record.evals, np.int16)
    strengths = record.ratings(describe(game).ratings)
    positions, rows = [], []
    for ply in played.plies(game).tolist():
        state = states[ply]
        legal = state.legal_moves()
        move = states[ply + 1].last_move
        if move not in legal:  # the rules had ended the game by then, but people played on
            continue
        mover = state.to_move
        clock = None if clocks is None or ply < 2 or clocks[ply - 2] < 0 else float(clocks[ply - 2]) / 10
        positions.append(Position(state, strengths[mover], strengths[1 - mover], clock))
        before, after = _seen(evals, ply - 1, mover), _seen(evals, ply, mover)
        rating = strengths[mover]
        rows.append(
            (
                number,
                ply,
                mover,
                game_phase(game, state, ply),
                len(legal),
                legal.index(move),
                np.nan if rating is None else rating,
                np.nan if clock is None else clock,
                before,
                after - before,
            )
        )
    return positions, np.array(rows, METADATA_DTYPE)


def _seen(evals: NDArray[np.int16] | None, ply: int, mover: int) -> float:
    """The evaluation after a ply in centipawns for the mover; 0 before the first ply, NaN if unknown."""
    if evals is None or ply >= len(evals):
        return np.nan
    if ply < 0:
        return 0.0
    if evals[ply] == _NO_EVAL:
        return np.nan
    value = float(np.clip(evals[ply], -_MOST_CENTIPAWNS, _MOST_CENTIPAWNS))
    return value if mover == 0 else -value
