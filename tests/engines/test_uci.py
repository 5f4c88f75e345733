from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import chess
import pytest

from sparring.chess.game import Chess
from sparring.engines.protocols import lc0_centipawns, permille
from sparring.networks import load_network
from tests.engines.engine_client import engine

BEST = r"bestmove .*"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"


def best(lines: list[str]) -> str:
    return lines[-1].split()[1]


def infos(lines: list[str]) -> list[dict[str, str]]:
    """The info lines with a variation: word to the next word, the variation under pv."""
    found = []
    for line in lines:
        if line.startswith("info ") and " pv " in line:
            before, _, variation = line.partition(" pv ")
            words = before.replace("score ", "").split()[1:]
            if "wdl" in words:
                at = words.index("wdl")
                words[at : at + 4] = ["wdl", " ".join(words[at + 1 : at + 4])]
            found.append({**dict(zip(words[::2], words[1::2], strict=True)), "pv": variation})
    return found


def info_strings(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("info string")]


def test_the_handshake_needs_no_network(tmp_path: Path) -> None:
    with engine("uci", tmp_path / "missing.onnx") as session:
        lines = session.ask("uci", until="uciok")
    assert lines[0].startswith("id name Sparring")
    assert "option name MultiPV type spin default 1 min 1 max 500" in lines


def test_a_network_that_cannot_be_loaded_is_named_and_nothing_is_played(tmp_path: Path) -> None:
    with engine("uci", tmp_path / "missing.onnx") as session:
        lines = session.ask("isready", until="readyok")
        assert "missing.onnx" in info_strings(lines)[0]
        assert best(session.ask("go nodes 1", until=BEST)) == "(none)"


def test_a_valid_network_replaces_one_that_failed_to_load(tmp_path: Path, small: dict[str, Path]) -> None:
    with engine("uci", tmp_path / "missing.onnx") as session:
        session.ask("isready", until="readyok")
        session.send(f"setoption name Model value {small['chess']}")
        assert not info_strings(session.ask("isready", until="readyok"))
        assert chess.Move.from_uci(best(session.ask("go", until=BEST))) in chess.Board().legal_moves


def test_a_policy_alone_answers_with_one_line_of_the_move_it_plays(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], seed=3) as session:
        lines = session.ask("position startpos moves e2e4", "go wtime 1000 btime 1000", until=BEST)
    (info,) = infos(lines)
    assert info["nodes"] == "1"
    assert info["pv"] == best(lines)


def test_more_lines_of_a_policy_are_its_likeliest_moves(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], multipv=4, temperature=0.0) as session:
        lines = session.ask("go", until=BEST)
    assert [info["multipv"] for info in infos(lines)] == ["1", "2", "3", "4"]
    assert infos(lines)[0]["pv"] == best(lines)


def test_a_search_that_visited_few_moves_has_as_many_lines_as_asked(small: dict[str, Path]) -> None:
    """Level 1500 searches two nodes."""
    with engine("uci", small["chess"], multipv=5, nodes=2, show_wdl=True) as session:
        found = infos(session.ask("go", until=BEST))
    assert [info["multipv"] for info in found] == ["1", "2", "3", "4", "5"]
    assert len({info["pv"].split()[0] for info in found}) == 5
    assert all("cp" in info and "wdl" in info for info in found)


def test_lines_are_never_more_than_the_moves(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], multipv=5, nodes=2) as session:
        session.send("position fen 7k/8/8/8/8/8/5q2/7K w - - 0 1")
        assert best(session.ask("go", until=BEST)) == "(none)"
        session.send("position fen 7k/8/8/8/8/8/6q1/7K w - - 0 1")
        assert len(infos(session.ask("go", until=BEST))) == 1


