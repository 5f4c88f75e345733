"""The folder with which the network of ranks is trained elsewhere."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from sparring.base.errors import BadConfig
from sparring.training.config import load_training_config
from studies.go_ranks import kit

STRONG = [f"(;GM[1]SZ[19]BR[7d]WR[6d]PB[{name}];B[dd])".encode() for name in range(400)]
WEAK = [b"(;GM[1]BR[3k]WR[8d];B[dd])", b"(;GM[1]BR[6d]WR[5d];B[pp])", b"(;GM[1]BR[12k]WR[9d];B[pp])"]


def test_all_games_of_weaker_players_are_kept_and_a_share_of_the_others() -> None:
    text = b"\n".join([*STRONG, *WEAK])
    chunks = [text[begin : begin + 97] for begin in range(0, len(text), 97)]
    kept = [line.rstrip(b"\n") for line in kit.few_strong_games(chunks, 0.3)]
    assert kept[-3:] == WEAK
    assert 0.2 < (len(kept) - 3) / len(STRONG) < 0.4
    assert [*kit.few_strong_games(chunks, 0.0)] == [line + b"\n" for line in WEAK]
    assert len([*kit.few_strong_games(chunks, 1.0)]) == len(STRONG) + len(WEAK)


def test_a_folder_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nets = tmp_path / "nets"
    nets.mkdir()
    (nets / "g170e-b15c192-s1.bin.gz").write_bytes(b"teacher")
    monkeypatch.setattr(kit, "_copy_packages", lambda out, wheels: None)
    monkeypatch.setattr(kit, "_build_tables", lambda games, out, share: None)
    monkeypatch.setattr(kit, "_SOURCES", ("CMakeLists.txt", "core/game"))
    parts = kit.make_kit(tmp_path, nets, tmp_path / "kit", 0.3)
    assert {part.name for part in parts} >= {"CMakeLists.txt", "teacher.bin.gz", "train.py", "run.sh"}
    assert (tmp_path / "kit" / "teacher.bin.gz").read_bytes() == b"teacher"
    monkeypatch.setattr(kit, "MOST_BYTES", 1000)
    with pytest.raises(BadConfig, match="kgs-share"):
        kit.make_kit(tmp_path, nets, tmp_path / "kit", 0.3)
    with pytest.raises(BadConfig, match="g170e-b15c192"):
        kit.make_kit(tmp_path, tmp_path / "kit", tmp_path / "other", 0.3)


def test_its_training_script_has_the_configuration_and_the_tables_of_the_kit() -> None:
    names = {node.value for node in ast.walk(ast.parse(kit._TRAIN)) if isinstance(node, ast.Constant)}
    assert names >= {*kit.TABLES, "human-go-ranks", "teacher.bin.gz", "human-dan-go.onnx"}
    servers = load_training_config("human-go-ranks").network.servers
    assert {name.partition("-")[0] for name in kit.TABLES} == set(servers)


def test_the_judging_folder_has_network_games_judge_and_studies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "g170e-b15c192-s1.bin.gz").write_bytes(b"judge")
    (tmp_path / "ranks.onnx").write_bytes(b"network")
    (tmp_path / "people.sgf").write_text("(;)")
    wanted: list[str] = []
    monkeypatch.setattr(kit, "_copy_packages", lambda out, wheels: wanted.extend(wheels))
    out = tmp_path / "kit"
    kit.make_judging_kit(tmp_path / "ranks.onnx", tmp_path / "people.sgf", tmp_path, out)
    assert (out / "judge.bin.gz").read_bytes() == b"judge"
    assert (out / "studies" / "__main__.py").exists()
    assert {"typer", "pydantic", "msgspec"} <= {*wanted}
    script = (out / "run.sh").read_text()
    assert script.startswith("#!/usr/bin/env bash")
    for name in ("ranks.onnx", "people.sgf", "judge.bin.gz", "go-games", "go-judge"):
        assert name in script
    shell = subprocess.run(["bash", "-n", str(out / "run.sh")], capture_output=True, text=True, check=False)
    assert shell.returncode == 0, shell.stderr
