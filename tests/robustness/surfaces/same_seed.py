"""Tournaments with the same seed: the same games, however many at once and with however many threads."""

from __future__ import annotations

import random
import re
from pathlib import Path

from sparring.arena.results import read_results
from tests.robustness.trials import run_command, surface

_TOURNAMENT = """
game = "{game}"
games = 6
seed = {seed}
[adjudication]
plies = {plies}
[[player]]
name = "a"
{first}
[[player]]
name = "b"
{second}
"""
_PLAYERS = {
    "breakthrough": ("strength = 1", "strength = 2", "strength = 3"),
    "expendibots": ("strength = 1", "strength = 2"),
    "chess": ("rating = 1200\nnodes = 8", "rating = 1900", "strength = 1"),
}


@surface("same-seed", trials=8, few=1)
def same_seed(rng: random.Random, folder: Path) -> None:
    """Two to six games at once, by networks with two or four threads, are those that one process plays
    one after the other with one thread."""
    game = rng.choice(sorted(_PLAYERS))
    first, second = rng.choices(_PLAYERS[game], k=2)
    text = _TOURNAMENT.format(
        game=game, seed=rng.randrange(10**6), plies=rng.randint(8, 40), first=first, second=second
    )
    alone = _played(folder, text, concurrency=1, threads=1)
    assert _played(folder, text, rng.randint(2, 6), rng.choice((2, 4))) == alone


def _played(folder: Path, text: str, concurrency: int, threads: int) -> tuple[list[object], list[str]]:
    """The results of the tournament by number, and the moves of its games in an order of their own."""
    out, cup = folder / f"at-once-{concurrency}", folder / f"cup-{concurrency}.toml"
    cup.write_text(re.sub("(?m)^rating = .*", rf"\g<0>\nthreads = {threads}", text))
    command = ["arena", "run", str(cup), "--out", str(out), "--concurrency", str(concurrency)]
    done = run_command(command)
    assert done.code == 0, done
    results = sorted(read_results([out]), key=lambda each: each.number)
    facts: list[object] = [
        (each.number, each.first, each.result, each.reason, each.plies) for each in results
    ]
    texts = [path.read_text() for path in out.glob("games.pgn")]
    return facts, sorted(game.rpartition("]")[2] for text in texts for game in text.split("[Event "))