def test_the_lines_of_an_endless_analysis_without_search_come_twice(small: dict[str, Path]) -> None:
    """Scid 4.7 forgets the first line of a new position when the second comes."""
    with engine("uci", small["chess"], multipv=3) as session:
        session.send("go infinite", "isready")
        lines = session.ask("stop", until=BEST)
        assert [info["multipv"] for info in infos(lines)] == ["1", "2", "3"] * 2
        assert [info["multipv"] for info in infos(session.ask("go", until=BEST))] == ["1", "2", "3"]


def test_the_name_has_the_level_or_the_player_that_it_was_started_with() -> None:
    for changes, name in (
        ({}, f"Sparring {version('sparring')}"),
        ({"level": 1200}, "Sparring 1200"),
        ({"name": "anna", "level": 1200}, "anna (Sparring)"),
    ):
        with engine("uci", "human", **changes) as session:
            assert session.ask("uci", until="uciok")[0] == f"id name {name}"


def test_each_line_of_a_policy_has_the_score_of_its_own_move(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], multipv=20, show_wdl=True) as session:
        found = infos(session.ask("go", until=BEST))
    network, state = load_network(small["chess"]), Chess().initial()
    for info in found:
        reply = network.predict([state.play(state.parse_move(info["pv"]))])[0]
        assert reply.value is not None
        assert int(info["cp"]) == lc0_centipawns(-reply.value)
        assert reply.wdl is None or info["wdl"] == " ".join(map(str, permille(reply.wdl)[::-1]))
    assert len({info["cp"] for info in found}) > 1


def test_lines_of_a_policy_know_mates_and_draws(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], multipv=500, show_wdl=True) as session:
        found = infos(session.ask(f"position fen {MATE_IN_ONE}", "go", until=BEST))
        (mate,) = (info for info in found if info["pv"] == "d1d8")
        assert (mate["mate"], mate["wdl"]) == ("1", "1000 0 0")
        stalemate = "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"
        found = infos(session.ask(f"position fen {stalemate}", "go", until=BEST))
        (draw,) = (info for info in found if info["pv"] == "f1f7")
        assert (draw["cp"], draw["wdl"]) == ("0", "0 1000 0")


STATS = re.compile(r"info string (\S+) +N: +(\d+) \(P: +([\d.]+)%\) \(Q: +(\S+)\)")


@pytest.mark.parametrize("nodes", [0, 30])
def test_verbose_move_stats_list_every_move_with_its_probability(nodes: int, small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=nodes) as session:
        session.send("setoption name VerboseMoveStats value true")
        lines = info_strings(session.ask("go", until=BEST))
    rows = [STATS.fullmatch(line) for line in lines]
    assert {row[1] for row in rows if row} == {move.uci() for move in chess.Board().legal_moves}
    assert sum(float(row[3]) for row in rows if row) == pytest.approx(100, abs=0.2)
    assert sum(int(row[2]) for row in rows if row) == max(nodes - 1, 0)


def test_more_lines_of_a_search_are_its_most_visited_moves(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=40, multipv=3, show_wdl=True) as session:
        found = infos(session.ask("position startpos", "go", until=BEST))[-3:]
    assert [info["multipv"] for info in found] == ["1", "2", "3"]
    assert {info["nodes"] for info in found} == {"40"}
    for info in found:
        assert sum(map(int, info["wdl"].split())) == 1000
        board = chess.Board()
        for move in info["pv"].split():
            board.push_uci(move)


def test_go_nodes_bounds_the_search(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=10) as session:
        assert infos(session.ask("go nodes 33", until=BEST))[-1]["nodes"] == "33"


def test_a_mate_is_found(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=100, temperature=0.0) as session:
        assert best(session.ask(f"position fen {MATE_IN_ONE}", "go", until=BEST)) == "d1d8"


