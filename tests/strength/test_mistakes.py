"""What moves give away: judges, the loss a move, and the report."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sparring import data
from sparring.base.errors import JournalMismatch
from sparring.games import describe
from sparring.measure import (
    GameSelection,
    JudgeConfig,
    Sample,
    judge_games,
    mistakes_report,
    people_mistakes,
    read_sample,
)
from sparring.measure.mistakes import expected_score
from sparring.measure.reports import read_json
from sparring.measure.strength import policy_values
from sparring.policies import load_policy
from sparring.records import PositionFilter
from sparring.records.readers import RecordedGame

HEADERS = '[White "a"]\n[Black "b"]\n[WhiteElo "1500"]\n[BlackElo "1520"]\n'
MATE = f'{HEADERS}[Result "1-0"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n'
QUIET = f'{HEADERS}[Result "1/2-1/2"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 1/2-1/2\n'
BLUNDER = 5
"""Ply of 3... Nf6."""

ENGINE = """
import sys
count = open(sys.argv[1], "a")
wdl = True
for line in sys.stdin:
    word, *rest = line.split()
    if word == "uci":
        print("option name Threads type spin default 4 min 1 max 8")
        print("option name UCI_ShowWDL type check default false")
        print("uciok")
    elif word == "isready":
        print("readyok")
    elif word == "quit":
        break
    elif word in ("setoption", "go"):
        print(line.strip(), file=count, flush=True)
        if "UCI_ShowWDL" in rest:
            wdl = rest[-1] == "true"
        if word == "go":
            print("info depth 1 score cp 120", "wdl 500 300 200" if wdl else "", "nodes 7")
            print("bestmove e2e4")
    sys.stdout.flush()
