"""Playing imports no library of an extra: at the terminal, in an engine, on the page, for a prediction.

Neither does it import another package than those that the wheel requires, whatever else is installed here.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from sparring.games import GAMES
from tests.cli.test_person_commands import write_games
from tests.packaging.constraints import normalised
from tests.packaging.test_constraints import PROJECT, closure

PLAYERS = {"sparring", "nanobind", *closure(PROJECT["dependencies"])}
FOREIGN = sorted(
    package
    for package, distributions in packages_distributions().items()
    if not PLAYERS.intersection(map(normalised, distributions))
)
"""Top-level packages that are installed here and that no player needs."""
EXTRAS = ("onnx", "pyarrow", "zstandard", "torch", "matplotlib", "openvino", "ray", "reconchess")
BEGIN = f"""
import os, sys

began = set(sys.modules)  # what Python imports for .pth files, before any program
tools = set()  # what the test itself imports

def leave(code=0):
    packages = {{name for name in {FOREIGN} if sys.modules.get(name)}} - tools - began
    packages.update(name for name in {EXTRAS} if sys.modules.get(name))
    sys.stdout.flush()  # os._exit would lose what a pipe has not got yet
    print("extras:", sorted(packages), file=sys.stderr, flush=True)
    kill(code)

kill, os._exit = os._exit, leave  # engines leave by os._exit
"""
COMMAND = BEGIN + "from sparring.cli import main\ntry:\n    main(sys.argv[1:])\nfinally:\n    leave()"
SERVER = (
    BEGIN
    + """
sys.modules["zstandard"] = None  # the test client would import it
import sparring.cli.serve
from pathlib import Path
tools.update(sys.modules)
from fastapi.testclient import TestClient
tools = set(sys.modules) - tools
from sparring.server import game_host
from sparring.server.app import create_app
from sparring.server.security import Access

game_host.LONGEST_PAUSE = game_host.SHORTEST_PAUSE = 0.0  # opponents answer at once

with TestClient(create_app(Path("page.sqlite"), Access(hosts=("testserver",)), None)) as client:
    for offer in client.get("/api/catalogue").json():
        view = client.post("/api/games", json={"game": offer["name"], "seed": 1}).json()
        for _ in range(2):
            body = {"move": view["legal"][0]["text"], "ply": view["ply"]}
            answer = client.post(f"/api/games/{view['id']}/moves?wait=30", json=body)
            assert answer.status_code == 200, answer.text
            view = answer.json()
        print(offer["name"], view["ply"])
leave()
"""
)
RECORDS = {
    "game.pgn": "1. e4 e5 2. Nf3 *\n",
    "game.sgf": "(;FF[4]GM[1]SZ[19]KM[6.5];B[pd];W[dd])",
    "game.kif": "手合割：平手\n手数----指手---------消費時間--\n1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n",
    "game.csa": "V2.2\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n",
}
READ = (
    BEGIN
    + """
from sparring import open_records
from sparring.records.record import record_formats

for name in sys.argv[1:]:
    (game,) = open_records(name)
    print(name, len(list(game.positions())), len(record_formats(game.game).writer(game.record)))
leave()
"""
)


def run(code: str, *arguments: str, folder: Path, typed: str = "") -> str:
    """What a program prints in a process of its own, after it imported no library of an extra."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr.splitlines()[-1:] == ["extras: []"], done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("game", "move"),
    [("chess", "e4"), ("go", "Q16"), ("shogi", "7g7f"), ("breakthrough", "b2b3"), ("expendibots", "hint")],
)
def test_a_game_at_the_terminal(game: str, move: str, tmp_path: Path) -> None:
    shown = run(COMMAND, "play", game, "--seed", "1", folder=tmp_path, typed=f"{move}\nresign\nquit\n")
    assert "Your opponent is" in shown


@pytest.mark.parametrize(
    ("protocol", "typed", "answer"),
    [
        ("uci", "uci\nposition startpos moves e2e4\ngo nodes 8\n", "bestmove"),
        ("usi", "usi\nisready\nposition startpos moves 7g7f\ngo nodes 8\n", "bestmove"),
        ("gtp", "boardsize 9\nclear_board\ngenmove b\n", r"= [A-HJ]\d"),
    ],
)
def test_an_engine(protocol: str, typed: str, answer: str, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, "engine", protocol],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        assert engine.stderr is not None
        engine.stdin.write(typed)
        engine.stdin.flush()
        assert next(line for line in engine.stdout if re.match(answer, line))
        engine.stdin.write("quit\n")
        engine.stdin.flush()
        assert engine.stderr.read().splitlines()[-1:] == ["extras: []"]


def test_the_page(tmp_path: Path) -> None:
    played = run(SERVER, folder=tmp_path).splitlines()
    assert [line.split()[0] for line in played] == list(GAMES)


@pytest.mark.parametrize("game", ["chess", "go", "shogi"])
@pytest.mark.parametrize("model", ["human", "strong", "blend"])
def test_a_prediction(game: str, model: str, tmp_path: Path) -> None:
    assert "%" in run(COMMAND, "predict", game, "--model", model, folder=tmp_path)


def test_a_person(tmp_path: Path) -> None:
    write_games(tmp_path / "games.pgn", 12)
    made = ("chess", "--records", "games.pgn", "--name", "Alice", "--out", "alice.toml")
    run(COMMAND, "train", "person", *made, folder=tmp_path)
    played = ("chess", "--player", "alice.toml")
    shown = run(COMMAND, "play", *played, folder=tmp_path, typed="e4\nresign\nquit\n")
    assert "Your opponent is" in shown


def test_records_of_people(tmp_path: Path) -> None:
    for name, text in RECORDS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    shown = run(READ, *RECORDS, folder=tmp_path)
    assert [line.split()[0] for line in shown.splitlines()] == list(RECORDS)