@pytest.mark.parametrize(
    ("fen", "mate", "line"),
    [
        (MATE_IN_ONE, "1", "d1d8"),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", "2", "f6f7 h8h7 g1h1"),
        ("7k/5K2/8/8/8/8/8/6R1 b - - 0 1", "-1", "h8h7 g1h1"),
    ],
)
def test_a_mate_is_counted_in_moves_and_played_at_any_temperature(
    fen: str, mate: str, line: str, small: dict[str, Path]
) -> None:
    with engine("uci", small["chess"], nodes=3000, show_wdl=True) as session:
        only = f" searchmoves {line.split()[0]}" if mate == "2" else ""  # there are slower mates
        lines = session.ask(f"position fen {fen}", f"go{only}", until=BEST)
    last = infos(lines)[-1]
    assert (last["mate"], last["pv"], best(lines)) == (mate, line, line.split()[0])
    assert "cp" not in last
    assert last["wdl"] == ("0 0 1000" if mate == "-1" else "1000 0 0")


def test_a_policy_alone_sees_no_mate(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        lines = session.ask(f"position fen {MATE_IN_ONE}", "go", until=BEST)
    assert "mate" not in infos(lines)[-1]


def test_an_analysis_in_which_all_is_decided_still_waits_for_stop(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=50) as session:
        session.ask(
            "position fen 7k/5K2/8/8/8/8/8/6R1 b - - 0 1", "go infinite", until="info .*score mate -1.*"
        )
        assert session.ask("isready", until="readyok") == ["readyok"]
        assert best(session.ask("stop", until=BEST)) == "h8h7"


@pytest.mark.parametrize("nodes", [0, 60])
def test_searchmoves_bounds_the_choice(nodes: int, small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=nodes) as session:
        for _ in range(5):
            lines = session.ask("go searchmoves a2a3 h2h4", until=BEST)
            assert best(lines) in ("a2a3", "h2h4")


@pytest.mark.parametrize("nodes", [0, 60])
def test_searchmoves_bounds_the_lines_after_an_earlier_search(nodes: int, small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=nodes) as session:
        session.ask("setoption name MultiPV value 5", "go nodes 60", until=BEST)
        lines = session.ask("go searchmoves a2a3 h2h4 nodes 80", until=BEST)
    firsts = {line.split(" pv ")[1].split()[0] for line in lines if " pv " in line}
    assert firsts == {"a2a3", "h2h4"}


def test_searchmoves_that_are_not_legal_are_named_and_left_out(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        lines = session.ask("go searchmoves a2a5 b7b8x c2c3", until=BEST)
    assert len(info_strings(lines)) == 2
    assert best(lines) == "c2c3"


def test_depth_does_not_bound_and_is_answered_with_a_word(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        assert "depth" in info_strings(session.ask("go depth 5", until=BEST))[0]


def test_go_infinite_waits_for_stop(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        session.send("go infinite", "isready")
        assert not [line for line in session.until("readyok") if line.startswith("bestmove")]
        session.ask("stop", until=BEST)


def test_stop_ends_a_long_search(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=10**8) as session:
        session.ask("isready", until="readyok")
        session.send("go")
        session.until("info .*")
        lines = session.ask("stop", until=BEST)
        assert best(lines) == infos(lines)[-1]["pv"].split()[0]


def test_stop_while_the_network_loads_is_answered_once_it_is_there(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=10**8) as session:
        lines = session.ask("isready", "go infinite", "stop", until=BEST)
        assert chess.Move.from_uci(best(lines)) in chess.Board().legal_moves


def test_two_gos_get_two_answers_and_the_first_does_not_last(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=5) as session:
        session.ask("isready", until="readyok")
        session.send("position startpos", "go infinite", "position startpos moves e2e4", "go nodes 20")
        first, second = best(session.until(BEST)), best(session.until(BEST))
    assert chess.Move.from_uci(first) in chess.Board().legal_moves
    board = chess.Board()
    board.push_uci("e2e4")
    assert chess.Move.from_uci(second) in board.legal_moves


def test_ponderhit_continues_the_search(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=50, ponder=True) as session:
        lines = session.ask("position startpos", "go", until=BEST)
        played, expected = lines[-1].split()[1], lines[-1].split()[3]
        session.send(f"position startpos moves {played} {expected}", "go ponder wtime 60000 btime 60000")
        session.until("info .*")
        lines = session.ask("ponderhit", until=BEST)
    assert sum(line.startswith("bestmove") for line in lines) == 1
    assert int(infos(lines)[-1]["nodes"]) > 50  # it kept what it had found on the opponent's time


def test_a_ponder_that_misses_is_answered_for_form(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=50) as session:
        session.ask("go ponder wtime 60000 btime 60000", "stop", until=BEST)
        session.send("ponderhit")
        session.ask("isready", until="readyok")
        assert sum(line.startswith("bestmove") for line in session.received) == 1


@pytest.mark.parametrize(
    "position",
    [
        "position startpos moves e2e4 e7e6 e4e6",
        "position startpos moves e2e4 nonsense",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1 extra words",
        "position",
        "position moves e2e4",
        "position startpos e2e4",
    ],
)
def test_a_broken_position_is_named_and_the_last_one_stays(position: str, small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        session.send(f"position fen {MATE_IN_ONE}", position)
        lines = session.ask("go searchmoves d1d8", until=BEST)
    assert "position" in info_strings(lines)[0]
    assert best(lines) == "d1d8"


def test_a_very_long_position_is_taken(small: dict[str, Path]) -> None:
    there_and_back = "g1f3 g8f6 f3g1 f6g8 " * 1000
    with engine("uci", small["chess"]) as session:
        lines = session.ask(f"position startpos moves {there_and_back}", "go", until=BEST)
        assert "the game is over" in info_strings(lines)[0]  # repeated far too often
        assert best(lines) == "(none)"
        lines = session.ask(
            f"position startpos moves {there_and_back} e2e4", "go searchmoves e7e5", until=BEST
        )
        assert best(lines) == "e7e5"  # but a GUI may go on


def test_mated_it_has_no_move(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        lines = session.ask("position startpos moves f2f3 e7e5 g2g4 d8h4", "go", until=BEST)
    assert best(lines) == "(none)"


def test_names_of_options_ignore_case_and_values_may_have_spaces(
    tmp_path: Path, small: dict[str, Path]
) -> None:
    spaced = tmp_path / "a name with spaces.onnx"
    spaced.write_bytes(small["chess"].read_bytes())
    with engine("uci", tmp_path / "missing") as session:
        session.send("setoption name mOvE oVerhead value 30", f"setoption NAME model VALUE {spaced}")
        assert not info_strings(session.ask("isready", until="readyok"))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("setoption name MultiPV value many", "multipv is a whole number, 1 to 500, not 'many'"),
        ("setoption name MultiPV value 0", "multipv is a whole number"),
        ("setoption name Temperature value nan", "temperature is a number"),
        ("setoption name Ponder", "ponder is a true or false"),
        ("setoption name Contempt value 3", "there is no option 'Contempt'"),
        ("setoption value 3", "'name' expected"),
        ("setoption name UCI_Chess960 value true", "Chess960"),
        ("setoption name Player value nowhere.toml", "nowhere.toml"),
        ("what now", "unknown command: what now"),
    ],
)
def test_impossible_requests_are_one_line_errors(line: str, complaint: str, small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        assert complaint in info_strings(session.ask(line, "isready", until="readyok"))[0]


def test_a_player_of_another_game_is_refused(tmp_path: Path, small: dict[str, Path]) -> None:
    (tmp_path / "player.toml").write_text('game = "go"\n')
    with engine("uci", small["chess"]) as session:
        lines = session.ask(
            f"setoption name Player value {tmp_path / 'player.toml'}", "isready", until="readyok"
        )
    assert "a player of go, not of chess" in info_strings(lines)[0]


def test_play_loads_a_player_from_a_file(tmp_path: Path, small: dict[str, Path]) -> None:
    toml = f'game = "chess"\nmodel = "{small["chess"]}"\nnodes = 7\n'
    (tmp_path / "player.toml").write_text(toml)
    with engine("uci", tmp_path / "missing") as session:
        session.send(f"setoption name Player value {tmp_path / 'player.toml'}")
        assert infos(session.ask("go", until=BEST))[-1]["nodes"] == "7"


def test_a_player_from_a_file_is_not_undone_by_a_gui_that_sends_every_option(
    tmp_path: Path, small: dict[str, Path]
) -> None:
    (tmp_path / "player.toml").write_text(f'game = "chess"\nmodel = "{small["chess"]}"\nnodes = 7\n')
    with engine("uci") as session:
        declared = [
            re.fullmatch("option name (.*) type (?:spin|check|string) default (\\S*).*", line)
            for line in session.ask("uci", until="uciok")
        ]
        session.send(
            "setoption name MultiPV value 2", f"setoption name Player value {tmp_path / 'player.toml'}"
        )
        session.send(*(f"setoption name {m[1]} value {m[2]}" for m in declared if m and m[1] != "Player"))
        lines = session.ask("setoption name Seed value 3", "go", until=BEST)
    assert not info_strings(lines)
    assert {info["nodes"] for info in infos(lines)} == {"7"}


def test_a_rating_out_of_range_becomes_the_nearest_and_is_reported() -> None:
    with engine("uci") as session:
        session.send("setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 3900")
        assert "3900" in info_strings(session.ask("isready", until="readyok"))[0]
        assert best(session.ask("go", until=BEST)) != "(none)"


@pytest.mark.parametrize("way", ["Rating", "Player"])
def test_a_rating_for_an_unconditioned_network_is_reported_and_ignored(
    way: str, tmp_path: Path, small: dict[str, Path]
) -> None:
    file = tmp_path / "player.toml"
    file.write_text(f'game = "chess"\nmodel = "{small["chess"]}"\nrating = 1500\n')
    value = {"Rating": "1700", "Player": str(file)}[way]
    with engine("uci", small["chess"]) as session:
        assert not info_strings(session.ask("isready", until="readyok"))  # the usual rating is nobody's wish
        said = info_strings(session.ask(f"setoption name {way} value {value}", "isready", until="readyok"))
        assert said == ["info string chess is not conditioned on ratings: the given one is ignored"]
        assert best(session.ask("go", until=BEST)) != "(none)"


def test_a_level_brings_its_own_policy(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        said = session.ask("setoption name UCI_LimitStrength value true", "isready", until="readyok")
        assert not info_strings(said)
        assert best(session.ask("go", until=BEST)) != "(none)"


def test_the_same_seed_gives_the_same_game(small: dict[str, Path]) -> None:
    games: list[list[str]] = []
    with engine("uci", small["chess"], seed=5) as session:
        for _ in range(2):
            session.send("ucinewgame")
            moves: list[str] = []
            for _ in range(6):
                moves.append(
                    best(session.ask(f"position startpos moves {' '.join(moves)}", "go", until=BEST))
                )
            games.append(moves)
    assert games[0] == games[1]


def test_debug_tells_why(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        assert "probability" in info_strings(session.ask("debug on", "go", until=BEST))[0]
        assert not info_strings(session.ask("debug off", "go", until=BEST))


def test_the_end_of_its_input_ends_a_search(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=10**8) as session:
        session.send("isready", "go infinite")
        lines = session.hang_up()
    assert "readyok" in lines  # a shell's pipe gets its answers
    assert chess.Move.from_uci(best(lines)) in chess.Board().legal_moves


def test_quit_ends_a_search_without_a_word(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"], nodes=10**8) as session:
        session.ask("isready", until="readyok")
        session.send("go infinite", "quit")
        assert not [line for line in session.hang_up() if line.startswith("bestmove")]


def test_lines_may_end_as_on_windows(small: dict[str, Path]) -> None:
    with engine("uci", small["chess"]) as session:
        session.send("isready\r")
        session.until("readyok")
