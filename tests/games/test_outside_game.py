"""A game from another package: examples/outside_game is registered by its entry point, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "outside_game"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example as pip installs it: its module and the entry points of its pyproject.toml."""
    folder = tmp_path_factory.mktemp("site")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    for module in EXAMPLE.glob("*.py"):
        (folder / module.name).write_text(module.read_text())
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in points.items())])
        for group, points in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n\n".join(groups))
    return folder


def run(installed: Path, code: str, *arguments: str, typed: str = "") -> str:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    path = os.pathsep.join(filter(None, [str(installed), inherited.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**inherited, "PYTHONPATH": path, "SPARRING_HOME": str(installed / "home"), "NO_COLOR": "1"},
        input=typed,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
    return done.stdout


COMMAND_LINE = "import sys; from sparring.cli import main; main(sys.argv[1:])"


def test_it_is_listed_after_the_shipped_games(installed: Path) -> None:
    games = run(installed, "from sparring.games import GAMES; print(*GAMES)").split()
    assert games[0] == "chess"
    assert games[-1] == "hexapawn"


def test_a_game_is_played_in_the_terminal(installed: Path) -> None:
    arguments = ["play", "hexapawn", "--strength", "1", "--seed", "1", "--save", str(installed / "game.pgn")]
    out = run(installed, COMMAND_LINE, *arguments, typed="b1b2\nresign\ny\n")
    assert "Hexapawn. You play White." in out
    assert "Black wins" in out
    code = "import sparring, sys; print(*[game.moves for game in sparring.open_records(*sys.argv[1:])])"
    assert run(installed, code, str(installed / "game.pgn"), "hexapawn").startswith("['b1b2', ")


def test_its_rules_are_counted_by_perft(installed: Path) -> None:
    out = run(installed, COMMAND_LINE, "perft", "hexapawn", "3")
    assert out.startswith("28 nodes")


def test_it_passes_the_conformance_suite(installed: Path) -> None:
    code = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
    suite = ["tests/conformance/test_games.py", "-k", "hexapawn", "-q", "-rs", "-p", "no:cacheprovider"]
    out = run(installed, code, *suite)
    assert "skipped" not in out
    assert "passed" in out


PAGE = """
import json, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
from fastapi.testclient import TestClient
from sparring.server.app import create_app
from sparring.server.security import Access

app = create_app(Path(sys.argv[1]), Access(hosts=("testserver",)), None)
with TestClient(app) as client:
    offers = {offer["name"]: offer for offer in client.get("/api/catalogue").json()}
    view = client.post("/api/games", json={"game": "hexapawn", "seed": 1}).json()
    view = client.post(f"/api/games/{view['id']}/moves?wait=30", json={"move": "b1b2", "ply": 0}).json()
print(json.dumps([offers["hexapawn"], view]))
"""


def test_it_is_offered_and_played_on_the_page(installed: Path) -> None:
    offer, view = json.loads(run(installed, PAGE, str(installed / "page.sqlite")))
    assert (offer["title"], offer["default_kind"], offer["writes"]) == ("Hexapawn", "strength", ["pgn"])
    assert [(option["name"], option["default"]) for option in offer["options"]] == [("size", 3)]
    assert (view["ply"], view["moves"][0]["text"]) == (2, "b1b2")


SELF_PLAY = """
game = "hexapawn"
[network]
blocks = 1
width = 8
[training]
steps = 2
batch = 16
validate_every = 2
[play]
visits = 4
games = 2
block = 2
[evaluation]
every = 1
games = 2
visits = 4
"""


def test_it_learns_from_self_play_and_plays_with_its_network(installed: Path) -> None:
    """On a board of another size than the layout's."""
    pytest.importorskip("torch")
    config, folder = installed / "tiny.toml", installed / "run"
    config.write_text(SELF_PLAY)
    train = ["train", "selfplay", "hexapawn", "-o", "size=4", "--config", str(config), "--out", str(folder)]
    assert "best.toml" in run(installed, COMMAND_LINE, *train, "--device", "cpu")
    play = ["play", "hexapawn", "-o", "size=4", "--player", str(folder / "best.toml"), "--seed", "1"]
    assert "Black plays" in run(installed, COMMAND_LINE, *play, typed="b1b2\nresign\ny\n")
