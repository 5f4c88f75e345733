"""Dials against chosen anchors, rated by one model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.base.errors import UserError
from sparring.base.storage import Journal
from studies.levels.pair_commands import level_pairs, level_rate
from studies.levels.pairs import rate_pairs
from studies.levels.table import grid_table

FAMILY = """
game = "chess"
family = "Small"
[[anchor]]
name = "one"
elo = 1000
strength = 1
"""


def played(player: str, anchor: str, score: float, games: int) -> list[dict[str, object]]:
    keys = {"player": player, "anchor": anchor, "reason": "score", "plies": 200}
    return [{**keys, "number": number, "score": float(number < score * games)} for number in range(games)]


def test_dials_and_anchors_are_rated_from_the_nominal_anchor() -> None:
    games = [
        *played("gnugo-1", "gnugo-10", 0.25, 40),
        *played("6:1.7:0", "gnugo-1", 0.25, 40),
        *played("6:1:0", "gnugo-10", 0.75, 40),
    ]
    report = rate_pairs(games, {"gnugo-10": 1600.0}, {"gnugo-1", "gnugo-10"}, "GNU Go")
    family = report["families"]["GNU Go"]
    assert family["anchors"]["gnugo-10"] == 1600
    assert 1350 < family["anchors"]["gnugo-1"] < 1450
    weak, strong = family["levels"]
    assert (weak["player"], strong["player"]) == ("6:1.7:0", "6:1:0")
    assert strong["scores"] == {"gnugo-10": [30.0, 40]}
    widths = [high - low for low, high in (weak["interval"], strong["interval"])]
    assert widths[0] > widths[1], "the anchor's own uncertainty is included"
    more = [*games, *played("6:3:0", "gnugo-1", 0.5, 4)]
    few = rate_pairs(more, {"gnugo-10": 1600.0}, {"gnugo-1", "gnugo-10"}, "GNU Go", least=5)
    assert [row["player"] for row in few["families"]["GNU Go"]["levels"]] == ["6:1.7:0", "6:1:0"]
    table = grid_table("go", "GNU Go", [report])
    assert [(row.rating, row.temperature, row.games) for row in table.levels] == [(6, 1.7, 40), (6, 1.0, 40)]


def test_pairs_are_played_saved_and_rated(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(FAMILY)
    out, family = tmp_path / "pairs.jsonl", str(tmp_path / "small.toml")
    for games in (1, 2, 2):
        level_pairs(
            ["1500:0.001:0/one"], game="chess", anchors=family, rule="visits", games=games, together=1,
            seconds=600, concurrency=1, backend="onnxruntime", seed=1, out=out,
        )  # fmt: skip
    entries = [entry for entry in Journal(out).entries if "player" in entry]
    assert [(entry["player"], entry["anchor"], entry["number"]) for entry in entries] == [
        ("1500:0.001:0", "one", 0), ("1500:0.001:0", "one", 1),
    ]  # fmt: skip
    level_rate([out], anchors=family, game="chess", out=tmp_path / "rated.json")
    (row,) = json.loads((tmp_path / "rated.json").read_text())["families"]["Small"]["levels"]
    assert row["games"] == 2


def test_a_dial_without_opponents_is_an_error() -> None:
    with pytest.raises(UserError, match="dial/opponents"):
        level_pairs(["6:1:0"])
