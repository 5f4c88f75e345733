from __future__ import annotations

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest

from sparring.go.gtp_board import GtpGame
from tests.engines.engine_client import EngineClient, engine


def play(session: EngineClient, *moves: str) -> None:
    for move in moves:
        assert session.gtp(f"play {move}") == "="


def test_numbers_comments_and_blanks_are_as_the_protocol_says() -> None:
    with engine("gtp") as session:
        session.send("", "   # nothing but a comment", "\t")
        assert session.gtp("17 protocol_version # what do you speak?") == "=17 2"
        assert session.gtp("18 nonsense") == "?18 unknown command"
        assert session.gtp("19") == "?19 unknown command"
        assert session.gtp("known_command genmove") == "= true"
        assert session.gtp("known_command make_tea") == "= false"
        assert "kata-analyze" in session.gtp("list_commands").splitlines()


def test_the_level_of_gnu_go_is_a_level() -> None:
    with engine("gtp") as session:
        for text, level in (("0", 950), ("5", 1605), ("10", 2260), ("1550", 1550)):
            assert session.gtp(f"level {text}") == "="
            assert session.gtp("kata-get-param level") == f"= {level}"
        for text in ("", "11", "-1", "five", "99999"):
            assert session.gtp(f"level {text}").startswith("? ")
            assert session.gtp("kata-get-param level") == "= 1550"


def test_the_name_has_the_level() -> None:
    with engine("gtp", level=1550) as session:
        assert session.gtp("name") == "= Sparring 1550"


def test_it_plays_on_boards_of_other_sizes() -> None:
    with engine("gtp", nodes=4) as session:
        assert session.gtp("boardsize 9") == "="
        assert re.fullmatch(r"= [A-HJ][1-9]", session.gtp("genmove b"))
        assert session.gtp("boardsize 25") == "? unacceptable size"
        assert session.gtp("boardsize large") == "? syntax error: a number expected"
        assert re.fullmatch(r"= [A-HJ][1-9]", session.gtp("genmove w"))


def test_genmove_plays_and_reg_genmove_does_not() -> None:
    with engine("gtp", temperature=0.0) as session:
        session.gtp("boardsize 9")
        thought = session.gtp("reg_genmove b")
        assert session.gtp("undo") == "? cannot undo"
        assert session.gtp("genmove b") == thought
        assert session.gtp(f"play w {thought[2:]}") == "? illegal move"
        assert session.gtp("undo") == "="
        play(session, f"w {thought[2:]}")


def test_either_colour_may_play_at_any_time() -> None:
    with engine("gtp") as session:
        session.gtp("boardsize 9")
        play(session, "b c3", "b d4", "black e5", "WHITE pass", "w g7")
        assert session.gtp("final_score") == "= W+5.5"
        assert session.gtp("final_status_list alive") == "= C3 D4 E5 G7"
        assert session.gtp("final_status_list dead") == "="
        assert session.gtp("play green c3") == "? invalid color or coordinate"
        assert session.gtp("play b z9") == "? invalid color or coordinate"
        assert session.gtp("play b") == "? syntax error: a colour and a vertex expected"
        for _ in range(5):
            assert session.gtp("undo") == "="
        assert session.gtp("undo") == "? cannot undo"


def test_play_goes_on_after_two_passes() -> None:
    with engine("gtp") as session:
        session.gtp("boardsize 9")
        play(session, "b pass", "w pass")
        assert session.gtp("genmove b").startswith("= ")
        play(session, "w a1")


def test_komi_and_rules_change_in_the_middle_of_a_game() -> None:
    with engine("gtp") as session:
        session.gtp("boardsize 5")
        play(session, "b c3")
        assert session.gtp("komi 0.5") == "="
        assert session.gtp("final_score") == "= B+24.5"
        assert session.gtp("kata-set-rules japanese") == "="
        assert session.gtp("final_score") == "= B+23.5"  # a stone is no territory
        rules = json.loads(session.gtp("kata-get-rules")[2:])
        assert (rules["ko"], rules["scoring"], rules["tax"]) == ("SIMPLE", "TERRITORY", "SEKI")
        assert session.gtp('kata-set-rules {"scoring":"AREA","ko":"SITUATIONAL","suicide":true}') == "="
        rules = json.loads(session.gtp("kata-get-rules")[2:])
        assert (rules["ko"], rules["scoring"], rules["suicide"]) == ("SITUATIONAL", "AREA", True)
        assert session.gtp("kgs-rules chinese") == "="
        assert json.loads(session.gtp("kata-get-rules")[2:])["ko"] == "POSITIONAL"
        assert session.gtp("kata-set-rules martian").startswith("? rules: ")
        assert session.gtp("kata-set-rules {broken").startswith("? rules: ")
        assert session.gtp("komi 1e9").startswith("? ")
        assert session.gtp("undo") == "="


