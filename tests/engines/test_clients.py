"""Other people's clients play against the engines as GUIs start them: processes with the shipped networks."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import cshogi
import pytest
from cshogi.usi import Engine as UsiClient

from sparring.cli import main
from sparring.go.game import Go
from tests.engines.engine_client import command, process


def test_python_chess_plays_a_game() -> None:
    with chess.engine.SimpleEngine.popen_uci(command("uci", "--nodes", "8", "--seed", "1")) as client:
        client.configure({"UCI_ShowWDL": True, "Move Overhead": 50})
        board = chess.Board()
        for limit in (
            chess.engine.Limit(nodes=4),
            chess.engine.Limit(time=0.1),
            chess.engine.Limit(white_clock=30, black_clock=30, white_inc=0.1, black_inc=0.1),
            chess.engine.Limit(white_clock=5, black_clock=5, remaining_moves=3),
        ):
            result = client.play(board, limit, info=chess.engine.INFO_ALL, game="one")
            assert result.move is not None
            assert result.move in board.legal_moves
            assert result.info["wdl"].white().total() == 1000
            assert result.info["pv"][0] == result.move
            board.push(result.move)


def test_python_chess_ponders() -> None:
    with chess.engine.SimpleEngine.popen_uci(command("uci", "--nodes", "30")) as client:
        board = chess.Board()
        for _ in range(3):
            result = client.play(board, chess.engine.Limit(white_clock=9, black_clock=9), ponder=True)
            assert result.move is not None
            board.push(result.move)
            board.push(result.ponder or next(iter(board.legal_moves)))


def test_python_chess_analyses_several_lines() -> None:
    with chess.engine.SimpleEngine.popen_uci(command("uci", "--nodes", "100")) as client:
        board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
        lines = client.analyse(board, chess.engine.Limit(nodes=60), multipv=2)
        assert [line["multipv"] for line in lines] == [1, 2]
        searchmoves = [chess.Move.from_uci("a2a3")]
        (line,) = client.analyse(board, chess.engine.Limit(nodes=20), multipv=1, root_moves=searchmoves)
        assert line["pv"][0] == searchmoves[0]
        with client.analysis(board) as analysis:  # go infinite
            analysis.next()
        assert analysis.wait().move in list(board.legal_moves)


def test_cshogi_plays_a_game(tmp_path: Path) -> None:
    script = tmp_path / "engine.sh"  # cshogi's client takes a file without arguments
    script.write_text(f"#!/bin/sh\nexec {shlex.join(command('usi', '--nodes', '8', '--seed', '1'))}\n")
    script.chmod(0o755)
    client, board = UsiClient(str(script)), cshogi.Board()
    moves: list[str] = []
    assert client.name.startswith("Sparring")
    client.isready()
    client.usinewgame()
    for limit in ({"byoyomi": 500}, {"btime": 9000, "wtime": 9000, "binc": 100, "winc": 100}, {"nodes": 5}):
        client.position(moves=moves, sfen="startpos")
        best, _ = client.go(**limit)
        board.push_usi(best)
        moves.append(best)
    assert [cshogi.move_to_usi(move) for move in board.history] == moves
    client.quit()


def test_a_gtp_client_plays_a_game() -> None:
    with process("gtp", "--nodes", "4", "--seed", "1") as (session, running):
        assert session.gtp("boardsize 9") == "="
        game = Go(size=9)
        state = game.initial()
        for ply in range(6):
            answer = session.gtp(f"genmove {'bw'[ply % 2]}")
            state = game.play(state, game.parse_move(state, answer[2:]))
        assert session.gtp("quit") == "="
        assert running.wait(30) == 0


@pytest.mark.parametrize("protocol", ["uci", "usi", "gtp"])
def test_hanging_up_ends_the_process(protocol: str) -> None:
    with process(protocol) as (session, running):
        session.send("go infinite" if protocol != "gtp" else "lz-analyze b 5")
        session.hang_up()
        assert running.wait(30) == 0


def test_nothing_else_is_written_to_standard_output(tmp_path: Path) -> None:
    chatty = (
        "import sys, os; from sparring.networks import store; loud = store.load_network\n"
        "def load(*a, **k): print('loading'); os.write(1, b'natively'); return loud(*a, **k)\n"
        "store.load_network = load; import sparring.networks; sparring.networks.load_network = load\n"
        "from sparring.policies import loading; loading.load_network = load\n"
        "from sparring.cli import main; main(['engine', 'uci'])"
    )
    done = subprocess.run([sys.executable, "-c", chatty], input=b"isready\n", capture_output=True, timeout=60)
    assert done.stdout == b"readyok\n"
    assert b"natively" in done.stderr
    assert b"loading" in done.stderr


def test_a_flag_that_cannot_be_is_refused_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["engine", "uci", "--nodes", "many"])
    assert ended.value.code == 2
    assert "nodes is a whole number, 0 to 1000000000, not 'many'" in capsys.readouterr().err
