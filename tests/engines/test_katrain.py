"""KaTrain's own engine class plays and analyses with ours.

It runs where KaTrain 1.20 can be imported, for example from a folder with the unpacked wheels of katrain,
pysgf and chardet in PYTHONPATH. Kivy, its toolkit, need not be there.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import pytest

from tests.engines.engine_client import command

pytest.importorskip("pysgf")
pytest.importorskip("katrain")
PATIENCE = 60.0


class Katrain:
    """What KaTrain's game and engine ask of the application."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings, self.messages = settings, []  # type: ignore[var-annotated]
        self.players_info: dict[str, Any] = {}
        self.controls = MagicMock()

    def config(self, name: str, default: Any = None) -> Any:
        group, _, key = name.partition("/")
        return self.settings.get(group, {}).get(key, default) if key else self.settings.get(group, default)

    def log(self, message: Any, level: int = 0) -> None:
        self.messages.append((level, str(message)))

    def __call__(self, *words: Any) -> None:
        self.messages.append((-1, str(words)))

    @property
    def errors(self) -> list[str]:
        return [message for level, message in self.messages if level == -1]


@pytest.fixture
def katrain(monkeypatch: pytest.MonkeyPatch) -> Katrain:
    if find_spec("kivy") is None:
        for name in ("kivy", "kivy.utils", "kivy._event"):
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        sys.modules["kivy.utils"].platform = "linux"  # type: ignore[attr-defined]
        sys.modules["kivy._event"].Observable = object  # type: ignore[attr-defined]
    import katrain as package

    config = json.loads((Path(package.__path__[0]) / "config.json").read_text())
    config["game"] |= {"size": "9", "komi": 6.5, "rules": "japanese", "handicap": 0}
    return Katrain(config)


@pytest.fixture
def engine(katrain: Katrain) -> Iterator[Any]:
    from katrain.core.engine import KataGoEngine

    script = " ".join(f"'{word}'" for word in command("katago-analysis"))
    config = katrain.settings["engine"] | {
        "backend": "custom", "altcommand": f"exec {script}", "max_visits": 20, "fast_visits": 4,
    }  # fmt: skip
    running = KataGoEngine(katrain, config)
    yield running
    running.shutdown(finish=None)


def wait_for(engine: Any, what: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not what():
        assert engine.check_alive(), engine.katrain.messages[-10:]
        assert time.monotonic() < end, engine.katrain.messages[-10:]
        time.sleep(0.02)


def test_katrain_plays_a_game_of_its_human_like_players_and_analyses_it(
    katrain: Katrain, engine: Any
) -> None:
    from katrain.core.ai import generate_ai_move
    from katrain.core.constants import AI_HUMAN
    from katrain.core.game import Game, Move

    game = Game(katrain, engine)
    for _ in range(12):
        move, node = generate_ai_move(game, AI_HUMAN, {"human_kyu_rank": 3, "modern_style": True})
        assert node is not None, move
    game.play(Move(None, player="B"))
    game.play(Move(None, player="W"))
    game.analyze_all_nodes(analyze_fast=True)
    wait_for(engine, engine.is_idle)
    nodes = game.current_node.nodes_from_root
    assert len(nodes) == 15
    for node in nodes:
        assert node.analysis_complete
        assert 0 <= node.winrate <= 1
        assert node.score is not None
        assert len(node.policy) == 82
        assert sum(share for share in node.policy if share > 0) == pytest.approx(1, abs=1e-3)
        assert node.candidate_moves[0]["order"] == 0
    assert all(node.points_lost is not None for node in nodes[1:])
    assert game.end_result


def test_katrain_ponders_until_it_stops(katrain: Katrain, engine: Any) -> None:
    from katrain.core.game import Game

    game = Game(katrain, engine)
    wait_for(engine, engine.is_idle)
    game.current_node.analyze(engine, ponder=True, time_limit=False, report_every=0.1)
    wait_for(engine, lambda: game.current_node.root_visits > 50)
    assert not engine.is_idle()
    engine.stop_pondering()
    wait_for(engine, engine.is_idle)


@pytest.mark.parametrize("mode", ["equalize", "sweep", "alternative"])
def test_katrains_further_analyses_find_more_moves(mode: str, katrain: Katrain, engine: Any) -> None:
    from katrain.core.game import Game

    game = Game(katrain, engine)
    wait_for(engine, engine.is_idle)
    before = set(game.current_node.analysis["moves"])
    game.analyze_extra(mode)
    wait_for(engine, engine.is_idle)
    after = set(game.current_node.analysis["moves"])
    assert after >= before
    assert (len(after) > len(before)) == (mode != "equalize")
