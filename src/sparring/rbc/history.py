"""Reads and writes RBC games as JSON of reconchess's GameHistory.

A history is redundant: it has requested and taken moves, captures, sense results and boards. Reading plays
the game by our rules and refuses a history that contradicts them. Two rules of the public server before
reconchess 1.6 are supported. A pawn could move to the last rank without naming a queen; it is recorded as
the move taken. En passant was possible only if chess allowed the capture, so a request could fail; it is
recorded as a pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sparring._core import RbcState
from sparring.base.config import Count, Fraction
from sparring.rbc.game import (
    NO_SENSE,
    PASS,
    SENSE,
    MoveResult,
    ObservedStep,
    SenseResult,
    board_fen,
    observed_steps,
)
from sparring.rbc.plugin import DESCRIPTION
from sparring.records.record import GameRecord, ParsedGame, Termination, parse_safely
from sparring.records.sources import read_lines

_LONGEST = 1 << 24
"""Maximal bytes of a history; the longest real ones have a fiftieth of this."""
_LONGEST_NAME = 200
_COLORS = {"true": "White", "false": "Black"}
_COLUMNS = (
    "senses",
    "sense_results",
    "requested_moves",
    "taken_moves",
    "capture_squares",
    "fens_before_move",
    "fens_after_move",
)
_SENSE_COLUMNS = 2
_ENDINGS = {
    "KING_CAPTURE": Termination.NORMAL,
    "RESIGN": Termination.NORMAL,
    "MOVE_LIMIT": Termination.NORMAL,
    "TURN_LIMIT": Termination.NORMAL,
    "TIMEOUT": Termination.TIME,
}
_WIDTH = DESCRIPTION.packed_move_bytes


def read_histories(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of a file with one history per line, from byte `skip` on."""
    for line in read_lines(chunks, skip, _LONGEST):
        where = f"line {line.number:,}"
        if not line.whole:
            yield ParsedGame(None, "the line is too long for a game", where, line.end)
        elif line.text.strip():
            yield _parsed(line.text, where, line.end)


