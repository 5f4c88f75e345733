"""KIF that is written is read again, from the usual start, a handicap and a drawn position."""

from __future__ import annotations

import random

import pytest

from sparring.games import load_game
from sparring.records import GameRecord, Termination
from sparring.shogi.kif import read_kif, to_kif

HANDICAP = "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
DRAWN = "4k4/9/9/9/9/9/9/9/4K4 w 3L2r12p 1"


@pytest.mark.parametrize("start", [None, HANDICAP, DRAWN])
@pytest.mark.parametrize("seed", range(3))
def test_written_games_are_read_again(start: str | None, seed: int) -> None:
    game, rng = load_game("shogi"), random.Random(seed)
    state = game.initial() if start is None else game.parse(start)
    while game.outcome(state) is None and state.ply < 120:
        state = game.play(state, rng.choice(game.legal_moves(state)))
    record = GameRecord(
        state.pack_moves(2),
        float(rng.randrange(2)),
        start=start,
        ending=Termination.RESIGNATION,
        first="先手の人",
        second="Sparring",
        first_rating=1500,
    )
    (found,) = read_kif(iter([to_kif(record).encode()]))
    assert found.record == record


def test_an_unfinished_game_is_interrupted() -> None:
    game = load_game("shogi")
    state = game.play(game.initial(), game.parse_move(game.initial(), "7g7f"))
    (found,) = read_kif(iter([to_kif(GameRecord(state.pack_moves(2), None)).encode()]))
    assert found.record is not None
    assert (found.record.result, found.record.ending) == (None, Termination.ABANDONED)
