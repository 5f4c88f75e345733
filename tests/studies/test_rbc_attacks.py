"""`python -m studies rbc-attacks`: attacks on the king that are believed in, and true ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sparring.rbc.matches import GenerationConfig, generate
from studies.__main__ import main
from studies.rbc.attacks import summary

BOT = 'kind = "planner"\nboards = 2000\n[planner]\nparticles = 16\nbatch = 8\n'


def test_the_likeliest_factor_of_simulated_beliefs_is_found() -> None:
    rng = np.random.default_rng(1)
    believed = rng.uniform(0.02, 0.4, (40, 50))
    odds = 4 * believed / (1 - believed)
    attacked = rng.random(believed.shape) < odds / (1 + odds)
    games = [
        [
            {"opponent": "they", "sensing": False, "believed": float(p), "attacked": bool(is_true)}
            for p, is_true in zip(*game, strict=True)
        ]
        for game in zip(believed, attacked, strict=True)
    ]
    (found,) = summary(games)["opponents"]
    low, high = found["interval_95"]
    assert low <= 4 <= high
    assert found["factor"] == pytest.approx(4, rel=0.2)


def test_games_are_replayed_from_both_sides_and_a_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    players = ("inference-1", "guesser")
    generate(GenerationConfig(players=players, games=2, seed=1), tmp_path / "games", processes=1)
    (tmp_path / "bot.toml").write_text(BOT)
    arguments = ["rbc-attacks", "--records", str(tmp_path / "games"), "--bot", str(tmp_path / "bot.toml")]
    for count in (1, 2):
        main([*arguments, "--games", str(count), "--out", str(tmp_path / "out")])
    report = json.loads((tmp_path / "out" / "attacks.json").read_text())
    assert report["games"] == 2
    assert report["decisions"] > 20
    assert all(0 <= opponent["believed"] <= 1 for opponent in report["opponents"])
    generate(GenerationConfig(players=players, games=1, seed=2), tmp_path / "other", processes=1)
    (tmp_path / "other.toml").write_text(BOT.replace("16", "8"))
    for changed, said in (
        (["--bot", str(tmp_path / "other.toml")], "is of another planner"),
        (["--records", str(tmp_path / "other")], "is of other games"),
    ):
        with pytest.raises(SystemExit):
            main([*arguments, *changed, "--out", str(tmp_path / "out")])
        assert said in capsys.readouterr().err
