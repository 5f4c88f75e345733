"""The study of ladders in people's games."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring.go.game import Go
from sparring.records.record import GameRecord
from studies.go_ranks.ladders import LadderPosition, find_ladders, table
from studies.go_ranks.people import FoxGame

# Black's stone on D4 can run to D5 only after White's E4; the ladder goes to the upper right.
LADDER = "D4 C4 C17 D3 R3 C5 R10 E4"
BROKEN = LADDER.replace("R10", "K10")


def game(moves: str, rank: str = "3k") -> FoxGame:
    state = Go().initial()
    for move in moves.split():
        state = state.play(state.parse_move(move))
    packed = state.pack_moves(2)
    return FoxGame(GameRecord(packed, None, first="a", second="b", first_rank=rank, second_rank=rank), rank)


def kinds(moves: str) -> list[tuple[str, int, bool]]:
    """Kind, ply and whether the person played the ladder."""
    found = find_ladders([game(moves)])
    return [(one.kind, one.state.ply, one.played in one.moves) for one in found]


def test_a_lost_ladder_and_a_won_one_are_found_at_their_first_turn() -> None:
    found = kinds(f"{LADDER} D5 D6 E5 F5 R4")
    assert ("won", 7, True) in found
    assert ("lost", 8, True) in found
    assert ("lost", 8, False) in kinds(f"{LADDER} R4 R5")
    assert [kind for kind, ply, _ in found].count("lost") >= 1
    short = [one for one in kinds(f"{LADDER} R4 Q4 R5 Q5") if one[0] == "lost"]
    assert short == [("lost", 8, False)], "the same stones a turn later are no new ladder"


def test_a_ladder_that_a_stone_breaks_is_none() -> None:
    assert kinds(f"{BROKEN} D5 D6") == []


def test_the_table_compares_people_and_policies_by_rank() -> None:
    state = Go().initial()
    one = LadderPosition("won", 0, "3k", state, frozenset({5}), 1, 5)
    positions = [one, replace(one, game=1, played=7), replace(one, game=2, rank="7d", length=9)]
    rows = {(row["length"], row["rank"]): row for row in table(positions, {"ours": [0.1, 0.3, 0.9]})}
    assert rows["short", "all"]["people"] == 0.5
    assert rows["short", "5k-1k"]["ours"] == pytest.approx(0.2)
    assert rows["long", "7d"]["ours"] == rows["long", "5d-9d"]["ours"] == 0.9
    assert ("long", "1d-4d") not in rows
    low, high = rows["short", "all"]["people_interval"]
    assert low <= 0.5 <= high
