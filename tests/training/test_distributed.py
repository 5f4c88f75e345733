"""Distributed training: several processes train one network."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFIG = """
game = "chess"
[network]
blocks = 1
width = 8
[training]
steps = 42
batch = 16
validate_every = 21
validation_positions = 64
ema_decay = 0.9
"""


@pytest.mark.skipif(
    importlib.util.find_spec("torch.distributed.run") is None, reason="this PyTorch has no torchrun"
)
def test_two_processes_agree_and_rank_0_reports(games: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(CONFIG)
    root = Path(__file__).parents[2]
    command = [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"),
        *(str(Path(__file__).with_name("torchrun_script.py")), str(tmp_path)),
        *("train", "people", "chess", "--records", str(games), "--device", "cpu", "--threads", "1"),
        *("--config", str(tmp_path / "tiny.toml"), "--out", str(tmp_path / "run")),
    ]
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "weights-0").read_text() == (tmp_path / "weights-1").read_text()
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [21, 42]
    assert done.stdout.count("network: ") == 1
    assert done.stderr.count("step 42: validation") == 1
