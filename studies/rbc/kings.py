"""How kings were lost in recorded games: whether the danger stood there before the loser's last move, whether
the loser had looked at it, and whether a move was left that saves the king."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import chess

from sparring._core import RbcBoardSet, RbcState
from sparring.base.provenance import provenance
from sparring.measure.ratings import wilson_interval
from sparring.measure.reports import write_json
from sparring.rbc.game import NO_SENSE, SENSE
from sparring.rbc.knowledge import WIN
from sparring.rbc.plugin import DESCRIPTION
from sparring.records import GameRecord

REPORT = "kings.json"
_TURNS = 3
"""Last turns that are looked at."""
_PLIES = 4
"""Depth of the search for a request that saves the king."""


@dataclass(frozen=True)
class LostKing:
    """A game that ended with the capture of a king."""

    loser: str
    winner: str
    attacked: bool
    """Whether the king stood attacked before the loser's last move."""
    unseen: bool
    """Whether it did, and no attacker stood in the window that the loser sensed in this turn."""
    never_seen: bool
    """Whether no sense of the last three turns had the square of the piece that captured."""
    escape: bool
    """Whether a move of the loser would have left the king where nothing captures it."""
    lost_turns: int
    """The loser's last turns, at most three, in which every request lost the king by force, seen with all
    pieces on the board. The mistake was in the turn before."""


def lost_king(record: GameRecord) -> LostKing | None:
    """How the king of a game was lost; None if none was captured."""
    line = [RbcState.initial().unpack_moves(record.moves, DESCRIPTION.packed_move_bytes)]
    while (before := line[-1].previous) is not None:
        line.append(before)
    line.reverse()
    outcome = line[-1].outcome
    if outcome is None or outcome.winner is None:
        return None
    loser = 1 - outcome.winner
    senses: list[int] = []
    moving: list[RbcState] = []
    for state, after in itertools.pairwise(line):
        if state.to_move == loser and after.last_move is not None:
            if state.sensing:
                senses.append(after.last_move)
            else:
                moving.append(state)
    capture = line[-1].last_move
    if not moving or capture is None:
        return None
    last = moving[-1]
    attackers = _king_attackers(last, loser)
    names = record.first or "", record.second or ""
    return LostKing(
        names[loser],
        names[1 - loser],
        attacked=bool(attackers),
        unseen=bool(attackers) and not any(_saw(senses[-1], square) for square in attackers),
        never_seen=not any(_saw(sense, capture >> 6 & 63) for sense in senses[-_TURNS:]),
        escape=any(
            (after := last.play(move)).outcome is not None or not _king_attackers(after, loser)
            for move in last.legal_moves()
        ),
        lost_turns=sum(1 for _ in itertools.takewhile(_is_lost, reversed(moving[-_TURNS:]))),
    )


def _is_lost(state: RbcState) -> bool:
    """Whether every request loses the king within the opponent's next two moves."""
    _, scores, _ = RbcBoardSet.of([state], state.to_move).evaluate_requests(_PLIES, WIN)
    return bool((scores < -WIN // 2).all())


def _king_attackers(state: RbcState, player: int) -> list[int]:
    """The squares of the pieces that can capture the player's king."""
    board = chess.Board(RbcBoardSet.of([state], player).fens()[0])
    color = chess.WHITE if player == 0 else chess.BLACK
    king = board.king(color)
    return [] if king is None else list(board.attackers(not color, king))


def _saw(sense: int, square: int) -> bool:
    return sense != NO_SENSE and chess.square_distance(sense - SENSE, square) <= 1


def summary(kings: Sequence[LostKing]) -> list[dict[str, Any]]:
    """Counts and shares for each loser, with 95 % intervals."""
    rows = []
    for loser in sorted({king.loser for king in kings}):
        own = [king for king in kings if king.loser == loser]
        row: dict[str, Any] = {"loser": loser, "kings": len(own)}
        for name in ("attacked", "unseen", "never_seen", "escape"):
            count = sum(getattr(king, name) for king in own)
            low, high = wilson_interval(count / len(own), len(own))
            row[name] = {"count": count, "interval_95": [round(low, 4), round(high, 4)]}
        row["lost_turns"] = dict(sorted(Counter(king.lost_turns for king in own).items()))
        rows.append(row)
    return rows


def run(
    records: Iterable[GameRecord],
    out: Path,
    command: str,
    on_progress: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """Looks at all games; writes and returns `kings.json`."""
    kings = []
    for record in records:
        king = lost_king(record)
        if king is not None:
            kings.append(king)
            on_progress(len(kings))
    report = {**provenance(command), "losers": summary(kings), "kings": [asdict(king) for king in kings]}
    write_json(report, out / REPORT)
    return report