def test_handicap() -> None:
    with engine("gtp") as session:
        session.gtp("boardsize 9")
        assert session.gtp("fixed_handicap 4") == "= C3 G3 C7 G7"
        assert session.gtp("genmove w").startswith("= ")
        assert session.gtp("fixed_handicap 2") == "? board not empty"
        session.gtp("clear_board")
        assert session.gtp("fixed_handicap 1") == "? invalid number of stones"
        assert session.gtp("fixed_handicap 12") == "? invalid number of stones"
        assert len(session.gtp("place_free_handicap 12").split()) == 10
        session.gtp("clear_board")
        assert session.gtp("set_free_handicap c3 c3") == "? bad vertex list"
        assert session.gtp("set_free_handicap c3 pass") == "? bad vertex list"
        assert session.gtp("set_free_handicap c3 d4 e5") == "="
        assert session.gtp("final_status_list alive") == "= C3 D4 E5"


def test_a_record_is_loaded_up_to_a_move(tmp_path: Path) -> None:
    record = tmp_path / "a game.sgf"
    record.write_text("(;GM[1]SZ[9]KM[5.5];B[cc];W[gg];B[ee])")
    with engine("gtp") as session:
        assert session.gtp(f"loadsgf {record}") == "= White"
        assert session.gtp("final_status_list alive") == "= E5 C7 G3"
        assert session.gtp(f"loadsgf {record} 2") == "= White"
        assert session.gtp("final_status_list alive") == "= C7"
        assert session.gtp("undo") == "="
        assert session.gtp(f"loadsgf {tmp_path / 'missing.sgf'}").startswith("? cannot load file")


@pytest.mark.parametrize("style", ["lz-", "kata-", ""])
def test_an_analysis_goes_on_until_the_next_command(style: str) -> None:
    with engine("gtp") as session:
        session.gtp("boardsize 9")
        session.send(f"{style}analyze b 5")
        session.until("=")
        line = session.until(r"info move .* order 1 .*")[-1]
        winrate = re.search(r"winrate (\S+)", line)
        assert winrate is not None
        assert (0 < float(winrate[1]) < 1) == (style == "kata-")
        session.until(r"info .*")
        session.send("3 name")
        assert session.until("")[-1] == ""
        assert session.until("=3 Sparring")


def test_an_analysis_looks_only_where_it_should() -> None:
    with engine("gtp") as session:
        session.gtp("boardsize 9")
        session.send("lz-analyze b interval 5 allow b c3,g7,e5 1 avoid b e5 1 maxmoves 5")
        line = session.until(r"info .*order 1 .*")[-1]
        assert set(re.findall(r"info move (\S+)", line)) == {"C3", "G7"}
        session.send("")
        session.until("")
        assert session.gtp("kata-analyze b sideways") == "? syntax error: 'sideways' is not understood"


def test_an_analysis_shows_no_other_moves_of_an_earlier_one() -> None:
    with engine("gtp") as session:
        session.gtp("boardsize 9")
        for options in ("", " allow b c3,g7 1"):
            session.send(f"lz-analyze b interval 5{options}")
            line = session.until(r"info .*")[-1]
            session.send("")
            session.until("")
        assert set(re.findall(r"info move (\S+)", line)) <= {"C3", "G7"}


def test_a_move_with_its_analysis() -> None:
    with engine("gtp", nodes=30) as session:
        session.gtp("boardsize 9")
        lines = session.gtp("7 kata-genmove_analyze b 100 maxmoves 2").splitlines()
        assert lines[0] == "=7"
        assert len(re.findall("info move", lines[1])) <= 2
        assert re.fullmatch(r"play [A-HJ][1-9]", lines[-1])
        assert session.gtp("undo") == "="


def test_analysis_does_not_change_a_seeded_game() -> None:
    games = []
    with engine("gtp", seed=4) as session:
        session.gtp("boardsize 9")
        for analyses in (False, True):
            session.gtp("clear_board")
            moves = []
            for colour in "bwbw":
                if analyses:
                    session.gtp("kata-raw-nn 0")
                moves.append(session.gtp(f"genmove {colour}"))
            games.append(moves)
    assert games[0] == games[1]


def test_options_are_set_and_listed() -> None:
    with engine("gtp") as session:
        assert session.gtp("kata-set-param maxVisits 12") == "="
        assert session.gtp("kata-get-param nodes") == "= 12"
        assert session.gtp("kata-set-param rank 3k") == "="
        assert session.gtp("kata-get-param rank") == "= 3k"
        assert session.gtp("kata-set-param rank strong") == "? rank is a rank, such as 5k or 3d, not 'strong'"
        assert session.gtp("kata-set-param tea hot").startswith("? there is no option 'tea'")
        assert any(line.startswith("rank = 3k") for line in session.gtp("sparring-options").splitlines())


