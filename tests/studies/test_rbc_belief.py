"""`python -m studies rbc-belief`: the planner's belief in recorded games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.rbc.matches import GenerationConfig, generate
from studies.__main__ import main

BOT = (
    'kind = "planner"\nboards = 2000\n[planner]\nparticles = 8\nbatch = 4\nplayouts = 4\nrating_visits = 10\n'
)


def test_the_true_board_and_the_choices_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate(
        GenerationConfig(players=("attacker", "random"), games=2, seed=1), tmp_path / "games", processes=1
    )
    (tmp_path / "bot.toml").write_text(BOT)
    arguments = ["rbc-belief", "--records", str(tmp_path / "games"), "--bot", str(tmp_path / "bot.toml")]
    main([*arguments, "--games", "1", "--out", str(tmp_path / "out")])
    main([*arguments, "--games", "2", "--out", str(tmp_path / "out")])  # goes on with the second game
    report = json.loads((tmp_path / "out" / "belief.json").read_text())
    assert report["games"] == 2
    assert report["decisions"] > 10
    for name in ("uniform", "inference", "particles"):
        low, high = report["means"][name]["interval_95"]
        assert 0 <= low <= report["means"][name]["mean"] <= high <= 1
    assert 0 <= report["means"]["planner_regret"]["mean"] <= 400
    (tmp_path / "bot.toml").write_text(BOT.replace("particles = 8", "particles = 9"))
    with pytest.raises(SystemExit):
        main([*arguments, "--out", str(tmp_path / "out")])
    assert "is of another planner" in capsys.readouterr().err


def test_other_bots_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["rbc-belief", "--records", str(tmp_path), "--bot", "inference-1"])
    assert "is no planner" in capsys.readouterr().err
