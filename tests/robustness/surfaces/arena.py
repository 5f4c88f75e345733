"""Folders of tournaments: damaged results, games and facts end in a clear error, and are never continued."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from tests.robustness.trials import mutated, run_command, surface

_TOURNAMENT = """
name = "cup"
game = "breakthrough"
games = {games}
seed = 1
[adjudication]
plies = 6
[[player]]
name = "a"
strength = 1
[[player]]
name = "b"
strength = 1
"""
_LINES: list[Any] = [
    {}, [], 1, None, "x", {"number": 0}, {"number": 10**30, "first": "a"}, [[[]]], {"result": 2},
]  # fmt: skip
_HOSTILE: list[Any] = [
    None,
    True,
    -1,
    1.5,
    10**30,
    float("nan"),
    "",
    "[/bold]x",
    "\x1b[31m",
    "\ud800",
    [],
    {},
]


@cache
def _original() -> Path:
    """A finished tournament of four games."""
    folder = Path(tempfile.mkdtemp(prefix="sparring-arena-"))
    (folder / "cup.toml").write_text(_TOURNAMENT.format(games=4))
    done = run_command(["arena", "run", str(folder / "cup.toml"), "--out", str(folder / "cup")])
    assert done.code == 0, done
    return folder


@surface("arena", trials=150, few=4)
def trial(rng: random.Random, folder: Path) -> None:
    """One change of a file of the folder; then ratings, a test and a resumed run with as many games."""
    original = _original()
    out = folder / "cup"
    shutil.copytree(original / "cup", out)
    results, games = out / "results.jsonl", out / "games.pgn"
    damaged = False
    match rng.randrange(4):
        case 0:
            lines = [json.loads(line) for line in results.read_text().splitlines()]
            _edit(rng, lines)
            results.write_text("".join(json.dumps(line) + "\n" for line in lines), errors="replace")
        case 1:
            results.write_bytes(mutated(rng, results.read_bytes()))
        case 2:
            before = games.read_bytes()
            games.write_bytes(mutated(rng, before))
            damaged = not games.read_bytes().startswith(before)
        case _:
            facts = out / "tournament.json"
            facts.write_bytes(mutated(rng, facts.read_bytes()))
    for command in ("rate", "sprt"):
        done = run_command(["arena", command, str(out)])
        assert done.code in (0, 1, 2), done
    done = run_command(["arena", "run", str(original / "cup.toml"), "--out", str(out), "--games", "4"])
    assert done.code in (0, 1, 2), done
    assert done.code or not damaged, "a damaged file of games was continued"


def _edit(rng: random.Random, lines: list[Any]) -> None:
    line = rng.choice(lines)
    match rng.randrange(4):
        case 0:
            line[rng.choice(list(line))] = rng.choice(_HOSTILE)
        case 1:
            del line[rng.choice(list(line))]
        case 2:
            lines.insert(rng.randrange(len(lines)), rng.choice(_LINES))
        case _:
            lines.append(line)
