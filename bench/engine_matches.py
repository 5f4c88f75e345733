"""`python -m bench.engine_matches`: matches of the engines on a clock with third-party clients.

The shipped network plays itself with search limited by the clock alone; no game may end by a fault or a flag.
The latency of `stop` is measured too. Writes results/engines/matches.json.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import chess.engine
import cshogi
from cshogi.usi import Engine as UsiClient

from sparring.base.provenance import describe_machine, today
from sparring.go.game import Go
from sparring.measure.reports import write_json

RESULTS = Path(__file__).parent.parent / "results" / "engines" / "matches.json"
NODES = "1000000"
"""More than the clock allows, so that time ends every search."""


def command(protocol: str, *flags: str) -> list[str]:
    """The command line of an engine."""
    return [sys.executable, "-c", "from sparring.cli import main; main()", "engine", protocol, *flags]


def chess_match(games: int, seconds: float, increment: float, plies: int) -> dict[str, Any]:
    """Plays chess with python-chess as the client and clock; games end after `plies`."""
    ends: Counter[str] = Counter()
    least, moves = seconds, 0
    with chess.engine.SimpleEngine.popen_uci(command("uci", "--nodes", NODES)) as client:
        for game in range(games):
            board, clocks = chess.Board(), [seconds, seconds]
            while board.outcome() is None and board.ply() < plies and min(clocks) > 0:
                limit = chess.engine.Limit(
                    white_clock=clocks[0], black_clock=clocks[1], white_inc=increment, black_inc=increment
                )
                side, started = int(not board.turn), time.perf_counter()
                move = client.play(board, limit, game=game).move
                clocks[side] -= time.perf_counter() - started
                least, moves = min(least, clocks[side]), moves + 1
                clocks[side] += increment
                if move is None:
                    raise AssertionError(f"no move in {board.fen()}")
                board.push(move)
            outcome = board.outcome()
            flag = min(clocks) <= 0
            ends["flag" if flag else outcome.termination.name.lower() if outcome else "cut off"] += 1
    return {
        "client": f"python-chess {chess.__version__}", "games": games, "moves": moves,
        "clock": f"{seconds:g}+{increment:g}", "ends": dict(ends), "least_time_left": round(least, 3),
    }  # fmt: skip


def shogi_match(games: int, byoyomi: int, plies: int) -> dict[str, Any]:
    """Plays shogi with cshogi's client and rules; `byoyomi` is milliseconds a move."""
    ends: Counter[str] = Counter()
    longest, moves, flags = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "engine.sh"  # cshogi's client takes a file without arguments
        script.write_text(f"#!/bin/sh\nexec {shlex.join(command('usi', '--nodes', NODES))}\n")
        script.chmod(0o755)
        client = UsiClient(str(script))
        client.isready()
        for _ in range(games):
            client.usinewgame()
            board, line, end = cshogi.Board(), list[str](), "cut off"
            while len(line) < plies:
                client.position(moves=line, sfen="startpos")
                started = time.perf_counter()
                best, _ = client.go(btime=0, wtime=0, byoyomi=byoyomi)
                spent = time.perf_counter() - started
                longest, moves, flags = max(longest, spent), moves + 1, flags + (spent * 1000 > byoyomi)
                if best in ("resign", "win"):
                    end = "mate" if board.is_game_over() else best
                    break
                if board.move_from_usi(best) not in list(board.legal_moves):
                    raise AssertionError(f"{best} is not legal: {board.sfen()}")
                board.push_usi(best)
                line.append(best)
            ends[end] += 1
        client.quit()
    return {
        "client": "cshogi", "games": games, "moves": moves, "clock": f"byo-yomi {byoyomi} ms",
        "ends": dict(ends), "flags": flags, "longest_move": round(longest, 3),
    }  # fmt: skip


def go_match(games: int, plies: int) -> dict[str, Any]:
    """Plays Go 9x9 with a small GTP client and Canadian overtime of ten moves in two seconds."""
    ends: Counter[str] = Counter()
    longest, moves = 0.0, 0
    with subprocess.Popen(
        command("gtp", "--nodes", NODES), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as engine:

        def ask(line: str) -> str:
            assert engine.stdin is not None
            assert engine.stdout is not None
            print(line, file=engine.stdin, flush=True)
            answer = engine.stdout.readline().strip()
            while engine.stdout.readline().strip():
                pass
            if not answer.startswith("="):
                raise AssertionError(f"{line}: {answer}")
            return answer[1:].strip()

        ask("boardsize 9")
        for _ in range(games):
            ask("clear_board")
            game = Go(size=9)
            state, left, end = game.initial(), [(2.0, 10), (2.0, 10)], "cut off"
            while state.outcome is None and state.ply < plies:
                side, colour = state.to_move, "bw"[state.to_move]
                seconds, stones = left[side]
                ask(f"time_left {colour} {seconds:.3f} {stones}")
                started = time.perf_counter()
                answer = ask(f"genmove {colour}")
                spent = time.perf_counter() - started
                longest, moves = max(longest, spent), moves + 1
                if answer == "resign" or spent > seconds:
                    end = "resign" if answer == "resign" else "flag"
                    break
                left[side] = (seconds - spent, stones - 1) if stones > 1 else (2.0, 10)
                state = game.play(state, game.parse_move(state, answer))
            ends[state.outcome.reason if state.outcome else end] += 1
        ask("quit")
    return {
        "client": "a GTP client of our own", "games": games, "moves": moves,
        "clock": "10 moves in 2 s, Canadian", "ends": dict(ends), "longest_move": round(longest, 3),
    }  # fmt: skip


def stop_times(tries: int) -> dict[str, Any]:
    """Milliseconds from `stop` to `bestmove` during a search."""
    times = []
    with chess.engine.SimpleEngine.popen_uci(command("uci", "--nodes", NODES)) as client:
        for _ in range(tries):
            with client.analysis(chess.Board()) as analysis:
                time.sleep(0.3)
                started = time.perf_counter()
                analysis.stop()
                analysis.wait()
                times.append(1000 * (time.perf_counter() - started))
    return {
        "tries": tries,
        "median_ms": round(statistics.median(times), 1),
        "longest_ms": round(max(times), 1),
    }


def main() -> None:
    """Runs the matches and updates the results after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--plies", type=int, default=80, help="maximum length of a game")
    parser.add_argument("--only", help="run one match; the others keep their results")
    arguments = parser.parse_args()
    games, plies = arguments.games, arguments.plies
    measurements: dict[str, Callable[[], dict[str, Any]]] = {
        "chess": lambda: chess_match(games, 3, 0.05, plies),
        "chess without increment": lambda: chess_match(2, 3, 0, 400),
        "shogi": lambda: shogi_match(games, 500, plies // 2),
        "go": lambda: go_match(games, plies),
        "stop": lambda: stop_times(30),
    }
    written = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    written |= {"command": "python -m bench.engine_matches", "machine": describe_machine()}
    for name, measure in measurements.items():
        if arguments.only in (None, name):
            written[name] = {"date": today(), **measure()}
            print(name, json.dumps(written[name]))
            write_json(written, RESULTS)


if __name__ == "__main__":
    main()
