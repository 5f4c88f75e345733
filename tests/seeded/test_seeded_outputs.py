"""With a seed, dialogues, tournaments, the page's games, games of blind chess and batches stay as they are.

`recorded/` was made by these functions at commit 48d33646, before the games had one loop, one clock and one
result (`git log` of a file there shows the first record and each change). `python -m
tests.seeded.test_seeded_outputs` records anew; a change must be meant, and comes into this list. Changed on
purpose since 48d33646:

- gtp: `list_commands` has `level` (236d1311: GUIs of Go set a level by it).
- page: sentences are a text with its template and values, so that the page can translate them (127f0081);
  `result` says who won to whom, "You lost: you resigned." (d971abf0); new keys `facts` (d971abf0), `traits`
  (ea421148), `warning` (dce505ab), `versions` (6235744c), in which `behaviour` is too
  (a09d0d94), in `result`, `resigned` (288db9a5), and, in `traits`, `points` (cbf28dd4).
- batches: a training batch has two more fields, `ownership` and `lead` (8f08651a).

Moves, scores, lines of play, results, ratings and all other fields are as they were.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import random
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from sparring.arena import LocalWorkers, read_tournament, run_tournament
from sparring.cli import main
from sparring.rbc.bots import load_bot_config, make_bot
from sparring.rbc.matches import play_rbc_game
from sparring.records import Batches
from sparring.server.app import create_app
from sparring.training.batches import TrainingBatch
from sparring.training.loader import Cursor, RecordLoader
from tests.engines.engine_client import engine
from tests.matching.tables import random_record, rated, write_table
from tests.server.conftest import ACCESS, no_pauses  # noqa: F401  # the fixture is for all tests here
from tests.training.factories import small_config

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient

RECORDED = Path(__file__).parent / "recorded"

DIALOGUES = {
    "uci": """
        uci
        setoption name MultiPV value 2
        isready
        ucinewgame
        position startpos moves e2e4
        go nodes 20
        position startpos moves e2e4 c7c5 g1f3
        go nodes 50
        setoption name MultiPV value 1
        position fen 8/8/8/4k3/8/8/4Q3/4K3 w - - 0 1
        position fen 8/8/8/4k3/8/8/3Q4/4K3 w - - 0 1
        go nodes 10
        quit
    """,
    "usi": """
        usi
        isready
        usinewgame
        position startpos moves 7g7f
        go nodes 20
        position startpos moves 7g7f 3c3d 2g2f
        go nodes 40
        gameover win
        quit
    """,
    "gtp": """
        protocol_version
        name
        list_commands
        boardsize 9
        komi 7
        clear_board
        play black E5
        genmove white
        genmove black
        showboard
        undo
        final_score
        play white Z9
        nonsense
        quit
    """,
}
ENDS = {"uci": "uciok|readyok|bestmove .*", "usi": "usiok|readyok|bestmove .*", "gtp": ""}
ANSWERED = {"uci", "usi", "isready", "go"}
TIMES = re.compile(r" (?:nps|time) \d+")


def dialogue(protocol: str, folder: Path) -> str:
    """A conversation with an engine, without times. `>` is what the GUI sends."""
    lines: list[str] = []
    with engine(protocol, "human", nodes=20, seed=7) as session:
        for line in DIALOGUES[protocol].strip().splitlines():
            words = line.strip()
            lines.append(f"> {words}")
            session.send(words)
            if protocol == "gtp" or words.split()[0] in ANSWERED:
                lines += last_reports([TIMES.sub("", answer) for answer in session.until(ENDS[protocol])])
        lines += session.hang_up()
    return "\n".join(line.rstrip() for line in lines)


def last_reports(answers: list[str]) -> list[str]:
    """Answers without the reports that come by the second: those of the last count of nodes stay."""
    counts = [re.findall(r" nodes (\d+) ", answer) for answer in answers]
    last = [count for count in counts if count][-1:]
    return [answer for answer, count in zip(answers, counts, strict=True) if not count or [count] == last]


TOURNAMENT = """
game = "breakthrough"
seed = 5
[[player]]
name = "one"
strength = 1
[[player]]
name = "two"
strength = 2
[[player]]
name = "three"
strength = 3
"""
UNREPEATABLE = ("seconds", "games_end", "games_crc32")


def tournament(folder: Path) -> str:
    """The files of a tournament and the JSON of its ratings, without times and dates."""
    file = folder / "three.toml"
    file.write_text(TOURNAMENT)
    entry = read_tournament(file, 6)
    with LocalWorkers(entry, 1) as workers:
        run_tournament(entry, folder / "out", workers)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main(["arena", "rate", str(folder / "out"), "--json"])
    ratings = json.loads(printed.getvalue(), parse_float=lambda text: round(float(text), 6) + 0.0)
    texts = [(folder / "out" / "tournament.json").read_text(), json.dumps(ratings)]
    for line in (folder / "out" / "results.jsonl").read_text().splitlines():
        game = json.loads(line)
        texts.append(json.dumps({key: game[key] for key in sorted(game) if key not in UNREPEATABLE}))
    games = (folder / "out" / "games.pgn").read_text()
    return "\n".join([*texts, re.sub(r'\[(Date|UTCDate|UTCTime) ".*"\]', r'[\1 ""]', games)])


PAGE_GAMES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "chess": ({"opponent": {"kind": "human", "rating": 1200, "think_time": "none"}}, ["e4", "Nf3", "Bc4"]),
    "go": ({"options": {"size": 9}, "opponent": {"kind": "strength", "strength": 1}}, ["E5", "C3", "pass"]),
    "shogi": ({"opponent": {"kind": "strength", "strength": 2}}, ["P-7f", "P-2f"]),
}
OF_A_VISIT = ("id", "version")
"""Keys of a view that differ from visit to visit."""


def page(folder: Path) -> str:
    """The page's view of games that were resigned after some moves: a line a key."""
    lines = []
    with TestClient(create_app(folder / "page.sqlite", ACCESS, None)) as client:
        for game, (keys, moves) in PAGE_GAMES.items():
            view = client.post("/api/games", json={"game": game, "seed": 1, **keys}).json()
            address = f"/api/games/{view['id']}"
            for move in moves:
                turn = {"move": move, "ply": view["ply"]}
                view = client.post(f"{address}/moves?wait=30", json=turn).json()
            view = client.post(f"{address}/resign", json={}).json()
            lines += [f"{game} {key}: {compact(view[key])}" for key in sorted(view) if key not in OF_A_VISIT]
    return "\n".join(lines)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


