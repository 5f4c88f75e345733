"""`python -m studies expendibots-networks`: every recipe is trained and played; a second run resumes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sparring.expendibots.training import generate_games
from sparring.search.linear_evaluation import open_evaluation
from studies.__main__ import main
from studies.expendibots import network_variants


def test_every_recipe_plays_against_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    list(generate_games(tmp_path / "run/games-0", open_evaluation("expendibots"), games=8, nodes=50, seed=1))
    base = replace(network_variants.VARIANTS["base"], epochs=1, hidden=(4, 2))
    recipes = {"base": base, "late weight 0": replace(base, late_weight=0.0)}
    monkeypatch.setattr(network_variants, "VARIANTS", recipes)
    command = ["expendibots-networks", str(tmp_path / "run"), "--games", "2", "--nodes", "50"]
    main([*command, "--out", str(tmp_path / "out")])
    report = json.loads((tmp_path / "out/variants.json").read_text())
    assert [match["new"] for match in report["matches"]] == ["late weight 0"]
    assert report["recipes"]["late weight 0"]["late_weight"] == 0
    networks = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.npz")}
    main([*command, "--out", str(tmp_path / "out")])
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.npz")} == networks


def test_a_folder_without_games_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["expendibots-networks", str(tmp_path)])
    assert "has no games" in capsys.readouterr().err
