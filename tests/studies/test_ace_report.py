"""The report of the ACE study: parts from the files of a folder, figures, errors of the strength model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.arena.results import ArenaGame
from sparring.base.storage import Journal
from sparring.measure.reports import read_json, write_json
from sparring.measure.tuning import DescentStep
from studies.__main__ import main
from studies.ace.evidence import RATINGS, write_lines
from studies.ace.report import descent_report, tuning_report
from studies.ace.strength import rated_players


def tuned(rating: int) -> dict[str, Any]:
    theta = {"temperature": 1.0 + rating / 5000, "policy_temperature": 1.2, "c_puct": 2.0, "backoff": 0.2}
    return {
        "class": rating, "theta": theta, "standard_errors": {"log_t_c_puct": [0.1, None]},
        "network": "strong", "nodes": 16, "path": [[1, 2, 3, 4]],
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    for rating in (1250, 1650):
        header = {"class": rating, "positions": 8, "batch": 8}
        Journal(out / "tuning" / f"class-{rating}.jsonl", header=header).add(tuned(rating))
    games = Journal(out / "games.jsonl", header={"seed": 1})
    for number, score in enumerate((0.0, 0.5, 1.0, 0.0)):
        result = ArenaGame(number, "D", "B", 0, score, "checkmate", "", 30, 0.0)
        games.add({**vars(result), "games_end": 0})
    return out


def test_the_report_has_the_parts_whose_files_are_there(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    for rating in (1250, 1650):
        write_json({"rows": [{"class": rating}]}, folder / f"baselines-{rating}.json")
    write_json({"gradients": []}, folder / "gradients.json")
    main(["ace", "--out", str(folder)])
    report = read_json(folder / "ace.json")
    assert [row["class"] for row in report["baselines"]["rows"]] == [1250, 1650]
    assert report["gradients"] == {"gradients": []}
    assert [group["class"] for group in report["tuning"]["classes"]] == [1250, 1650]
    assert report["round_robin"]["pairs"][0]["observed"] == 0.375
    assert "positions" not in report
    assert report["command"].startswith("python -m studies")
    assert sorted(path.name for path in folder.glob("*.svg")) == ["scores.svg", "theta.svg"]


def test_an_unfinished_descent_is_reported_by_epochs(tmp_path: Path) -> None:
    header = {"class": 1250, "positions": 8, "batch": 4, "nodes": 16, "gradient": "differences"}
    journal = Journal(tmp_path / "class-1250.jsonl", header=header)
    for number, loss in enumerate((2.0, 3.0, 1.0, 2.0, 9.0)):
        step = DescentStep(number, (0.0, np.log(2.0)), 1.5, loss, (0.1, -0.1), (0.1, 0.1))
        journal.add(asdict(step))
    (row,) = descent_report(tmp_path)
    assert (row["steps"], row["loss"]) == (5, [2.5, 1.5])  # the last epoch is not complete
    assert row["c_puct"] == pytest.approx([2.0, 2.0])
    assert row["significance"] == pytest.approx([np.sqrt(2), -np.sqrt(2)])
    assert list(tuning_report(tmp_path)) == ["descents"]


def test_an_empty_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["ace", "--out", str(tmp_path / "nothing")])
    assert "no files of this study" in capsys.readouterr().err


def evidence_rows(players: int, games: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    rows = []
    for player in range(players):
        rating = int(rng.integers(900, 2300))
        for game in range(games):
            peak = rating + rng.normal(0, 250)
            curve = (-0.5 * ((np.array(RATINGS) - peak) / 300) ** 2).tolist()
            split = "train" if game % 2 else "test"
            rows.append({
                "id": f"{player}-{game}", "name": f"p{player}", "rating": rating, "split": split, "moves": 30,
                "curve": curve, "features": [3.0 - peak / 1000, 2.0, 20.0, 12.0],
            })  # fmt: skip
    return rows


def test_players_have_the_games_that_the_network_has_not_seen() -> None:
    rows = evidence_rows(3, 5)
    assert [len(player.games) for player in rated_players(rows, 2, unseen=True)] == [2, 2, 2]
    assert rated_players(rows, 4, unseen=True) == []
    assert len(rated_players(rows, 2, unseen=False, repeats=2)) == 6


def test_the_strength_model_is_fitted_and_measured_on_other_players(folder: Path) -> None:
    write_lines(evidence_rows(80, 4), folder / "rows.jsonl.gz")
    write_json({}, folder / "model.json")
    main(["ace-strength", str(folder / "rows.jsonl.gz"), "--model", str(folder / "model.json"), "--out",
          str(folder / "strength.json")])  # fmt: skip
    report = read_json(folder / "strength.json")
    one, two = report["unseen_games"][:2]
    assert two["mean_absolute_error"] < one["mean_absolute_error"] < one["without_games"]
    assert read_json(folder / "model.json") == report["model"]
