"""The study of the synopsis network: tables by headset, saliency and ablation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sparring.rbc.history import to_history
from sparring.rbc.synopsis import PLANES
from sparring.rbc.training.examples import build_examples, read_examples
from sparring.rbc.training.task import RbcTrainer
from studies.__main__ import main
from studies.dsmcp.ablation import ablate
from studies.dsmcp.ablation_report import ablation_report, correlation
from studies.dsmcp.accuracy import STRONG, estimate
from studies.dsmcp.hits import HitFiles, Hits
from studies.dsmcp.paper import paper_accuracy, paper_planes
from studies.dsmcp.run import open_run
from tests.belief.games import random_game
from tests.training.rbc.rbc_factories import record_of, small_rbc_config


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    games = folder / "games.jsonl"
    records = [record_of(random_game(n, 4), float(n % 2), site=str(n)) for n in range(40)]
    games.write_text("".join(to_history(record) + "\n" for record in records))
    config = small_rbc_config(training={"steps": 2, "batch": 16, "validate_every": 2})
    build_examples([games], folder / "examples", config.data, 1)
    RbcTrainer(config, read_examples(folder / "examples"), folder, "cpu").train()
    return folder


def test_tables_have_every_headset_and_dataset(run: Path, tmp_path: Path) -> None:
    main(["dsmcp", "--run", str(run), "--device", "cpu", "--out", str(tmp_path)])
    found = json.loads((tmp_path / "accuracy.json").read_text())
    assert [row["name"] for row in found["headsets"]] == ["All", "Top", "ben"]
    for table in found["tables"].values():
        assert table.keys() == {"All", "Top", "ben"}
        assert all(row.keys() == {"All", "Top", "ben", STRONG} for row in table.values())
    assert next(row for row in found["headsets"] if row["name"] == "Top")["gain_over_top"] == [0, 0, 0]
    own, general = (found["tables"]["top1"][name]["ben"][0] for name in ("ben", "Top"))
    gain = next(row for row in found["headsets"] if row["name"] == "ben")["gain_over_top"][0]
    assert gain == pytest.approx(own - general, abs=2e-4)
    value, low, high = found["tables"]["top5"]["All"]["Top"]
    assert 0 <= low <= value <= high <= 1
    for name in ("value_by_boards", "value_by_boards_training"):
        assert sum(row["examples"] for row in found[name]) > 0


def _ablate(run: Path, out: Path, *words: str) -> None:
    main(["dsmcp", "--run", str(run), "--device", "cpu", "--out", str(out), *words])


def test_planes_have_saliency_and_removed_planes_a_difference(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _ablate(run, tmp_path, "--steps", "2", "--ablated", "1", "--repeats", "1")
    found = json.loads((tmp_path / "saliency.json").read_text())
    assert [row["name"] for row in found["planes"]] == [plane.name for plane in PLANES]
    assert sorted(row["rank"] for row in found["planes"]) == list(range(len(PLANES)))
    assert all(row["action_pbs"] > 0 for row in found["planes"])
    assert len(found["ablations"]) == 2
    assert found["ablations"][0]["difference"].keys() == {"All", "Top"}
    assert [row["seed"] for row in found["repeats"]] == [0, 1]
    assert found["noise"].keys() == {"All", "Top", "mean"}
    assert found["curves_of_headsets"].keys() == {"All", "Top", "ben"}
    assert len(found["curves_of_planes"]) == 6
    assert (tmp_path / "saliency-curves.svg").exists()
    tables = (tmp_path / "tables.md").read_text()
    assert "/ 43.1 |" in tables  # the paper's Top-1 accuracy of Top
    assert tables.count("\n| Top |") == 4
    first = found["ablations"][0]
    assert tables.count(f"\n| {first['plane']} {first['name']} |") == 1
    assert sum(line.count("(") == 2 for line in tables.splitlines() if "| " in line) >= 2
    assert "| 104 |" not in tables
    assert (tmp_path / "ablation.svg").exists()
    with pytest.raises(SystemExit):
        _ablate(run, tmp_path, "--steps", "3", "--ablated", "1")
    assert "another configuration" in capsys.readouterr().err


def test_an_interrupted_ablation_resumes_with_the_networks_that_are_trained(
    run: Path, tmp_path: Path
) -> None:
    trained, files = open_run(run, "cpu"), HitFiles(tmp_path)
    part = replace(trained.config.training, steps=12, learning_rate=0.05, ema_decay=0.5)
    config = replace(trained.config, training=part)
    planes = [{"plane": n, "name": plane.name, "rank": n} for n, plane in enumerate(PLANES)]

    def said(**options: int) -> list[str]:
        lines: list[str] = []
        ablate(
            config, trained.data, tmp_path, planes, ablated=1, repeats=1, **options,
            device="cpu", on_progress=lines.append,
        )  # fmt: skip
        return lines

    whole = ["all planes, seed 0", "all planes, seed 1"]
    first = [f"without plane {n}, {PLANES[n].name}, seed 0" for n in (0, 103)]
    assert said() == [*whole, *first]
    before = files.read(103, 0)
    for name in ("all-planes-seed-1.npz", "without-103-seed-0.npz"):
        (tmp_path / name).unlink()
    seconds = [each.replace("seed 0", "seed 1") for each in first]
    assert said(seeds=2) == ["all planes, seed 1", first[1], *seconds]
    assert files.trained() == [(None, 0), (None, 1), (0, 0), (0, 1), (103, 0), (103, 1)]
    for name, hits in files.read(103, 0).items():
        np.testing.assert_array_equal(hits, before[name], "trained first or after other networks")
    assert said(seeds=2) == []


def test_changes_are_against_the_mean_of_the_networks_with_all_planes(tmp_path: Path) -> None:
    files, rng = HitFiles(tmp_path), np.random.default_rng(0)
    files.write_games({name: np.arange(400, dtype=np.uint64) for name in ("All", "Top")})

    def hits(share: float) -> Hits:
        values = (np.arange(400) < 400 * share).astype(np.float32)
        return {"All": values, "Top": rng.permutation(values)}

    for seed, share in enumerate((0.4, 0.5)):
        files.write(None, seed, hits(share))
    planes = [{"plane": n, "name": str(n), "loss_pbs": n, "action_pbs": 9 - n} for n in range(6)]
    for plane in range(6):
        for seed in (0, 1):
            files.write(plane, seed, hits(0.45 - 0.05 * plane))
    found = ablation_report(files, planes)
    assert found["baseline"]["Top"][0] == pytest.approx(0.45)
    assert [row["difference"]["All"][0] for row in found["repeats"]] == pytest.approx([-0.1, 0.1])
    assert found["noise"]["mean"] == pytest.approx(0.0707, abs=1e-4)
    changes = [row["difference"]["Top"][0] for row in found["ablations"]]
    assert changes == pytest.approx([-0.05 * plane for plane in range(6)])
    assert found["correlations"]["loss_pbs"]["mean"][0] == pytest.approx(-1)
    assert found["correlations"]["action_pbs"]["All"][0] == pytest.approx(1)
    assert found["agreement_of_seeds"]["mean"][0] == pytest.approx(1)


def test_the_papers_numbers_are_those_of_its_tables() -> None:
    assert [paper_accuracy(m, "Top", "Top") for m in ("top1", "top5", "winner")] == [43.1, 73.4, 82.4]
    assert paper_accuracy("top1", "trout", "Human") == 14.9
    assert paper_accuracy("winner", "Human", "trout") == 76.2
    assert paper_accuracy("top1", "Top", "inference") is None
    assert paper_accuracy("top1", "planner", "Top") is None
    assert sorted(paper_planes("rank")) == list(range(len(PLANES)))
    assert paper_planes("rank")[10] == 0, "the stage is the paper's most salient plane"
    saliency, change = np.array(paper_planes("action_pbs")), np.array(paper_planes("ablation"))
    assert np.corrcoef(saliency, change)[0, 1] == pytest.approx(-0.206, abs=0.002), "as the paper says"
    assert np.corrcoef(paper_planes("loss_pbs"), change)[0, 1] == pytest.approx(-0.208, abs=0.002)


def test_a_correlation_has_an_interval() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(size=104)
    value, low, high = correlation(first.tolist(), rng.normal(size=104).tolist()) or []
    assert -0.4 < low < value < high < 0.4
    assert correlation([1, 2, 3], [1, 2, 3]) is None
    assert correlation([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]) is None


def test_an_exported_network_is_measured_on_held_out_games(run: Path, tmp_path: Path) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(
        "[data]\nboards = 50\nsampled = 16\n"
        '[[headsets]]\nname = "All"\nplayers = ["*"]\n'
        '[[headsets]]\nname = "Top"\nplayers = ["anna"]\n'
        '[[headsets]]\nname = "ben"\n'
    )
    words = ["--network", str(run / "model.onnx"), "--records", str(run / "games.jsonl")]
    words += ["--against", str(run / "model.onnx")]
    main(["dsmcp", *words, "--config", str(config), "--out", str(tmp_path)])
    found = json.loads((tmp_path / "accuracy.json").read_text())
    main(["dsmcp", "--run", str(run), "--device", "cpu", "--out", str(tmp_path / "run")])
    of_run = json.loads((tmp_path / "run/accuracy.json").read_text())
    assert found["difference"]["Top"].keys() == {"top1", "top5", "winner", "nll", "value_error"}
    assert found["difference"]["All"]["nll"] == [0, 0, 0]
    assert found["value_by_boards_training"] == []
    for row, expected in zip(found["headsets"], of_run["headsets"], strict=True):
        assert row["training_games"] == 0
        assert row["validation_games"] == expected["validation_games"]
        assert row["validation_examples"] * 2 == expected["validation_examples"], "one draw instead of two"


def test_figures_are_drawn_again_from_the_report(run: Path, tmp_path: Path) -> None:
    main(["dsmcp", "--run", str(run), "--device", "cpu", "--out", str(tmp_path)])
    (tmp_path / "value-by-boards.svg").unlink()
    main(["dsmcp", "--out", str(tmp_path)])
    assert (tmp_path / "value-by-boards.svg").exists()


def test_an_estimate_leaves_out_what_is_unknown() -> None:
    games = np.array([1, 1, 2, 2], np.uint64)
    assert estimate(np.array([1, 1, 1, np.nan], np.float32), games) == [1, 1, 1]
    assert estimate(np.full(4, np.nan, np.float32), games) == [None, None, None]


def test_a_folder_without_a_run_ends_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["dsmcp", "--run", str(tmp_path / "none"), "--out", str(tmp_path)])
    assert "has no finished run" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["dsmcp", "--out", str(tmp_path)])
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
