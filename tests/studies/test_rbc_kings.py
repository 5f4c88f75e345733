"""`python -m studies rbc-kings`: how kings were lost."""

from __future__ import annotations

import json
from pathlib import Path

from sparring._core import RbcState
from sparring.rbc.game import NO_SENSE, SENSE
from sparring.rbc.history import to_history
from sparring.rbc.plugin import DESCRIPTION
from sparring.records import GameRecord
from sparring.records.record import Termination
from studies.__main__ import main
from studies.rbc.kings import LostKing, lost_king


def record(line: str) -> GameRecord:
    """A game of moves, each with the square that is sensed before it, if one is."""
    state = RbcState.initial()
    for word in line.split():
        move, _, sense = word.partition("/")
        square = SENSE + "abcdefgh".index(sense[0]) + 8 * (int(sense[1]) - 1) if sense else NO_SENSE
        state = state.play(square)
        state = state.play(state.parse_move(move))
    moves = state.pack_moves(DESCRIPTION.packed_move_bytes)
    result = None if state.outcome is None else float(state.outcome.winner == 0)
    return GameRecord(moves=moves, result=result, ending=Termination.NORMAL, first="white", second="black")


def test_an_attack_that_was_not_sensed_and_could_be_parried_is_told_from_one_that_was() -> None:
    """The knight of f6 attacks the king of e8; a pawn or the queen could take it."""
    knight = "b1c3 a7a6 c3e4 a6a5 e4f6"
    expected = LostKing("black", "white", True, True, True, True, 0)
    assert lost_king(record(f"{knight} a5a4 f6e8")) == expected
    seen = LostKing("black", "white", True, False, False, True, 0)
    assert lost_king(record(f"{knight} a5a4/f5 f6e8")) == seen


def test_a_king_without_escape_was_lost_before() -> None:
    """The queen of e1 mates after 1. f3 e5 2. g4 Qh4: White's second move was the mistake."""
    lost = lost_king(record("f2f3 e7e5 g2g4 d8h4 a2a3 h4e1"))
    assert lost == LostKing("white", "black", True, True, True, False, 1)


def test_a_game_without_a_captured_king_has_no_lost_one() -> None:
    assert lost_king(record("e2e4 e7e5")) is None


def test_the_report_counts_by_loser(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    games.write_text(to_history(record("f2f3 e7e5 g2g4 d8h4 a2a3 h4e1")) + "\n")
    main(["rbc-kings", "--records", str(games), "--out", str(tmp_path)])
    report = json.loads((tmp_path / "kings.json").read_text())
    (row,) = report["losers"]
    assert (row["loser"], row["kings"], row["unseen"]["count"], row["escape"]["count"]) == ("white", 1, 1, 0)
    assert row["lost_turns"] == {"1": 1}
