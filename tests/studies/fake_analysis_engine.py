"""A test engine, `python fake_analysis_engine.py PROTOCOL FOLDER`: counts material, dies as FOLDER says.

A file `deaths` in the folder holds how often it still has to die at a question; `questions` counts them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sparring._core import ChessState, GoState, ShogiState

PROTOCOL, FOLDER = sys.argv[1], Path(sys.argv[2])
VALUES = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}


def count(name: str, by: int) -> int:
    path = FOLDER / name
    number = (int(path.read_text()) if path.exists() else 0) + by
    path.write_text(str(number))
    return number


def asked() -> None:
    count("questions", 1)
    if (FOLDER / "deaths").exists() and int((FOLDER / "deaths").read_text()) > 0:
        count("deaths", -1)
        os._exit(3)


def material(text: str) -> int:
    """For the side to move, in centipawns."""
    board, side, *_ = text.split()
    total = 100 * sum(VALUES.get(c.lower(), 0) * (1 if c.isupper() else -1) for c in board)
    return total if side in ("w" if PROTOCOL == "uci" else "b") else -total


def say(text: str) -> None:
    print(text, flush=True)


def speak_uci() -> None:
    kind = ChessState if PROTOCOL == "uci" else ShogiState
    state = kind.initial()
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci" | "usi"]:
                say(f"{PROTOCOL}ok")
            case ["isready"]:
                say("readyok")
            case ["position"]:
                state = kind.initial() if words[1] == "startpos" else kind.parse(" ".join(words[2:]))
            case ["go"]:
                asked()
                if not (FOLDER / "mute").exists():
                    say(f"info score cp {material(state.text())}")
                say(f"bestmove {state.move_text(state.legal_moves()[0])}")
            case ["quit"]:
                return


def speak_gtp() -> None:
    state = GoState.initial(19)
    analysis = (FOLDER / "analysis").exists()
    for line in sys.stdin:
        words = line.split()
        answer = ""
        match words:
            case ["list_commands"]:
                answer = "play\nkata-analyze" if analysis else "play\nestimate_score"
                answer = "play" if (FOLDER / "mute").exists() else answer
            case ["boardsize", number]:
                state = GoState.initial(int(number))
            case ["play", _, move]:
                state = state.play(state.parse_move(move))
            case ["estimate_score"]:
                asked()
                stones = [len(stone) for stone in state.stones]
                answer = (
                    f"{'B' if stones[0] >= stones[1] else 'W'}+{abs(stones[0] - stones[1])}.5 (upper bound)"
                )
            case ["kata-analyze", *_]:
                asked()
                say("=")
                for visits in (1, 4, 16):
                    say(f"info move D4 visits {visits} scoreLead -2.25 pv D4 info move C3 visits 1")
                continue
            case ["quit"]:
                return
        say(f"= {answer}\n")


speak_gtp() if PROTOCOL == "gtp" else speak_uci()
