"""Traces: what the networks say about every position of a game, one row a position.

A trace is all that the models of think time, resignation and style need. The predictions are made once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games.game import Position
from sparring.networks import Prediction
from sparring.policies import Policy
from sparring.records import GameRecord, RecordedGame, split_of
from sparring.records.readers import reader_for
from sparring.records.sources import open_chunks

TRACE_DTYPE = np.dtype(
    [
        ("game", np.int32),  # index of the game
        ("ply", np.int16),
        ("mover", np.int8),
        ("played", np.bool_),  # whether a move was played; not in the last position
        ("legal", np.int16),  # number of legal moves
        ("entropy", np.float16),  # of `human`, in nats
        ("top", np.float16),  # largest probability of `human`
        ("human", np.float16),  # probability of the move played, by `human`
        ("rank", np.int16),  # number of moves that `human` thinks likelier than the move played
        ("value", np.float16),  # expected score of the mover, 0 to 1, by `human`
        ("draw", np.float16),  # probability of a draw, by `human`
        ("strong", np.float16),  # probability of the move played, by `strong`
        ("strong_top", np.float16),
        ("strong_rank", np.int16),
        ("strong_value", np.float16),  # expected score of the mover, by `strong`
        ("material", np.int8),  # the mover's material minus the opponent's, in pawns
        ("pieces", np.int8),  # on the board, without kings and pawns
        ("before", np.float32),  # the mover's clock before the move, in seconds; NaN where unknown
        ("spent", np.float32),  # seconds that the move took; NaN where unknown
        ("evaluation", np.float32),  # centipawns for the mover before the move; NaN where unknown
    ]
)
GAME_DTYPE = np.dtype(
    [
        ("identity", np.int64),
        ("split", "U10"),
        ("source", "U24"),  # who played
        ("first", "U16"),
        ("second", "U16"),
        ("first_rating", np.float32),
        ("second_rating", np.float32),
        ("result", np.float32),  # of the first player
        ("ending", "U16"),  # mate, stalemate, draw by rule, resignation, agreement, time, unknown
        ("base", np.float32),
        ("increment", np.float32),
        ("plies", np.int16),
    ]
)
_NO_EVAL = -32768
_WORTH = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}


@dataclass(frozen=True)
class Traces:
    """Games and their positions."""

    games: NDArray[np.void]
    """[games] of `GAME_DTYPE`"""
    rows: NDArray[np.void]
    """[positions] of `TRACE_DTYPE`, game after game."""

    def save(self, path: Path) -> None:
        """Writes a compressed .npz file."""
        np.savez_compressed(path, games=self.games, rows=self.rows)

    @staticmethod
    def load(*paths: Path) -> Traces:
        """Reads the files one after the other as one set of games."""
        games, rows, count = [], [], 0
        for path in paths:
            with np.load(path) as file:
                each, some = file["games"], file["rows"].copy()
            some["game"] += count
            count += len(each)
            games.append(each)
            rows.append(some)
        return Traces(np.concatenate(games), np.concatenate(rows))

    def take(self, which: NDArray[np.bool_]) -> Traces:
        """The chosen games ([games] of truth values), renumbered."""
        place = np.cumsum(which) - 1
        rows = self.rows[which[self.rows["game"]]].copy()
        rows["game"] = place[rows["game"]]
        return Traces(self.games[which], rows)


def read_games(path: Path, game: str = "chess") -> Iterator[RecordedGame]:
    """The games of a file that can be read."""
    for found in reader_for(path, game)(open_chunks(path), 0):
        if found.record is not None and not found.defect and found.record.moves:
            yield RecordedGame(game, found.record)


def trace_values(games: Sequence[RecordedGame], policy: Policy, last: int) -> Traces:
    """Traces of any game with the policy's value alone, of the last positions of each game."""
    heads, parts, positions = [], [], []
    for number, game in enumerate(games):
        states = [(ply, state) for ply, state in enumerate(game.states) if state.outcome is None][-last:]
        rows = np.zeros(len(states), TRACE_DTYPE)
        rows["game"], rows["ply"] = number, [ply for ply, _ in states]
        rows["mover"] = [state.to_move for _, state in states]
        rows["played"] = rows["ply"] < len(game)
        positions += [
            Position(state, *(game.ratings if state.to_move == 0 else game.ratings[::-1]))
            for _, state in states
        ]
        parts.append(rows)
        heads.append(_head(game, "people"))
    rows = np.concatenate(parts)
    for begin in range(0, len(positions), 4096):
        part = slice(begin, begin + 4096)
        values = [prediction.value for prediction in policy.predict(positions[part])]
        rows["value"][part] = [np.nan if value is None else (value + 1) / 2 for value in values]
    return Traces(np.array(heads, GAME_DTYPE), rows)


