from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.engine_client import engine

BEST = r"bestmove .*"
ENTERED = "K+B+R+BGGSS1/PPPPP4/9/9/9/9/9/9/8k b 4P 100"


def test_it_introduces_itself_with_usi_names(small: dict[str, Path]) -> None:
    with engine("usi", small["shogi"]) as session:
        lines = session.ask("usi", until="usiok")
    assert "option name USI_Hash type spin default 512 min 1 max 1048576" in lines
    assert "option name USI_Ponder type check default false" in lines
    assert not [line for line in lines if "UCI_" in line]


def test_it_plays_from_sfen_with_moves(small: dict[str, Path]) -> None:
    start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
    with engine("usi", small["shogi"], nodes=10) as session:
        first = session.ask("position startpos moves 7g7f", "go nodes 10 searchmoves 3c3d", until=BEST)
        second = session.ask(f"position sfen {start} moves 7g7f", "go searchmoves 3c3d", until=BEST)
    assert first[-1] == second[-1] == "bestmove 3c3d"


def test_a_mated_player_resigns(small: dict[str, Path]) -> None:
    mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w 2r2b3g4s4n4l17p 2"
    with engine("usi", small["shogi"]) as session:
        assert session.ask(f"position sfen {mated}", "go byoyomi 1000", until=BEST)[-1] == "bestmove resign"


def test_a_player_with_a_low_expected_score_resigns_after_several_moves(small: dict[str, Path]) -> None:
    with engine("usi", small["shogi"], resign_below=1.0) as session:
        answers = [session.ask("position startpos", "go", until=BEST)[-1] for _ in range(3)]
    assert answers[-1] == "bestmove resign"
    assert "bestmove resign" not in answers[:-1]


def test_a_king_that_has_entered_is_declared(small: dict[str, Path]) -> None:
    with engine("usi", small["shogi"]) as session:
        assert session.ask(f"position sfen {ENTERED}", "go byoyomi 1000", until=BEST)[-1] == "bestmove win"


@pytest.mark.parametrize(
    ("sfen", "mate"),
    [
        ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "1"),
        ("8k/9/7NG/9/9/9/9/9/4K4 w G 1", "-2"),
    ],
)
def test_a_mate_is_counted_in_plies(sfen: str, mate: str, small: dict[str, Path]) -> None:
    with engine("usi", small["shogi"], nodes=2000) as session:
        lines = session.ask(f"position sfen {sfen}", "go", until=BEST)
    assert f" score mate {mate} " in lines[-2]


def test_mate_is_not_looked_for(small: dict[str, Path]) -> None:
    with engine("usi", small["shogi"]) as session:
        session.ask("go mate 1000", until="checkmate notimplemented")


def test_without_a_network_it_resigns_rather_than_play_nonsense(tmp_path: Path) -> None:
    with engine("usi", tmp_path / "missing.onnx") as session:
        lines = session.ask("go byoyomi 1000", until=BEST)
    assert "missing.onnx" in lines[0]
    assert lines[-1] == "bestmove resign"