def test_it_plays_at_a_level() -> None:
    with engine("gtp") as session:
        assert session.gtp("kata-set-param level 1300") == "="
        assert session.gtp("kata-get-param level") == "= 1300"
        warm = float(session.gtp("kata-get-param temperature").removeprefix("= "))
        assert re.fullmatch(r"= [A-T]\d{1,2}", session.gtp("genmove b"))
        assert session.gtp("kata-set-param level 1500") == "="
        assert float(session.gtp("kata-get-param temperature").removeprefix("= ")) < warm
        assert re.fullmatch(r"= [A-T]\d{1,2}", session.gtp("genmove w"))
        assert "the levels of go are" in session.gtp("kata-set-param level 5000")


def test_raw_network_output_is_that_of_the_network() -> None:
    with engine("gtp") as session:
        session.gtp("boardsize 5")
        play(session, "b c3")
        lines = session.gtp("kata-raw-nn 0").splitlines()
        policy = " ".join(lines[lines.index("policy") + 1 :]).split()
        numbers = [float(word) for word in policy if word not in ("NAN", "policyPass")]
        assert policy.count("NAN") == 1
        assert sum(numbers) == pytest.approx(1, abs=1e-3)


def test_a_player_with_a_low_expected_score_resigns() -> None:
    with engine("gtp", resign_below=1.0, resign_after=1) as session:
        assert session.gtp("genmove b") == "= resign"
        assert session.gtp("undo") == "? cannot undo"


def test_a_network_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    with engine("gtp", tmp_path / "missing.onnx") as session:
        assert "missing.onnx" in session.gtp("genmove b")
        assert session.gtp("lz-analyze b 5").startswith("? ")
        play(session, "b d4")


@pytest.mark.parametrize(
    "settings",
    [
        "time_settings 0 1 1",
        "time_settings 1 0 0",
        "kgs-time_settings byoyomi 0 1 5",
        "kgs-time_settings canadian 0 10 20",
        "kgs-time_settings absolute 5",
    ],
)
def test_time_bounds_the_search(settings: str) -> None:
    with engine("gtp", nodes=10**8) as session:
        session.gtp("boardsize 9")
        assert session.gtp(settings) == "="
        if "absolute" in settings:
            assert session.gtp("time_left b 1 0") == "="
        began = time.monotonic()
        assert session.gtp("genmove b").startswith("= ")
        assert time.monotonic() - began < 5, "a second or less is left; 10^8 nodes take hours"


@pytest.mark.parametrize("settings", ["time_settings 0 1 0", "kgs-time_settings none"])
def test_settings_without_a_limit_leave_the_nodes_alone(settings: str) -> None:
    with engine("gtp", nodes=200) as session:
        session.gtp("boardsize 9")
        session.gtp("time_settings 1 0 0")  # a few nodes
        assert session.gtp(settings) == "="
        *_, analysis, _ = session.gtp("lz-genmove_analyze b 100").splitlines()
    assert sum(map(int, re.findall(r"visits (\d+)", analysis))) == 199


def test_time_settings_that_make_no_sense_are_refused() -> None:
    with engine("gtp") as session:
        assert session.gtp("time_settings soon") == "? syntax error: a number expected"
        assert session.gtp("kgs-time_settings byoyomi 3").startswith("? syntax error")
        assert session.gtp("time_left b 3").startswith("? syntax error")


def test_the_end_of_its_input_ends_it_in_the_middle_of_an_analysis() -> None:
    with engine("gtp") as session:
        session.send("lz-analyze b 5")
        session.until("info .*")
        assert session.hang_up()[-1] == ""


def test_a_networks_ownership_says_which_stones_are_dead() -> None:
    game = GtpGame()
    commands = game.commands()
    commands["boardsize"](["5"])
    commands["play"](["b", "A1"])
    commands["play"](["w", "E5"])
    game.ownership = lambda state: np.full(25, -0.8, np.float32)  # all is White's: Black is to move
    assert commands["final_status_list"](["dead"]) == "A1"
    assert commands["final_status_list"](["alive"]) == "E5"
    assert commands["final_score"]([]) == "W+32.5"


def test_dead_stones_are_listed_and_counted() -> None:
    with engine("gtp") as session:
        session.gtp("boardsize 9")
        session.gtp("komi 7.5")
        for row in range(1, 10):
            session.gtp(f"play b D{row}")
            session.gtp(f"play w E{row}")
        for colour, vertex in (("b", "G8"), ("w", "A7"), ("b", "G2"), ("w", "B3")):
            session.gtp(f"play {colour} {vertex}")
        assert session.gtp("final_status_list dead") == "= G2 B3 A7 G8"
        assert "A7" not in session.gtp("final_status_list alive")
        assert session.gtp("final_status_list seki") == "="
        assert session.gtp("final_score") == "= W+16.5"  # 36 points and 45, with komi