def trace_games(games: Sequence[RecordedGame], source: str, human: Policy, strong: Policy) -> Traces:
    """The traces of games. Both networks predict every position, with the ratings and without the clock."""
    heads, parts, states, moves, ratings = [], [], [], [], []
    for number, game in enumerate(games):
        known, rows = _facts(game, number)
        states += known
        moves += [*(after.last_move for after in game.states[1:]), -1][: len(known)]
        ratings += [game.ratings if state.to_move == 0 else game.ratings[::-1] for state in known]
        parts.append(rows)
        heads.append(_head(game, source))
    rows = np.concatenate(parts)
    positions = [Position(state, *pair) for state, pair in zip(states, ratings, strict=True)]
    for begin in range(0, len(positions), 4096):
        part = slice(begin, begin + 4096)
        _add_human(rows[part], moves[part], human.predict(positions[part]))
        _add_strong(rows[part], moves[part], strong.predict(positions[part]))
    return Traces(np.array(heads, GAME_DTYPE), rows)


def _facts(game: RecordedGame, number: int) -> tuple[list[Any], NDArray[np.void]]:
    """The states with a legal move, and their rows without predictions."""
    states = game.states
    evals = None if game.record.evals is None else np.frombuffer(game.record.evals, np.int16)
    clocks, (base, increment) = game.clocks, time_control(game.record)
    known = [state for state in states if state.outcome is None]
    rows = np.zeros(len(known), TRACE_DTYPE)
    rows["game"] = number
    for ply, (row, state) in enumerate(zip(rows, known, strict=True)):
        sign = 1 if state.to_move == 0 else -1
        material, pieces = _material(state.text())
        before = clocks[ply - 2] if ply >= 2 else base
        after = clocks[ply] if ply < len(clocks) else None
        known_eval = evals is not None and 0 < ply <= len(evals) and evals[ply - 1] != _NO_EVAL
        row["ply"], row["mover"], row["played"] = ply, state.to_move, ply + 1 < len(states)
        row["legal"] = len(state.legal_moves())
        row["material"], row["pieces"] = sign * material, pieces
        row["before"] = np.nan if before is None else before
        row["spent"] = np.nan if before is None or after is None else before - after + increment
        row["evaluation"] = sign * float(evals[ply - 1]) if known_eval and evals is not None else np.nan
    return known, rows


def _head(game: RecordedGame, source: str) -> tuple[Any, ...]:
    record = game.record
    base, increment = time_control(record)
    ratings = [np.nan if rating is None else rating for rating in game.ratings]
    result = np.nan if record.result is None else record.result
    first, second = (name or "" for name in game.players)
    return (game.identity, split_of(game.identity), source, first, second, *ratings, result,
            ending(game), np.nan if base is None else base, increment, len(game))  # fmt: skip


def ending(game: RecordedGame) -> str:
    """How a game ended: by mate, stalemate or another rule, or by resignation, agreement or time.

    A Lichess game that ends normally before the rules end it was resigned, or drawn by agreement.
    """
    outcome, record = game.states[-1].outcome, game.record
    if outcome is not None:
        if outcome.winner is not None:
            return "mate"
        return "stalemate" if "stalemate" in outcome.reason else "draw by rule"
    if record.ending == "time":
        return "time"
    if record.ending == "normal" and game.game != "chess":
        return "counted"
    if record.ending not in ("normal", "resignation") or record.result is None:
        return "unknown"
    return "agreement" if record.result == 0.5 else "resignation"


def time_control(record: GameRecord) -> tuple[float | None, float]:
    """Seconds for the game (None without a clock) and seconds added a move."""
    base, _, increment = (record.time_control or "").partition("+")
    return (float(base), float(increment or 0)) if base.isdigit() else (None, 0.0)


def _material(fen: str) -> tuple[int, int]:
    board = fen.split()[0]
    material = sum(worth * (board.count(p.upper()) - board.count(p)) for p, worth in _WORTH.items())
    return material, sum(board.lower().count(p) for p in "nbrq")


def _add_human(rows: NDArray[np.void], moves: Sequence[int], predictions: Sequence[Prediction]) -> None:
    for row, move, prediction in zip(rows, moves, predictions, strict=True):
        shares = prediction.probabilities.astype(np.float64)
        row["entropy"] = -float(shares @ np.log(np.maximum(shares, 1e-12)))
        row["top"] = shares.max()
        row["value"] = np.nan if prediction.value is None else (prediction.value + 1) / 2
        row["draw"] = np.nan if prediction.wdl is None else prediction.wdl[1]
        row["human"], row["rank"] = _share(row, move, prediction)


def _add_strong(rows: NDArray[np.void], moves: Sequence[int], predictions: Sequence[Prediction]) -> None:
    for row, move, prediction in zip(rows, moves, predictions, strict=True):
        row["strong_top"] = prediction.probabilities.max()
        row["strong_value"] = np.nan if prediction.value is None else (prediction.value + 1) / 2
        row["strong"], row["strong_rank"] = _share(row, move, prediction)


def _share(row: np.void, move: int, prediction: Prediction) -> tuple[float, int]:
    if not row["played"]:
        return np.nan, -1
    share = prediction.probabilities[prediction.moves.index(move)]
    return float(share), int((prediction.probabilities > share).sum())
