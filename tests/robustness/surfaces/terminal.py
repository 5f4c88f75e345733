"""Games in the terminal: whatever is typed, the game goes on, and it is saved when the input ends."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from unittest import mock

from sparring.cli.terminal import COMMANDS
from sparring.games import GAMES, load_game, move_name
from sparring.records import open_records
from tests.robustness.trials import mutated, run_command, surface

_FILES = (
    "",
    "game.pgn",
    "game.sgf",
    "game.kif",
    "game.csa",
    "game.log",
    "x/y/z.json",
    "/dev/full",
    ".",
    "..",
    "\0",
    "a" * 300,
)
_ODD: tuple[str, ...] = (
    "",
    " ",
    "?",
    "??",
    "?!",
    "-h",
    "--help",
    "exit now",
    "０－０",
    "e2–e4",
    "7七歩",
    "同",
    "打",
    "\x1b[2J",
    "\x00",
    "\x7f",
    "%s",
    "{}",
)
_ODD += (
    "[/bold]x",
    "[red]",
    ":smile:",
    "1.",
    "1...",
    "...",
    "9" * 500,
    "a" * 5000,
    "boom",
    "boom z9",
    "pass pass",
    "'",
    '"',
    "\\",
)
_OPTIONS: dict[str, list[tuple[str, ...]]] = {
    "": [("--letters",), ("--side", "black"), ("--side", "random"), ("--save", "own")],
    "open": [("--clock", "100+1"), ("--clock", "0+1"), ("--clock", "x"), ("--position", "x")],
    "go": [("-o", "size=5"), ("-o", "size=7"), ("-o", "size=9", "-o", "scoring=territory")],
}


@surface("terminal", trials=100, few=6)
def trial(rng: random.Random, folder: Path) -> None:
    """Types hostile lines into a game of a small opponent."""
    name = rng.choice(list(GAMES))
    arguments = ["play", name, "--strength", "1", "--seed", str(rng.randrange(9))]
    for kind in ("", name, "" if name == "rbc" else "open"):
        if kind in _OPTIONS and rng.random() < 0.4:
            arguments += rng.choice(_OPTIONS[kind])
    typed = "".join(f"{line(rng, name)}\n" for _ in range(rng.randint(0, 12)))
    before = Path.cwd()
    os.chdir(folder)
    try:
        with mock.patch.dict(os.environ, {"SPARRING_HOME": str(folder / "home")}):
            done = run_command(arguments, typed)
    finally:
        os.chdir(before)
    assert done.code in (0, 2), done
    assert "\x1b" not in done.out, "nothing that is typed reaches the terminal as an escape sequence"
    for saved in re.findall(r"^(?:.*> )?Saved: (.*)$", done.out, re.M):
        path = folder / saved
        if path.suffix != ".csa":
            assert len(list(open_records(path, name))) == 1, "what was saved is read again"


def line(rng: random.Random, name: str) -> str:
    """A line: a command, a move, a mutated move or something odd."""
    game = load_game(name)
    state = game.initial()
    moves = game.legal_moves(state)
    chosen = rng.choice(moves)
    move = rng.choice((game.move_text(state, chosen), move_name(state, chosen)))
    kind = rng.randrange(5)
    if kind == 0:
        return rng.choice(list(COMMANDS))
    if kind == 1:
        return f"save {rng.choice(_FILES)}"
    if kind == 2:
        return move
    if kind == 3:
        return mutated(rng, move.encode(), (b"x", b"-", b"=", "歩".encode())).decode("utf-8", "replace")
    return rng.choice(_ODD)