def read_history(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The game of a file with one history."""
    content, length = bytearray(), 0
    for chunk in chunks:
        content += chunk[: _LONGEST - len(content)]
        length += len(chunk)
    if skip or not content.strip():
        return
    if length > _LONGEST:
        yield ParsedGame(None, "the file is too long for a game", "byte 0", length)
    else:
        yield _parsed(bytes(content), "byte 0", length)


def _parsed(text: bytes, where: str, end: int) -> ParsedGame:
    try:
        history = json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        problem = f"no JSON at character {error.pos:,} of {len(text):,} ({error.msg})"
        return ParsedGame(None, problem, where, end)
    except (ValueError, RecursionError) as error:
        return ParsedGame(None, f"no JSON ({str(error)[:_LONGEST_NAME]})", where, end)
    return parse_safely(lambda: history_record(history), where, end)


def history_record(history: Any) -> GameRecord:
    """The record of a decoded history. Raises ValueError if it contradicts itself or the rules."""
    if not isinstance(history, dict) or history.get("type", "GameHistory") != "GameHistory":
        raise ValueError("a GameHistory object expected")
    state = RbcState.initial()
    for turn in _turns(history):
        state = _play(state, turn)
    winner, reason = history.get("winner_color"), _value(history.get("win_reason"), "WinReason")
    if winner not in (True, False, None):
        raise ValueError("winner_color is true, false or null")
    if reason == "KING_CAPTURE" and _king_taken_by(state) is not winner:
        raise ValueError("the win reason is a captured king, but no king was captured")
    game_id = history.get("game_id")
    return GameRecord(
        moves=state.pack_moves(_WIDTH),
        result=float(winner) if winner is not None else None if reason is None else 0.5,
        ending=_ENDINGS.get(reason or "", Termination.UNKNOWN),
        first=_name(history.get("white_name")),
        second=_name(history.get("black_name")),
        site=None if game_id is None else _name(str(game_id)),
    )


@dataclass(frozen=True)
class _Turn:
    color: str
    number: int
    sense: Any
    seen: Any
    move: tuple[Any, ...] | None
    """Requested and taken move, capture square and boards; None if the game ended before."""

    def trouble(self, what: str) -> ValueError:
        return ValueError(f"{_COLORS[self.color]}'s turn {self.number}: {what}")


def _turns(history: dict[str, Any]) -> Iterator[_Turn]:
    """The turns of White and Black in order; only the last one may lack its move."""
    columns = {color: [_column(history, name, color) for name in _COLUMNS] for color in _COLORS}
    senses = {color: len(columns[color][0]) for color in _COLORS}
    if senses["true"] - senses["false"] not in (0, 1):
        raise ValueError(f"{senses['true']} turns of White and {senses['false']} of Black do not alternate")
    last = "false" if senses["true"] == senses["false"] else "true"
    for color in _COLORS:
        lengths = [len(column) for column in columns[color]]
        moves = lengths[_SENSE_COLUMNS]
        missing_moves = (0, 1) if color == last else (0,)
        if lengths != [senses[color]] * _SENSE_COLUMNS + [moves] * (len(_COLUMNS) - _SENSE_COLUMNS) or (
            senses[color] - moves not in missing_moves
        ):
            raise ValueError(f"the lists of {_COLORS[color]} have different lengths: {lengths}")
    for i in range(sum(senses.values())):
        color, turn = ("true", "false")[i % 2], i // 2
        sense, seen, *moves_of_turn = (column[turn : turn + 1] for column in columns[color])
        move = tuple(cell[0] for cell in moves_of_turn) if moves_of_turn[0] else None
        yield _Turn(color, turn + 1, sense[0], seen[0], move)


def _column(history: dict[str, Any], name: str, color: str) -> list[Any]:
    both = history.get(name)
    column = both.get(color) if isinstance(both, dict) else None
    if not isinstance(column, list):
        raise ValueError(f"there is no list of {name} for {_COLORS[color]}")
    return column


def _play(state: RbcState, turn: _Turn) -> RbcState:
    """The state after a turn. Games of the old server continue past the move limit of the rules."""
    if turn.sense is not None and not (type(turn.sense) is int and 0 <= turn.sense < 64):
        raise turn.trouble(f"{turn.sense!r} is no square to sense")
    seen = [] if turn.sense is None else [_seen(square, piece) for square, piece in state.sense(turn.sense)]
    if turn.seen != seen:
        raise turn.trouble("the sense shows other pieces than there are")
    state = state.play_past_end(NO_SENSE if turn.sense is None else SENSE + turn.sense)
    if turn.move is None:
        return state
    requested, taken, captured, before, after = turn.move
    if not _same_board(before, state):
        raise turn.trouble(f"the board before the move is {board_fen(state)}")
    request = _request(state, turn, _value(requested, "Move"), _value(taken, "Move"), before)
    really, captures = state.result_of(request)
    recorded = _value(taken, "Move")
    if recorded != (None if really == PASS else state.move_text(really)):
        raise turn.trouble(
            f"asking for {state.move_text(request)} gives {state.move_text(really)}; "
            f"the file says {'pass' if recorded is None else recorded[:10]}"
        )
    if captured != captures:
        raise turn.trouble(f"{state.move_text(really)} captures on {captures}, not on {captured!r}")
    state = state.play_past_end(request)
    if not _same_board(after, state):
        raise turn.trouble(f"the board after the move is {board_fen(state)}")
    return state


def _request(state: RbcState, turn: _Turn, requested: str | None, taken: str | None, before: str) -> int:
    """The requested move as a move code; the module docstring lists the exceptions."""
    if requested is None or requested == "0000":
        return PASS
    for text in (requested, f"{requested}q"):
        try:
            move = state.parse_move(text)
            really = state.result_of(move)[0]
            break
        except ValueError:
            continue
    else:
        raise turn.trouble(f"{requested[:10]} cannot be requested")
    target, allowed = state.move_text(really)[2:4], before.split()[3]
    if taken is None and allowed == "-" and target == board_fen(state).split()[3]:
        return PASS
    return move


def _same_board(fen: Any, state: RbcState) -> bool:
    """Whether a FEN is that of the state; the old server omitted unusable en passant squares."""
    if not isinstance(fen, str):
        return False
    fields, expected = fen.split(" "), board_fen(state).split(" ")
    if len(fields) == len(expected) and fields[3] == "-":
        expected[3] = "-"
    return fields == expected


def _king_taken_by(state: RbcState) -> bool | None:
    outcome = state.outcome
    return None if outcome is None or outcome.winner is None else outcome.winner == 0


def _seen(square: int, piece: str | None) -> list[Any]:
    return [square, None if piece is None else _tagged("Piece", piece)]


def _tagged(kind: str, value: str | None) -> dict[str, str] | None:
    return None if value is None else {"type": kind, "value": value}


def _value(tagged: Any, kind: str) -> str | None:
    """The value of an object such as {"type": "Move", "value": "e2e4"}."""
    if tagged is None:
        return None
    if isinstance(tagged, dict) and tagged.get("type") == kind and isinstance(tagged.get("value"), str):
        value: str = tagged["value"]
        return value
    raise ValueError(f"a {kind} or null expected")


def _name(name: Any) -> str | None:
    """A name without lone surrogates, which JSON may contain."""
    if not isinstance(name, str) or not name:
        return None
    return name[:_LONGEST_NAME].encode(errors="replace").decode()


def to_history(record: GameRecord) -> str:
    """An RBC record as a GameHistory that reconchess loads."""
    state = RbcState.initial().unpack_moves(record.moves, _WIDTH)
    columns: dict[str, dict[str, list[Any]]] = {name: {color: [] for color in _COLORS} for name in _COLUMNS}
    for step in observed_steps(state):
        for name, cell in _cells(step).items():
            columns[name][("true", "false")[step.before.to_move]].append(cell)
    history = {
        "type": "GameHistory",
        "white_name": record.first,
        "black_name": record.second,
        **columns,
        "winner_color": {1.0: True, 0.0: False}.get(-1.0 if record.result is None else record.result),
        "win_reason": _tagged("WinReason", _reason(record, state)),
    }
    return json.dumps(history if record.site is None else {**history, "game_id": record.site})


def _cells(step: ObservedStep) -> dict[str, Any]:
    """The cells that a sense or a move adds to the columns of its player."""
    before, move = step.before, step.move
    observation = step.seen[before.to_move]
    if isinstance(observation, SenseResult):
        square = None if move == NO_SENSE else move - SENSE
        return {"senses": square, "sense_results": [_seen(*result) for result in observation.pieces]}
    assert isinstance(observation, MoveResult)
    texts = [before.move_text(action) if action else None for action in (move, observation.taken)]
    return {
        "requested_moves": _tagged("Move", texts[0]),
        "taken_moves": _tagged("Move", texts[1]),
        "capture_squares": observation.capture_square,
        "fens_before_move": board_fen(before),
        "fens_after_move": board_fen(step.after),
    }


def _reason(record: GameRecord, state: RbcState) -> str | None:
    """The win reason, from the record's termination and the last board."""
    if record.result is None:
        return None
    if record.ending is Termination.TIME:
        return "TIMEOUT"
    if record.result in (0.0, 1.0):
        return "RESIGN" if _king_taken_by(state) is None else "KING_CAPTURE"
    return "TURN_LIMIT" if state.outcome is None else "MOVE_LIMIT"


@dataclass(frozen=True)
class RbcFilter:
    """`[games]` of a preset."""

    max_pass_share: Fraction = 1.0
    """Games in which a player passed in a larger fraction of its turns are left out."""
    endings: tuple[str, ...] = ()
    """Terminations to keep: "normal" (king captured, resignation, move limit) or "time"; empty for all."""
    min_plies: Count = 1
    """Games with fewer actions are left out; a turn has two, a sense and a move."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
        if record.result is None:
            return "no result"
        if self.endings and record.ending not in self.endings:
            return f"ending: {record.ending}"
        if plies < self.min_plies:
            return "too short"
        return "a player stopped playing" if max(pass_rates(record)) > self.max_pass_share else ""


def pass_rates(record: GameRecord) -> tuple[float, float]:
    """The share of White's and of Black's turns in RBC that passed.

    A turn is a sense and a move, and a pass has the lowest code of all moves, so that its index is 0.
    """
    moves = memoryview(record.moves).cast("H")[1::2].tolist()
    white, black = moves[::2], moves[1::2]
    return white.count(0) / max(len(white), 1), black.count(0) / max(len(black), 1)
