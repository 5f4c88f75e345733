"""AnalysisEngine: values of moves by any protocol, restarts after a crash, values kept in a journal."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring.arena.tournament import EngineProtocol
from sparring.games import load_game
from sparring.players import SearchLimits
from sparring.players.engines import EngineConfig
from studies.blend.analysis_engine import WIN_SCORE, AnalysisEngine, AnalysisFailed, CachedAnalysis

FAKE = Path(__file__).parent / "fake_analysis_engine.py"
HANGING = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"
"""White's pawn can take a queen."""


def entry(protocol: EngineProtocol, folder: Path, **settings: Any) -> EngineConfig:
    command = (sys.executable, str(FAKE), protocol, str(folder))
    return EngineConfig("fake", protocol, command, limits=SearchLimits(nodes=10), move_seconds=20, **settings)


def moved(state: Any, text: str) -> int:
    move: int = state.parse_move(text)
    return move


def test_a_move_is_worth_what_the_engine_says_of_the_position_after_it(tmp_path: Path) -> None:
    analysis_engine = AnalysisEngine(entry("uci", tmp_path))
    state = load_game("chess").parse(HANGING)
    assert analysis_engine.value(state, moved(state, "e4d5")) == 100
    assert analysis_engine.value(state, moved(state, "e4e5")) == 100 - 900
    analysis_engine.close()


def test_shogi_is_analysed_by_usi(tmp_path: Path) -> None:
    analysis_engine = AnalysisEngine(entry("usi", tmp_path))
    state = load_game("shogi").initial()
    assert analysis_engine.value(state, state.legal_moves()[0]) == 0
    analysis_engine.close()


@pytest.mark.parametrize(("analysis", "stone", "nothing"), [(False, 150, 50), (True, 225, 225)])
def test_go_is_analysed_by_an_estimate_or_an_analysis(
    tmp_path: Path, analysis: bool, stone: int, nothing: int
) -> None:
    if analysis:
        (tmp_path / "analysis").touch()
    analysis_engine = AnalysisEngine(entry("gtp", tmp_path))
    state = load_game("go").initial()
    for text in ("D4", "Q16"):
        state = state.play(state.parse_move(text))
    # The estimate counts stones; the analysis always says that White, who is then to move, is behind.
    assert analysis_engine.value(state, moved(state, "D16")) == stone
    assert analysis_engine.value(state, moved(state, "pass")) == nothing
    analysis_engine.close()


def test_the_rules_value_moves_that_end_the_game(tmp_path: Path) -> None:
    analysis_engine = AnalysisEngine(entry("uci", tmp_path))
    state = load_game("chess").parse("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    assert analysis_engine.value(state, moved(state, "g6g7")) == WIN_SCORE
    stalemate = load_game("chess").parse("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    assert analysis_engine.value(stalemate, moved(stalemate, "f6f7")) == 0
    assert not (tmp_path / "questions").exists(), "nobody was asked"
    analysis_engine.close()


def test_an_engine_that_dies_is_restarted(tmp_path: Path) -> None:
    (tmp_path / "deaths").write_text("2")
    analysis_engine = AnalysisEngine(entry("uci", tmp_path))
    state = load_game("chess").parse(HANGING)
    assert analysis_engine.value(state, moved(state, "e4d5")) == 100
    assert analysis_engine.restarts == 2
    analysis_engine.close()


def test_an_engine_that_always_dies_fails_and_earlier_values_are_kept(tmp_path: Path) -> None:
    state, path = load_game("chess").parse(HANGING), tmp_path / "cache" / "judgments"
    kept = CachedAnalysis(path, entry("uci", tmp_path))
    assert kept.value(state, moved(state, "e4d5")) == 100
    (tmp_path / "deaths").write_text("100")
    kept.close()
    dying = CachedAnalysis(path, entry("uci", tmp_path))
    with pytest.raises(AnalysisFailed, match=r"the engine fake failed 3 times on .*: died: exit status 3"):
        dying.value(state, moved(state, "e4e5"))
    assert dying.value(state, moved(state, "e4d5")) == 100
    (tmp_path / "deaths").write_text("0")
    assert dying.value(state, moved(state, "e4e5")) == -800
    dying.close()


def test_evaluations_are_requested_once_and_survive_a_kill(tmp_path: Path) -> None:
    state, path = load_game("chess").parse(HANGING), tmp_path / "judgments"
    for _ in range(2):
        kept = CachedAnalysis(path, entry("uci", tmp_path))
        assert [kept.value(state, moved(state, text)) for text in ("e4d5", "e4e5", "e4d5")] == [
            100,
            -800,
            100,
        ]
        kept.close()
    assert (tmp_path / "questions").read_text() == "2"
    path.write_text(path.read_text()[:-4])  # a kill in the middle of a line
    kept = CachedAnalysis(path, entry("uci", tmp_path))
    assert kept.value(state, moved(state, "e4e5")) == -800
    kept.close()
    assert (tmp_path / "questions").read_text() == "3"
    other = CachedAnalysis(path, entry("uci", tmp_path, env={"A": "b"}))
    other.value(state, moved(state, "e4e5"))
    other.close()
    assert (tmp_path / "questions").read_text() == "4", "another engine configuration has its own values"


@pytest.mark.parametrize(
    ("protocol", "why"), [("uci", "it reported no score"), ("gtp", "neither 'kata-analyze' nor")]
)
def test_an_engine_without_a_value_fails(tmp_path: Path, protocol: EngineProtocol, why: str) -> None:
    (tmp_path / "mute").touch()
    analysis_engine = AnalysisEngine(entry(protocol, tmp_path))
    state = load_game("chess" if protocol == "uci" else "go").initial()
    with pytest.raises(AnalysisFailed, match=why):
        analysis_engine.value(state, state.legal_moves()[0])
    analysis_engine.close()


@pytest.mark.skipif(not shutil.which("stockfish"), reason="needs Stockfish: apt-get install stockfish")
def test_stockfish_sees_what_a_queen_is_worth() -> None:
    analysis_engine = AnalysisEngine(
        EngineConfig("stockfish", "uci", ("stockfish",), limits=SearchLimits(nodes=2000))
    )
    state = load_game("chess").parse(HANGING)
    assert (
        analysis_engine.value(state, moved(state, "e4d5"))
        - analysis_engine.value(state, moved(state, "e4e5"))
        > 400
    )
    analysis_engine.close()