PLANNER = """
kind = "planner"
[planner]
playouts = 32
"""


def rbc(folder: Path) -> str:
    """The senses and moves of games between two bots without clocks."""
    (folder / "planner.toml").write_text(PLANNER)
    lines = []
    pairs = ("inference-1", "guesser"), ("attacker", "inference-1"), ("planner.toml", "inference-1")
    for pair in pairs:
        names = [str(folder / name) if name.endswith(".toml") else name for name in pair]
        first, second = (make_bot(load_bot_config(name)) for name in names)
        with first, second:
            live = play_rbc_game((first, second), [3, 4], 1, np.random.default_rng(5), 8)
        moves = " ".join(before.move_text(after.last_move) for before, after in pairwise(live.states))
        lines.append(f"{Path(pair[0]).stem} {Path(pair[1]).stem}: {moves}")
    return "\n".join(lines)


FIELDS = [
    "game",
    "ply",
    "planes",
    "legal",
    "offsets",
    "index",
    "move",
    "mover",
    "result",
    "rating",
    "opponent_rating",
    "rank",
    "clock",
]


def batches(folder: Path) -> str:
    """Hashes of each field of batches: the first two of tables of each game, and three of a training run."""
    lines = []
    for game in ("chess", "rbc", "shogi", "go", "expendibots", "breakthrough"):
        rng = random.Random(game)
        records = [
            random_record(game, rng, 30, first_rating=1000 + number, second_rating=2000)
            for number in range(30)
        ]
        table = write_table(folder / game, game, records)
        pair = list(Batches([table], size=100, split=None, buffer=300, seed=3, threads=1))[:2]
        lines += [f"{game} {name} {hashed([getattr(batch, name) for batch in pair])}" for name in FIELDS]
    rng = random.Random(6)
    table = write_table(folder / "training", "chess", rated(40, rng, 1100) + rated(40, rng, 1900))
    config = small_config(data={"conditioning_dropout": 0.3}, network={"rating_range": [600, 2600]})
    loader = RecordLoader(config, [table], torch.device("cpu"), threads=1)
    with contextlib.closing(loader.training(Cursor())) as training:
        for number, batch in zip(range(3), training, strict=False):
            for name, tensor in zip(TrainingBatch._fields, batch.tensors, strict=True):
                lines.append(f"training {number} {name} {hashed([tensor.numpy()])}")
    return "\n".join(lines)


def hashed(arrays: Sequence[NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


OUTPUTS: dict[str, Callable[[Path], str]] = {
    **{protocol: partial(dialogue, protocol) for protocol in DIALOGUES},
    "tournament": tournament,
    "page": page,
    "rbc": rbc,
    "batches": batches,
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_seeded_output_is_that_of_earlier_versions(name: str, tmp_path: Path) -> None:
    recorded = (RECORDED / f"{name}.txt").read_text().splitlines()
    assert OUTPUTS[name](tmp_path).rstrip("\n").splitlines() == recorded


if __name__ == "__main__":
    for name in sys.argv[1:] or OUTPUTS:
        with tempfile.TemporaryDirectory() as folder:
            (RECORDED / f"{name}.txt").write_text(OUTPUTS[name](Path(folder)).rstrip("\n") + "\n")
