"""A game of the table as the notation that other programs read: PGN here, others beside their readers."""

from __future__ import annotations

from collections.abc import Callable

import chess
import chess.engine
import chess.pgn
import numpy as np

from sparring._core import chess_moves
from sparring.records.expendibots_log import to_log
from sparring.records.reconchess_history import to_history
from sparring.records.record import GameRecord, Termination
from sparring.records.write_csa import to_csa
from sparring.records.write_sgf import to_sgf

_NO_EVAL = -32768
_MATE = 32000
_TERMINATIONS = {
    Termination.NORMAL: "Normal",
    Termination.TIME: "Time forfeit",
    Termination.ABANDONED: "Abandoned",
    Termination.RULES: "Rules infraction",
}
_RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1", None: "*"}


def to_pgn(record: GameRecord) -> str:
    """A chess record as PGN, with its clocks and evaluations."""
    game = chess.pgn.Game()
    if record.start:
        game.setup(record.start)
    for tag, value in _tags(record).items():
        if value is not None:
            game.headers[tag] = value
    clocks = _numbers(record.clocks, np.int32)
    evals = _numbers(record.evals, np.int16)
    node: chess.pgn.GameNode = game
    for ply, move in enumerate(chess_moves(record.start, record.moves)):
        node = node.add_main_variation(chess.Move.from_uci(move))
        if evals and evals[ply] != _NO_EVAL:
            node.set_eval(chess.engine.PovScore(_score(evals[ply]), chess.WHITE))
        if clocks and clocks[ply] >= 0:
            node.set_clock(clocks[ply] / 10)
    return str(game) + "\n"


def _tags(record: GameRecord) -> dict[str, str | None]:
    return {
        "Event": record.event,
        "Site": record.site,
        "Date": record.date.strftime("%Y.%m.%d") if record.date else None,
        "White": record.first,
        "Black": record.second,
        "Result": _RESULTS[record.result],
        "WhiteElo": None if record.first_rating is None else str(record.first_rating),
        "BlackElo": None if record.second_rating is None else str(record.second_rating),
        "TimeControl": record.time_control,
        "Termination": _TERMINATIONS.get(record.ending),
    }


def _numbers(packed: bytes | None, kind: type[np.int16] | type[np.int32]) -> list[int]:
    return [] if packed is None else [int(value) for value in np.frombuffer(packed, kind)]


def _score(centipawns: int) -> chess.engine.Score:
    if abs(centipawns) < 30_000:
        return chess.engine.Cp(centipawns)
    return chess.engine.Mate(_MATE - centipawns if centipawns > 0 else -_MATE - centipawns)


WRITERS: dict[str, Callable[[GameRecord], str]] = {
    "chess": to_pgn,
    "rbc": to_history,
    "shogi": to_csa,
    "go": to_sgf,
    "expendibots": to_log,
}
"""What writes a game, by its name."""
