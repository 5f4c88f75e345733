"""An engine for tests: `python fake_engine.py PROTOCOL [TROUBLE]`. It plays the first legal move.

What it does wrong it does at its second move of a game, unless the trouble is about starting or quitting.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from sparring._core import ChessState, GoState, ShogiState  # the rules alone: it starts in no time

PROTOCOL = sys.argv[1]
TROUBLE = sys.argv[2] if len(sys.argv) > 2 else ""
STATES: dict[str, Any] = {"uci": ChessState, "usi": ShogiState}


def say(text: str) -> None:
    print(text, flush=True)


def hang() -> NoReturn:
    while True:
        time.sleep(60)


def misbehave() -> None:
    """Does what the trouble is, where that is not an answer."""
    match TROUBLE:
        case "hang":
            hang()
        case "crash":
            print("out of cheese", file=sys.stderr)
            os._exit(3)
        case "flood":
            while True:
                say("info string " + "spam " * 200)
        case "endless-line":
            while True:
                sys.stdout.write("spam" * 1000)
        case "garbage":
            sys.stdout.buffer.write(b"\xff\x00\xfe\n\ninfo\ninfo score\ninfo score cp x\ninfo score mate\n")
            say("info score mate 999999999\ninfo score cp 123456789012\nreadyok\nuciok\n=\n")
        case "chatter":  # to the other pipe, which must not hold it up
            sys.stderr.write("spam\n" * 100_000)
            sys.stderr.flush()


def at_start() -> None:
    match TROUBLE:
        case "hang-start":
            hang()
        case "crash-start":
            print("no such network", file=sys.stderr)
            os._exit(1)
        case "child":
            subprocess.Popen(["sleep", "300"])


def at_quit() -> None:
    if TROUBLE == "hang-quit":
        hang()


ANSWERS = {
    "illegal": "a1a1",
    "none": "(none)",
    "win": "win",
    "resign": "resign",
    "silent": "",
    "nonsense": "xyzzy",
    "san": "Nf3",
}


def speak_uci() -> None:
    state = STATES[PROTOCOL].initial()
    asked = 0
    over = True  # whether the last game's end was told
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci" | "usi"]:
                say("id name fake")
                say("option name Hash type spin default 16 min 1 max 64")
                if TROUBLE == "garbage":
                    say("option name Odd type spin default x min y max\noption name\noption")
                say("option name Style type combo default Solid var Solid var Risky Play")
                say("option name Own Book type check default false")
                say(f"{PROTOCOL}ok")
            case ["isready"]:
                asked = 0
                say("readyok")
            case ["position"]:
                state = position(words)
            case ["go"]:
                asked += 1
                if asked == 2:
                    misbehave()
                    if TROUBLE in ("think", "ignore-stop"):
                        continue
                move = state.move_text(state.legal_moves()[0])
                say(f"info depth 1 score cp {os.environ.get('SCORE', '0')} pv {move}")
                say(f"bestmove {ANSWERS.get(TROUBLE, move) if asked == 2 else move}")
            case ["stop"]:
                if TROUBLE == "think":
                    say("bestmove " + state.move_text(state.legal_moves()[0]))
            case ["gameover"]:
                over = words[1] in ("win", "lose", "draw")
            case ["usinewgame"]:
                if TROUBLE == "wants-gameover" and not over:
                    os._exit(1)
                over = False
            case ["quit"]:
                at_quit()
                return


def position(words: list[str]) -> Any:
    cut = words.index("moves") if "moves" in words else len(words)
    kind = STATES[PROTOCOL]
    state = kind.initial() if words[1] == "startpos" else kind.parse(" ".join(words[2:cut]))
    for move in words[cut + 1 :]:
        state = state.play(state.parse_move(move))
    return state


def speak_gtp() -> None:
    state, size, asked = GoState.initial(), 19, 0
    for line in sys.stdin:
        words = line.split()
        answer = ""
        if log := os.environ.get("LOG"):
            with Path(log).open("a") as file:
                file.write(line)
        match words:
            case ["list_commands"]:
                answer = "play\ngenmove\nquit\ntime_settings\ntime_left\nkgs-time_settings"
            case ["boardsize", number]:
                size = int(number)
            case ["clear_board"]:
                state, asked = GoState.initial(size), 0
            case ["play", _, move]:
                if TROUBLE == "denies" and state.ply > 1:
                    say("? illegal move\n")
                    continue
                state = state.play(state.parse_move(move))
            case ["genmove", _]:
                asked += 1
                if asked == 2:
                    misbehave()
                move = state.legal_moves()[-1 if asked > 20 else 0]
                answer = state.move_text(move)
                if asked == 2 and TROUBLE in ANSWERS:
                    answer = ANSWERS[TROUBLE]
                else:
                    state = state.play(move)
            case ["quit"]:
                at_quit()
                return
        say(f"= {answer}\n")


at_start()
speak_gtp() if PROTOCOL == "gtp" else speak_uci()