"""


def sample_of(folder: Path, *games: str, skip: int = 0) -> Sample:
    """The moves of some games."""
    path = folder / "games.pgn"
    path.write_text("\n".join(games))
    return read_sample(GameSelection("chess", (path,), None, filter=PositionFilter(skip)))


def engine(folder: Path, centipawns: int = 120) -> tuple[JudgeConfig, Path]:
    """An engine that gives every position 0.65, and the file of what it was sent."""
    program, log = folder / "engine.py", folder / "sent.txt"
    program.write_text(ENGINE.replace("cp 120", f"cp {centipawns}"))
    return JudgeConfig("chess", engine=(sys.executable, str(program), str(log)), nodes=7), log


def test_a_policy_judges_each_position_for_the_side_that_moved(tmp_path: Path) -> None:
    sample = sample_of(tmp_path, MATE)
    before, after = judge_games(sample, JudgeConfig("chess", policy="strong"), tmp_path / "judged.jsonl")
    states = RecordedGame("chess", sample.games[0].record).states
    values = (1 + policy_values(load_policy("strong", "chess"), states)) / 2
    assert before == pytest.approx(values[:-1], abs=1e-3)
    assert after == pytest.approx(1 - values[1:], abs=1e-3)
    assert after[-1] == 1.0, "mate is a win, whatever a network says"
    assert np.argmax(before - after) == BLUNDER


def test_an_engine_judges_by_its_chances_with_its_nodes(tmp_path: Path) -> None:
    sample = sample_of(tmp_path, MATE)
    judge, log = engine(tmp_path)
    before, after = judge_games(sample, judge, tmp_path / "judged.jsonl")
    assert before == pytest.approx(np.full(7, 0.65))
    assert after == pytest.approx([*np.full(6, 0.35), 1.0])
    sent = log.read_text().splitlines()
    assert sent.count("go nodes 7") == 7, "each position once, the mate by the rules"
    assert "setoption name Threads value 1" in sent
    assert "setoption name UCI_ShowWDL value true" in sent
    assert not any("Hash" in line for line in sent), "the engine does not declare it"


@pytest.mark.parametrize(("centipawns", "searched"), [(120, 7), (-900, 0)])
def test_a_clear_position_gets_the_quick_search_alone(tmp_path: Path, centipawns: int, searched: int) -> None:
    judge, log = engine(tmp_path, centipawns)
    quick = replace(judge, quick_nodes=2)
    judge_games(sample_of(tmp_path, MATE), quick, tmp_path / "judged.jsonl")
    sent = log.read_text().splitlines()
    assert (sent.count("go nodes 2"), sent.count("go nodes 7")) == (7, searched)
    with pytest.raises(JournalMismatch):
        judge_games(sample_of(tmp_path, MATE), judge, tmp_path / "judged.jsonl")


def test_an_engine_judges_by_its_score_if_asked(tmp_path: Path) -> None:
    judge, log = engine(tmp_path)
    by_score = replace(judge, own_chances=False)
    before, _ = judge_games(sample_of(tmp_path, MATE), by_score, tmp_path / "judged.jsonl")
    chess = describe("chess").engine
    assert chess is not None
    assert before == pytest.approx(np.full(7, expected_score(120, chess.score_scale)), abs=1e-4)
    assert "setoption name UCI_ShowWDL value false" in log.read_text()


def test_judged_games_are_not_judged_again(tmp_path: Path) -> None:
    journal = tmp_path / "judged.jsonl"
    judge, log = engine(tmp_path)
    judge_games(sample_of(tmp_path, MATE), judge, journal)
    once = log.read_text().count("go nodes")
    before, _ = judge_games(sample_of(tmp_path, MATE, QUIET), judge, journal)
    assert log.read_text().count("go nodes") == once + 7
    assert not np.isnan(before).any()
    assert len(journal.read_text().splitlines()) == 3, "a header and two games"


def test_another_judge_does_not_take_the_values_of_the_first(tmp_path: Path) -> None:
    sample, (judge, _) = sample_of(tmp_path, MATE), engine(tmp_path)
    judge_games(sample, judge, tmp_path / "judged.jsonl")
    with pytest.raises(JournalMismatch):
        judge_games(sample, JudgeConfig("chess", policy="strong"), tmp_path / "judged.jsonl")


def test_a_game_is_judged_again_when_other_plies_count(tmp_path: Path) -> None:
    judge, log = engine(tmp_path)
    judge_games(sample_of(tmp_path, MATE, skip=4), judge, tmp_path / "judged.jsonl")
    assert log.read_text().count("go nodes") == 3
    before, _ = judge_games(sample_of(tmp_path, MATE), judge, tmp_path / "judged.jsonl")
    assert len(before) == 7
    assert not np.isnan(before).any()


def test_the_report_counts_undecided_moves_and_names_the_decided_ones(tmp_path: Path) -> None:
    sample = sample_of(tmp_path, MATE, QUIET)
    assert len(sample) == 13
    before = np.array([0.5] * 5 + [0.95, 0.95] + [0.5] * 6)
    after = np.array([0.5, 0.35, 0.5, 0.25, 0.6] + [0.1, 0.95] + [0.5] * 6)
    report = mistakes_report(sample, before, after)["1500"]
    assert (report["games"], report["moves"]) == (2, 11)
    assert report["loss"]["value"] == pytest.approx((0.15 + 0.25) / 11, abs=1e-5)
    assert report["drift"]["value"] == pytest.approx((0.15 + 0.25 - 0.1) / 11, abs=1e-5)
    assert report["mistakes"]["value"] == pytest.approx(2 / 11, abs=1e-5)
    assert report["blunders"]["value"] == pytest.approx(1 / 11, abs=1e-5)
    assert report["loss"]["low"] == 0 < report["loss"]["high"], "over games: one of the two is without loss"
    standings = report["by"]["standing"]
    assert {name: entry["moves"] for name, entry in standings.items()} == {"even": 11, "won": 2}
    assert standings["won"]["blunders"]["value"] == 0.5
    assert sum(entry["moves"] for entry in report["by"]["phase"].values()) == 11
    json.dumps(report)


def test_people_give_away_less_the_higher_their_rating() -> None:
    judge = read_json(data.path("mistakes", "chess"))["judge"]
    people = people_mistakes("chess", judge)
    assert set(range(800, 2401, 100)) <= set(people)
    for column in ("loss", "mistakes", "blunders"):
        values = [people[rating][column]["value"] for rating in sorted(people)]
        assert values == sorted(values, reverse=True)
        assert all(row[column]["low"] < row[column]["value"] < row[column]["high"] for row in people.values())
    assert people_mistakes("chess", {**judge, "nodes": 1}) == {}, "numbers of two judges are not compared"
    assert people_mistakes("go", judge) == {}


def test_centipawns_become_an_expected_score() -> None:
    chess = describe("chess").engine
    assert chess is not None
    score = partial(expected_score, scale=chess.score_scale)
    assert score(0) == 0.5
    assert score(100) == pytest.approx(0.591, abs=1e-3)
    assert score(-100) == pytest.approx(1 - score(100))
    assert score(32_000) == pytest.approx(score(1000), abs=1e-5)
    assert score(32_000) < 1


def test_a_pawn_of_an_engine_is_worth_less_in_shogi() -> None:
    shogi = describe("shogi").engine
    assert shogi is not None
    assert 0.5 < expected_score(100, shogi.score_scale) < 0.53
